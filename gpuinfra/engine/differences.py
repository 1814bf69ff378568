"""The paths at which two property values differ: tags.team, disks[0].size."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.pulumi_special_values import HIDDEN, SENTINELS

MAX_VALUE_LENGTH: Final = 40
"""Characters of a value that is shown beside its path; a policy or a script is none."""

_STEP: Final = re.compile(r"""\[(?P<index>\d+)]|\["(?P<key>[^"]+)"]|(?P<name>[^.\["]+)""")


def paths(old: Any, new: Any, parent_path: str = "") -> Iterator[str]:
    """Yield the deepest paths with different values; "" is the whole value."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from paths(
                old.get(key), new.get(key), f"{parent_path}.{key}" if parent_path else str(key)
            )
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (old_item, new_item) in enumerate(zip(old, new, strict=True)):
            yield from paths(old_item, new_item, f"{parent_path}[{index}]")
    elif old != new:
        yield parent_path


def values(
    names: Iterable[str], old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each path with its values before and after, if both are short and not secret."""
    for name in names:
        old_value, new_value = _value_at(old, name), _value_at(new, name)
        if old_value != new_value and _is_short_scalar(old_value) and _is_short_scalar(new_value):
            yield name, old_value, new_value


def _value_at(value: Any, path: str) -> Any:
    """Return the value at a path; None if there is none."""
    for step in _STEP.finditer(path):
        if step["index"] is not None:
            list_index = int(step["index"])
            value = (
                value[list_index] if isinstance(value, list) and list_index < len(value) else None
            )
        else:
            name = step["key"] or step["name"]
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _is_short_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_VALUE_LENGTH and value != HIDDEN and value not in SENTINELS
    return value is None or isinstance(value, (bool, int, float))
