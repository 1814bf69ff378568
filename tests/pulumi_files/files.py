"""Files as Pulumi writes them, small and by hand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

STACK = "urn:pulumi:dev::shop"
PROVIDER = f"{STACK}::pulumi:providers:aws::default_7_51_1::04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
INSTANCE = "aws:ec2/instance:Instance"


def urn(name: str, type_: str = INSTANCE) -> str:
    return f"{STACK}::{type_}::{name}"


def entry(name: str = "one", type_: str = INSTANCE, **more: Any) -> dict[str, Any]:
    return {
        "urn": urn(name, more.get("type") or type_),
        "custom": True,
        "type": type_,
        "provider": PROVIDER,
        "inputs": {"instanceType": "p5.48xlarge"},
        **more,
    }


def step(name: str = "one", op: str = "create", **more: Any) -> dict[str, Any]:
    key = "oldState" if op in {"delete", "delete-replaced"} else "newState"
    state = more.get(key)
    told = state.get("urn") if isinstance(state, dict) else None
    return {"op": op, "urn": told or urn(name), key: entry(name), **more}


def digest(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "config": {"aws:region": "us-east-1"},
        "steps": list(steps),
        "duration": 1,
        "changeSummary": dict(Counter(step["op"] for step in steps)),
        **more,
    }


def stream(*events: dict[str, Any]) -> str:
    return "".join(
        json.dumps({"sequence": number, "timestamp": 1, **event}) + "\n"
        for number, event in enumerate(events)
    )


def pre(name: str = "one", op: str = "create", **more: Any) -> dict[str, Any]:
    new = None if op in {"delete", "delete-replaced"} else entry(name)
    old = None if op == "create" else entry(name)
    metadata = {"op": op, "urn": urn(name), "type": INSTANCE, "new": new, "old": old, **more}
    return {"resourcePreEvent": {"metadata": metadata}}


def summary(**counts: int) -> dict[str, Any]:
    return {"summaryEvent": {"resourceChanges": counts, "isPreview": True, "result": "succeeded"}}


def state(*resources: Any, version: Any = 3, **more: Any) -> dict[str, Any]:
    return {"version": version, "deployment": {"manifest": {}, "resources": resources, **more}}


def put(folder: Path, content: Any, name: str = "file.json") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path
