"""What differs between two property values, as paths: tags.team, disks[0].size."""

from collections.abc import Iterator, Mapping
from typing import Any


def paths(old: Any, new: Any, at: str = "") -> Iterator[str]:
    """The paths whose values differ, the deepest that both sides have; "" is the whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from paths(old.get(key), new.get(key), f"{at}.{key}" if at else str(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from paths(before, after, f"{at}[{index}]")
    elif old != new:
        yield at
