"""The digest of a preview, built from the engine's events, for a crash of the engine's own digest.

`pulumi preview --json` panics, "attempt to encrypt value", at a secret output of a resource whose
provider has unknown settings. The events hide such a secret:
https://github.com/pulumi/pulumi/blob/master/pkg/backend/display/json.go (massagePropertyValue)
https://github.com/pulumi/pulumi/blob/master/pkg/backend/display/events.go (BlindingCrypter)
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.errors import EngineError

CRASH_PREFIX: Final = "it crashed: "
_DIGEST_CRASH: Final = f"{CRASH_PREFIX}attempt to encrypt value"
_FIX: Final = "give values to unknown or secret settings of providers: --config KEY=VALUE"

STREAMING: Final = "PULUMI_ENABLE_STREAMING_JSON_PREVIEW"
"""The variable that makes `pulumi preview --json` write its events."""

_READS: Final = "read"
_RELATIONS: Final = ("dependencies", "propertyDependencies")


class DigestCrashError(EngineError):
    """The engine crashed at its digest; its events may still be read."""


def crash_error(diagnostics: Sequence[Diagnostic]) -> EngineError | None:
    """Return the error for a crash of the engine itself, which is no fault of the program."""
    crashes = [
        diagnostic.message
        for diagnostic in diagnostics
        if diagnostic.message.startswith(CRASH_PREFIX)
    ]
    if not crashes:
        return None
    kind = DigestCrashError if _DIGEST_CRASH in crashes else EngineError
    return kind(f"the engine failed: {crashes[0]}", fix=_FIX)


def write(path: Path, plan: Path) -> None:
    """Replace a preview's events by its digest.

    Args:
        path: the events, one in a line; the digest afterwards.
        plan: the plan of the same preview, which knows what resources depend on; it may be
            missing.
    """
    digest: dict[str, Any] = {"steps": [], "diagnostics": []}
    plan_document = json.loads(plan.read_text("utf-8")) if plan.exists() else {}
    plans = plan_document.get("plan", plan_document).get("resourcePlans") or {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            with suppress(ValueError):  # the last line of an engine that was stopped
                _add(digest, json.loads(line), plans)
    path.write_text(json.dumps(digest), encoding="utf-8")


def _add(digest: dict[str, Any], event: Mapping[str, Any], plans: Mapping[str, Any]) -> None:
    if prelude := event.get("preludeEvent"):
        digest["config"] = prelude.get("config") or {}
    elif step := event.get("resourcePreEvent"):
        digest["steps"].append(_step(step["metadata"], plans))
    elif diagnostic := event.get("diagnosticEvent"):
        if not diagnostic.get("ephemeral") and diagnostic.get("severity") != "debug":
            message = f"{diagnostic.get('prefix', '')}{diagnostic.get('message', '')}"
            digest["diagnostics"].append({**diagnostic, "message": message})
    elif summary := event.get("summaryEvent"):
        digest["changeSummary"] = summary.get("resourceChanges") or {}
        digest["maybeCorrupt"] = bool(summary.get("maybeCorrupt"))


def _step(metadata: Mapping[str, Any], plans: Mapping[str, Any]) -> dict[str, Any]:
    goal_state = (plans.get(metadata["urn"]) or {}).get("goal") or {}
    relations = {key: goal_state[key] for key in _RELATIONS if goal_state.get(key)}
    state = metadata.get("new")
    if state is not None:
        state = {**state, **relations, "external": str(metadata["op"]).startswith(_READS)}
    return {"op": metadata["op"], "urn": metadata["urn"], "newState": state}
