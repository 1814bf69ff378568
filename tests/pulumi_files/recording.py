"""Records what the real engine writes about a program in the sandbox: previews and the state."""

import gzip
import json
import re
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STRANGERS = ROOT / "tests" / "sandbox" / "strangers"
RECORDED = Path(__file__).parent / "recorded"

PROGRAMS = {
    "quickstart": {},
    "scaled_site": {"aws:region": "us-east-1"},
    "gpu_box": {"gcp:project": "town", "gcp:zone": "us-central1-a"},
    "azure_gpu_machine": {"azure-native:location": "eastus"},
}
"""Our own stack, and one program of a stranger's per cloud, with the configuration of each."""

CHANGED = {"scaled_site": ("10.1.", "10.9.")}
"""An edit of a program, after which the engine replaces resources."""

MOMENT = re.compile(r"(?<=at\()[0-9T:-]{19}(?=\))")
"""When a schedule of a run is to end it."""

STREAMED = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}

Plain = Callable[[Path, Mapping[str, str]], Any]


def folder_of(name: str, into: Path) -> Path:
    """A folder that plain `pulumi` runs: a copy of a shipped stack, or a stranger's program."""
    folder = into / name
    if (ROOT / "stacks" / name).is_dir():
        shutil.copytree(ROOT / "stacks" / name, folder)
        return folder
    folder.mkdir(parents=True)
    shutil.copy(STRANGERS / f"{name}.py", folder / "__main__.py")
    (folder / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n")
    return folder


def record(name: str, into: Path, plain: Plain, environment: Mapping[str, str]) -> dict[str, str]:
    """What the engine writes, by file name, without what only this machine has."""
    folder = folder_of(name, into)
    pulumi = plain(folder, environment)
    streaming = plain(folder, {**environment, **STREAMED})
    pulumi("stack", "init", "sandbox")
    for key, value in PROGRAMS[name].items():
        pulumi("config", "set", key, value)
    files = {
        "preview.json": pulumi("preview", "--json").stdout,
        "stream.jsonl": streaming("preview", "--json").stdout,
    }
    pulumi("up", "--yes", "--skip-preview")
    files["unchanged.json"] = pulumi("preview", "--json").stdout
    files["sames.json"] = pulumi("preview", "--json", "--show-sames").stdout
    files["state.json"] = pulumi("stack", "export").stdout
    if name in CHANGED:
        main = folder / "__main__.py"
        main.write_text(main.read_text().replace(*CHANGED[name]))
        files["changed.json"] = pulumi("preview", "--json", "--show-sames").stdout
        files["changed.jsonl"] = streaming("preview", "--json").stdout
    pulumi("destroy", "--yes", "--skip-preview", "--remove")
    return {file: stripped(text, into, environment) for file, text in files.items()}


def stripped(text: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Text without paths and ports of the machine that wrote it; a line for each document."""
    places = [str(folder), environment.get("GPUINFRA_SANDBOX_HOME", ""), str(ROOT)]
    for place in filter(None, places):
        text = text.replace(place, "/home/me")
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:5000", text)
    is_stream = text.startswith('{"sequence"')
    documents = text.splitlines() if is_stream else [text]
    return "".join(
        json.dumps(_without(json.loads(document)), separators=(",", ":")) + "\n"
        for document in documents
        if "from $PATH" not in document or not is_stream
    )


LOCAL = {"sourcePosition", "stackTrace", "diagnostics"}
"""What names files of the machine and says nothing of resources."""


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items() if key not in LOCAL}
    return [_without(item) for item in value] if isinstance(value, list) else value


def recorded(name: str, file: str) -> str:
    """A recording of the repository, whose schedules ring as long from now as they did then."""
    return MOMENT.sub(lambda found: _later(found[0], _age(name)), _read(name, file))


def _read(name: str, file: str) -> str:
    return gzip.decompress((RECORDED / name / f"{file}.gz").read_bytes()).decode()


def _age(name: str) -> timedelta:
    manifest = json.loads(_read(name, "state.json"))["deployment"]["manifest"]
    return datetime.now(UTC) - datetime.fromisoformat(manifest["time"])


def _later(moment: str, by: timedelta) -> str:
    return (datetime.fromisoformat(moment) + by).isoformat(timespec="seconds")


def keep(name: str, files: Mapping[str, str]) -> None:
    """Put recordings into the repository; the same bytes for the same text."""
    (RECORDED / name).mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        packed = gzip.compress(text.encode(), 9, mtime=0)
        (RECORDED / name / f"{file}.gz").write_bytes(packed)
