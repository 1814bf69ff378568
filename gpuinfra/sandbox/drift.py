"""Changes of resources in the ledger outside of Pulumi, as by a user of the console."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gpuinfra.errors import InputError
from gpuinfra.sandbox.ledger import Ledger, Record
from gpuinfra.sandbox.sandbox_folder import LEDGER_FILE, sandbox_home

_STEP = re.compile(r"\[(\d+)\]|\[\"([^\"]+)\"\]|\.?([^.\[\]]+)")


def change(which: str, values: Mapping[str, Any]) -> Record:
    """Set properties of a resource in the ledger; return the changed record.

    Args:
        which: its URN, its id, or its logical name.
        values: by property path, for example `targetSize`, `labels.team` or `disks[0].diskSizeGb`;
            None takes the property away.

    Raises:
        InputError: nothing, or more than one thing, has this name, it is in moto, or a path
            leads nowhere.
    """
    ledger = Ledger(sandbox_home() / LEDGER_FILE)
    record = _record_of(ledger, which)
    properties: Any = record.properties
    for path, value in values.items():
        properties = _set_at(properties, _steps(path), value, path)
    changed = replace(record, properties=properties)
    ledger.replace(changed)
    return changed


def add_existing(
    kind: str, resource_id: str, properties: Mapping[str, Any], region: str = "us-east-1"
) -> Record:
    """Add a resource of a ledger type, as if it had existed before, and return its record.

    For example a capacity reservation that a stack is to use; `remove` deletes it.

    Args:
        kind: its Pulumi type.
        resource_id: its id, as the cloud writes it.
        properties: its outputs.
        region: its region.
    """
    record = Record(
        type=kind,
        id=resource_id,
        urn=f"urn:pulumi:account::account::{kind}::{resource_id}",
        region=region,
        backend="ledger",
        properties={"region": region, **properties},
    )
    Ledger(sandbox_home() / LEDGER_FILE).replace(record)
    return record


def remove(which: str) -> Record:
    """Remove a resource from the ledger, found as in `change`; return its last record."""
    ledger = Ledger(sandbox_home() / LEDGER_FILE)
    record = _record_of(ledger, which)
    ledger.forget(record.type, record.region, record.id)
    return record


def _record_of(ledger: Ledger, which: str) -> Record:
    records = [record for record in ledger.all() if which in (record.urn, record.id)]
    records = records or [record for record in ledger.all() if which == record.name]
    if not records:
        names = ", ".join(
            sorted({record.name for record in ledger.all() if record.backend == "ledger"})
        )
        raise _input_error("no resource has this URN, id or name", which, names or "no resource")
    if len(records) > 1:
        listed = ", ".join(record.urn for record in records)
        raise _input_error(f"{len(records)} resources have this name: use the URN", which, listed)
    if records[0].backend == "moto":
        tools = "boto3 or the AWS CLI at the sandbox's endpoint"
        raise _input_error(
            "the emulated cloud (moto) has this resource: change it there", which, tools
        )
    return records[0]


def _input_error(message: str, value: str, allowed: str) -> InputError:
    return InputError.of(message, value=value, allowed=allowed)


def _steps(path: str) -> list[str | int]:
    return [int(index) if index else quoted or key for index, quoted, key in _STEP.findall(path)]


def _set_at(at: Any, steps: list[str | int], value: Any, path: str) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        if not isinstance(at, list) or step >= len(at):
            raise _input_error("the path does not exist", path, "an existing item")
        return [*at[:step], _set_at(at[step], rest, value, path), *at[step + 1 :]]
    if at is not None and not isinstance(at, dict):
        raise _input_error("the path does not exist", path, "a property of an object")
    inner = dict(at or {})
    inner[step] = _set_at(inner.get(step), rest, value, path)
    return {key: item for key, item in inner.items() if item is not None}
