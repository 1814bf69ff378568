"""What no resource shows, as inputs of the component that declares it: policies read it there."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import Any

from gpuinfra.model import Usage


def usage_inputs(usage: Usage) -> dict[str, Any]:
    """Usage as Pulumi carries it, without what is not told."""
    names = (field.name for field in fields(Usage))
    return {name: carried_value(getattr(usage, name)) for name in names if getattr(usage, name)}


def carried_value(value: Any) -> Any:
    """A value that Pulumi can carry: amounts as text, days as text."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: carried_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [carried_value(inner) for inner in value]
    return value


def camel(name: str) -> str:
    """A name as Pulumi spells it: ``per_hour`` is ``perHour``."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
