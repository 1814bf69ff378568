"""The values of a stack file regardless of its style: one per key, and their digest."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel

from gpuinfra.records import record
from gpuinfra.specs import Stack
from gpuinfra.units import format_duration

KINDS: Final = ("training", "inference")

ADDED_KEYS: Final = frozenset(
    {
        *("all_or_nothing", "efa_layout", "ena_express", "preflight", "reserve", "runs"),
        *("bound_unknown", "covers", "encryption", "on_breach"),
    }
)
"""Keys that were added after the first locks were written. One at its default is left out, so that
older locks still match."""

Values = Mapping[str, Any]
"""Values by key, for example `capacity.above`: text, whole numbers, truth, and lists of those."""


@record
class LockedValues:
    """The values of a stack, its workloads and its buckets, by name.

    `kinds` says of each workload whether it is training or inference.
    """

    settings: Values = field(default_factory=dict)
    workloads: Mapping[str, Values] = field(default_factory=dict)
    buckets: Mapping[str, Values] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The digest of all values, the same for equal stack files."""
        parts = (self.settings, self.workloads, self.buckets, self.kinds)
        return digest_of([json_value(part) for part in parts])


def stack_values(stack: Stack) -> LockedValues:
    """Return a stack's values with defaults filled in, without absent and empty ones.

    So a value that is written as its default says changes nothing, and a new key of the grammar
    that a stack does not use changes nothing either.
    """
    workloads_by_kind = {kind: getattr(stack, kind) for kind in KINDS}
    top = {
        key: getattr(stack, key)
        for key in type(stack).model_fields
        if key not in {*KINDS, "buckets"}
    }
    return LockedValues(
        settings=dict(_leaf_values(top)),
        workloads={
            name: dict(_leaf_values(_fields(work)))
            for works_by_name in workloads_by_kind.values()
            for name, work in works_by_name.items()
        },
        buckets={
            name: dict(_leaf_values(_fields(bucket))) for name, bucket in stack.buckets.items()
        },
        kinds={
            name: kind
            for kind, works_by_name in workloads_by_kind.items()
            for name in works_by_name
        },
    )


def json_value(value: Any) -> Any:
    """Return a value as lossless JSON, without absent and empty entries of mappings."""
    value = _as_mapping(value)
    if isinstance(value, Mapping):
        values = {str(key): json_value(nested_value) for key, nested_value in value.items()}
        return {key: values[key] for key in sorted(values) if not _is_absent(values[key])}
    if isinstance(value, frozenset | set):
        return sorted(map(json_value, value))
    if isinstance(value, tuple | list):
        return [json_value(nested_value) for nested_value in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    """Return amounts as text, durations as in a stack file, and dates in ISO 8601."""
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, timedelta):
        return format_duration(value)
    return value.isoformat() if isinstance(value, date) else value


def number(value: Decimal) -> str:
    """Return a number as text, the same for equal numbers."""
    digits = f"{value:f}"
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) or "0"


def digest_of(value: Any) -> str:
    """Return the digest of a JSON value, regardless of the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _as_mapping(value: Any) -> Any:
    """Return a form or a dataclass, for example a range, as a mapping; others unchanged."""
    if isinstance(value, BaseModel):
        return _fields(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value


def _fields(model: BaseModel) -> dict[str, Any]:
    """Return a form's own keys and the extra ones that it accepts, for example rule settings."""
    own_values = {
        key: getattr(model, key)
        for key, field_info in type(model).model_fields.items()
        if key not in ADDED_KEYS or getattr(model, key) != field_info.default
    }
    return {**own_values, **(model.model_extra or {})}


def _leaf_values(values: Mapping[str, Any], parent_key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with its dotted path, in the order of the paths; lists stay whole."""
    for key in sorted(values):
        value, path = _as_mapping(values[key]), f"{parent_key}{key}"
        if isinstance(value, Mapping):
            yield from _leaf_values({str(name): value[name] for name in value}, f"{path}.")
        elif not _is_absent(json_value(value)):
            yield path, json_value(value)


def _is_absent(value: Any) -> bool:
    return value is None or value in ("", [], {})
