"""The shapes of the SDK's arguments: blocks of named keys, read from its type hints."""

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, ForwardRef, get_args, get_origin

import pulumi

from gpuinfra.records import record

BLOCK: Final = "ArgsDict"
"""The name suffix of the SDK's typed mappings; each mirrors an argument class."""

PLUMBING: Final = frozenset({"__self__", "resource_name", "opts", "__props__"})


@record
class ArgumentShape:
    """The values that an argument accepts.

    Attributes:
        keys: the arguments of its block; None when it takes no block.
        listed: it takes a list of blocks.
        text: it takes plain text too, for example a policy.
    """

    keys: Mapping[str, "ArgumentShape"] | None = None
    listed: bool = False
    text: bool = False


def shapes_of(kind: type[pulumi.CustomResource]) -> Mapping[str, ArgumentShape]:
    """Return the shape of each argument of a resource class."""
    return {name: _shape(hint, kind.__module__, ()) for name, hint in _hints(kind).items()}


def _hints(kind: type[pulumi.CustomResource]) -> Mapping[str, Any]:
    parameters = inspect.signature(kind._internal_init).parameters  # type: ignore[attr-defined]  # noqa: SLF001
    return {
        name: parameter.annotation
        for name, parameter in parameters.items()
        if name not in PLUMBING
    }


def _shape(hint: Any, module: str, outer_blocks: tuple[type, ...]) -> ArgumentShape:
    """Return the shape of a hint; a block that contains itself is not expanded again."""
    names = [*_referenced_names(hint)]
    has_text = any(field_name == "" for field_name, _ in names)
    for field_name, is_list in names:
        if field_name.endswith(BLOCK):
            block: type = attrgetter(field_name)(sys.modules[module])
            if block in outer_blocks:
                return ArgumentShape(text=has_text, listed=is_list)
            keys = {
                name: _shape(nested_hint, block.__module__, (*outer_blocks, block))
                for name, nested_hint in block.__annotations__.items()
            }
            return ArgumentShape(keys=keys, listed=is_list, text=has_text)
    return ArgumentShape(text=has_text)


def _referenced_names(hint: Any, is_list: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the names that a hint refers to, and whether in a list; plain text has no name."""
    if isinstance(hint, ForwardRef):
        yield hint.__forward_arg__, is_list
    elif hint is str:
        yield "", is_list
    else:
        within = is_list or get_origin(hint) is Sequence
        for part in get_args(hint):
            yield from _referenced_names(part, within)
