"""The reader of an exported state: existing resources, and those of an interrupted run.

https://github.com/pulumi/pulumi/blob/master/sdk/go/common/apitype/core.go (DeploymentV3)
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.model import NotJudged
from gpuinfra.pulumi_files.file_faults import FileError
from gpuinfra.pulumi_files.file_stack import EntryCollector
from gpuinfra.pulumi_files.json_window import JsonWindow
from gpuinfra.pulumi_files.property_values import Values
from gpuinfra.pulumi_files.resource_entries import ResourceEntry, entry_of, list_of, mapping, text

KEYS = frozenset({"version", "deployment"})
"""The top-level keys of an export; version 4 adds features."""

VERSIONS: Final = (3, 4)
FEATURES: Final = frozenset(
    {"refreshBeforeUpdate", "views", "hooks", "taint", "replaceWith", "extensionParameterization"}
)
"""What a version 4 may need of its readers; none of it changes the resources.
https://github.com/pulumi/pulumi/blob/master/pkg/resource/stack/deployment.go"""

_MAY_STAND: Final = frozenset({"creating", "importing"})
_CHANGING: Final = "updating"
_KNOWN_OPERATIONS: Final = _MAY_STAND | {_CHANGING, "deleting", "reading"}
_CLEAR: Final = "pulumi refresh clears it"


def read_export(window: JsonWindow) -> tuple[EntryCollector, Values]:
    """Read an export, resource by resource.

    Raises:
        InputError: it is broken.
        FileError: it is of a version that is not known, or holds nothing to read.
    """
    gathering, values = EntryCollector(), Values(preview=False)
    version, has_deployment = None, False
    for key in window.members():
        if key == "version":
            version = window.value()
            _check_version(version)
        elif key == "features":
            _features(window.value())
        elif key == "deployment" and window.peek() == "{":
            has_deployment = True
            _deployment(gathering, values, window)
        else:
            has_deployment = has_deployment or (key == "deployment" and window.peek() == "n")
            window.value()
    window.end()
    _check_version(version)
    if not has_deployment:
        raise FileError("the export has no deployment")
    return gathering, values


def _check_version(version: Any) -> None:
    if version not in VERSIONS:
        raise FileError(
            "the state's format version is not supported",
            value="none" if version is None else str(version)[:80],
            allowed=" or ".join(map(str, VERSIONS)),
            fix="export it with Pulumi CLI version 3, or update gpuinfra",
        )


def _features(value: Any) -> None:
    unknown = [feature for feature in list_of(value, "features") if str(feature) not in FEATURES]
    if unknown:
        raise FileError(
            "the state requires a feature that this version of gpuinfra does not support",
            value=str(unknown[0])[:80],
            allowed=", ".join(sorted(FEATURES)),
            fix="update gpuinfra",
        )


def _deployment(gathering: EntryCollector, values: Values, window: JsonWindow) -> None:
    for key in window.members():
        if key == "resources" and window.peek() == "[":
            for index, _ in enumerate(window.items()):
                try:
                    _resource(gathering, values, window.value(), f"resources[{index}]")
                except FileError as error:
                    window.fail(error)
        elif key == "pending_operations" and window.peek() == "[":
            for index, _ in enumerate(window.items()):
                try:
                    _add_pending(gathering, values, window.value(), f"pending_operations[{index}]")
                except FileError as error:
                    window.fail(error)
        else:
            value = window.value()
            if key in {"resources", "pending_operations"} and value is not None:
                window.fail(FileError(f"{key} must be a list"))


def _resource(gathering: EntryCollector, values: Values, document: Any, location: str) -> None:
    entry = entry_of(document, location, values)
    if entry.is_pending_replacement:
        # Deleted already, to be made anew; but Pulumi so marks what it retains, too.
        if entry.kept_by:
            gathering.add_retained(entry, entry.kept_by)
        return
    if document.get("delete"):
        _add_replaced(gathering, entry)
        return
    if entry.urn in gathering.entries:
        raise FileError(f"two resources have the URN {entry.urn}", value=entry.urn[:200])
    gathering.add(_with_reported_properties(entry))


def _with_reported_properties(entry: ResourceEntry) -> ResourceEntry:
    """Return the resource with the properties that the cloud reports beyond the program's."""
    reported = {
        key: entry.outputs[key]
        for key in _reported_properties().get(entry.type, ())
        if entry.outputs.get(key) is not None
    }
    if not reported:
        return entry
    completed = {
        key: _complete_value(output, entry.inputs.get(key)) for key, output in reported.items()
    }
    return replace(entry, inputs={**entry.inputs, **completed})


def _complete_value(reported: Any, stated: Any) -> Any:
    """Return the given value, completed with the reported values of missing keys."""
    if isinstance(reported, Mapping) and isinstance(stated, Mapping):
        return {**reported, **stated}
    return reported if stated is None else stated


@cache
def _reported_properties() -> Mapping[str, tuple[str, ...]]:
    """Return, by type, the properties whose outputs count as inputs."""
    file = Path(__file__).with_name("data") / "reported_properties.json"
    table = json.loads(file.read_text("utf-8"))
    return {type_: tuple(keys) for type_, keys in table["types"].items()}


def _add_replaced(gathering: EntryCollector, entry: ResourceEntry) -> None:
    """Add a replaced resource that is not deleted yet, since it exists and costs money."""
    gathering.add_leaving(entry, replaced=True, coexists=True)
    if not entry.is_provider and not entry.external:
        gathering.extra.append((entry, "is waiting for deletion"))


def _add_pending(gathering: EntryCollector, values: Values, value: Any, location: str) -> None:
    operation = text(mapping(value, location).get("type"), f"{location}.type")
    entry = entry_of(value.get("resource"), f"{location}.resource", values)
    if operation not in _KNOWN_OPERATIONS:
        raise FileError(
            f"{location}.type is an unknown operation",
            value=operation[:80],
            allowed=", ".join(sorted(_KNOWN_OPERATIONS)),
        )
    if entry.is_provider or entry.external or operation == "reading":
        return
    gathering.notes.append(
        f"an interrupted run was {operation} {entry.urn}, and its outcome is unknown: {_CLEAR}"
    )
    if operation in _MAY_STAND:
        gathering.extra.append((entry, operation))
    elif operation == _CHANGING:
        reason = f"an interrupted run was updating it, and its outcome is unknown: {_CLEAR}"
        gathering.not_read.append(NotJudged(subject=entry.urn, type=entry.type, reason=reason))
