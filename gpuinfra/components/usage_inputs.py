"""The usage that no resource shows, as component inputs that policies read."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import Any

from gpuinfra.model import Usage


def usage_inputs(usage: Usage) -> dict[str, Any]:
    """Return usage as component inputs, without unset values."""
    names = (field.name for field in fields(Usage))
    return {name: carried_value(getattr(usage, name)) for name in names if getattr(usage, name)}


def carried_value(value: Any) -> Any:
    """Return a value that Pulumi can carry: amounts and dates as text."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: carried_value(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list | tuple):
        return [carried_value(nested_value) for nested_value in value]
    return value


def camel(name: str) -> str:
    """Return a name in Pulumi's spelling: ``per_hour`` is ``perHour``."""
    head, *later_parts = name.split("_")
    return head + "".join(name_part.capitalize() for name_part in later_parts)
