"""Values of a resource or a stack file by path: lookup, and replacement in a copy."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.fixes.fix import Path
from gpuinfra.model import Unknown

EACH_ITEM: Final = "*"
NEW_ITEM: Final = "+"
_PART: Final = re.compile(r"([A-Za-z0-9]+)|\[([*+])\]")


def parse_path(text: str) -> tuple[str, ...]:
    """Return the parts of `disks[*].encrypted`: names, * for each entry, + for a new one."""
    return tuple(name or mark for name, mark in _PART.findall(text))


def matching_paths(inputs: Mapping[str, Any], parts: Sequence[str]) -> Iterator[Path]:
    """Yield the paths that match the parts in these inputs; unknown values have none."""
    yield from _matching_paths(inputs, tuple(parts), ())


def value_at(inputs: Any, path: Path) -> Any:
    """Return the value at a path; None where there is none."""
    for part in path:
        if isinstance(inputs, Mapping):
            inputs = inputs.get(part)
        elif isinstance(inputs, list | tuple) and isinstance(part, int) and part < len(inputs):
            inputs = inputs[part]
        else:
            return None
    return inputs


def is_inside(inputs: Mapping[str, Any], path: Path) -> bool:
    """Return whether a path leads into a property with values of its own."""
    return (
        bool(path[1:])
        and isinstance(inputs.get(str(path[0])), Mapping)
        and bool(inputs[str(path[0])])
    )


def immutable(value: Any) -> Any:
    """Return a value with its lists as tuples, so that it can be kept unchanged."""
    if isinstance(value, Mapping):
        return {key: immutable(nested_value) for key, nested_value in value.items()}
    return tuple(map(immutable, value)) if isinstance(value, list | tuple) else value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of a value with a new one at a path; None removes the existing one.

    What it shares with the old one is not copied.
    """
    if not path:
        return new
    part, inner_path = path[0], path[1:]
    if isinstance(part, int):
        entries = list(value) if isinstance(value, list | tuple) else []
        entries += [None] * (part + 1 - len(entries))
        entries[part] = with_value(entries[part], inner_path, new)
        return (
            entries if new is not None or inner_path else [*entries[:part], *entries[part + 1 :]]
        )
    holder = dict(value) if isinstance(value, Mapping) else {}
    if new is None and not inner_path:
        holder.pop(part, None)
        return holder
    return {**holder, part: with_value(holder.get(part), inner_path, new)}


def _matching_paths(value: Any, parts: tuple[str, ...], path: Path) -> Iterator[Path]:
    if isinstance(value, Unknown):
        return
    if not parts:
        yield path
        return
    part, inner_parts = parts[0], parts[1:]
    entries = value if isinstance(value, list | tuple) else ()
    if part == NEW_ITEM:
        yield (*path, len(entries))
    elif part == EACH_ITEM:
        for entry_index, entry in enumerate(entries):
            yield from _matching_paths(entry, inner_parts, (*path, entry_index))
    else:
        nested_value = value.get(part) if isinstance(value, Mapping) else None
        yield from _matching_paths(nested_value, inner_parts, (*path, part))
