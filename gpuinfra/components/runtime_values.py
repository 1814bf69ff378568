"""Run-time values: where they are accepted, and where they are refused."""

from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import pulumi

from gpuinfra.errors import Problem


def is_output(value: Any) -> bool:
    """Return whether a value is a Pulumi output."""
    return isinstance(value, pulumi.Output | Awaitable | pulumi.output.Unknown)


def has_output(value: Any) -> bool:
    """Return whether a value is an output, or a list with one."""
    return is_output(value) or (isinstance(value, list | tuple) and any(map(is_output, value)))


def refuse_outputs(
    name: str, args: Any, accepted: Mapping[str, range] = MappingProxyType({})
) -> Iterator[Problem]:
    """Yield problems of arguments that are outputs, though planning needs their values.

    Args:
        name: of the component.
        args: all of its arguments.
        accepted: how deep outputs may be in those that may come later: 1 is the argument itself, 2
            an entry of its list.
    """
    for path in _places(args, ()):
        depths = accepted.get(str(path[0]), range(0))
        if len(path) in depths:
            continue
        yield Problem(
            message=f"{name}: {'.'.join(map(str, path))} is an output or a secret, known only "
            "during the build; the plan needs its value earlier, to choose, price and check "
            "machines",
            path=(name, *path),
            fix="write a list, whose entries may be outputs"
            if len(path) < min(depths, default=0)
            else "write the value itself",
        )


def _places(value: Any, parent_path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if is_output(value):
        yield parent_path
    elif is_dataclass(value):
        for field in fields(value):
            yield from _places(getattr(value, field.name), (*parent_path, field.name))
    elif isinstance(value, Mapping):
        for key, nested_value in value.items():
            yield from _places(nested_value, (*parent_path, str(key)))
    elif isinstance(value, list | tuple):
        for index, nested_value in enumerate(value):
            yield from _places(nested_value, (*parent_path, index))
