"""Run-time values: where they are accepted, and where they are refused."""

from collections.abc import Awaitable, Container, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pulumi

from gpuinfra.errors import Problem


def is_later(value: Any) -> bool:
    """Return whether a value is a Pulumi output."""
    return isinstance(value, pulumi.Output | Awaitable | pulumi.output.Unknown)


def has_later(value: Any) -> bool:
    """Return whether a value is an output, or a list with one."""
    return is_later(value) or (isinstance(value, list | tuple) and any(map(is_later, value)))


def refuse_outputs(
    name: str,
    args: Any,
    accepted: Container[str | int] = (),
    listed: Container[str | int] = (),
) -> Iterator[Problem]:
    """Yield problems of arguments that are outputs, though planning needs their values.

    Args:
        name: of the component.
        args: all of its arguments.
        accepted: those that may come later.
        listed: those of them that are lists whose entries may come later.
    """
    for place in _places(args, ()):
        if place[0] in accepted and len(place) <= 1 + (place[0] in listed):
            continue
        yield Problem(
            message=f"{name}: {'.'.join(map(str, place))} is an output or a secret, known only "
            "during the build; the plan needs its value earlier, to choose, price and check "
            "machines",
            path=(name, *place),
            fix="write the value itself",
        )


def _places(value: Any, above: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if is_later(value):
        yield above
    elif is_dataclass(value):
        for field in fields(value):
            yield from _places(getattr(value, field.name), (*above, field.name))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _places(inner, (*above, str(key)))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _places(inner, (*above, index))
