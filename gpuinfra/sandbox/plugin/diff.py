"""The changes between two sets of inputs, and which of them replace the resource."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from gpuinfra.sandbox.plugin import assets
from gpuinfra.sandbox.plugin.schema import ResourceType

Step = str | int
Path = tuple[Step, ...]
Condition = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
IsAlike = Callable[[Path, Any, Any], bool]

_ANY_ITEM: Final = -1


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input that differs.

    Attributes:
        below: for a block or list that came or went, the paths of all that it holds.
    """

    path: Path
    kind: Literal["add", "delete", "update"]
    replaces: bool = False
    below: tuple[Path, ...] = ()

    @property
    def text(self) -> str:
        """The path in Pulumi's syntax, for example ``a.b[0].c``."""
        return path_text(self.path)


Hits = Callable[[str, InputChange], bool]


def _never_alike(_path: Path, _old: Any, _new: Any) -> bool:
    return False


def is_lowered(key: str) -> Condition:
    """Return a condition: whether the number of an input decreased."""
    return lambda old, new: (new.get(key) or 0) < (old.get(key) or 0)


def is_removed(key: str, inner: str = "") -> Condition:
    """Return a condition: whether an input, or `inner` in a block of inputs, is no longer set."""

    def inner_value(side: Mapping[str, Any]) -> Any:
        return (side.get(key) or {}).get(inner) if inner else side.get(key)

    return lambda old, new: bool(inner_value(old)) and not inner_value(new)


def hits(pattern: str, change: InputChange) -> bool:
    """Return whether a change matches an immutable path: `a`, `a.b`, `a[].b` or `a#`."""
    if pattern.endswith("#"):
        steps = _steps(pattern[:-1])
        path = change.path[:-1] if isinstance(change.path[-1], int) else change.path
        return change.kind != "update" and _key_path(path) == _key_path(steps)
    steps = _steps(pattern)
    return any(_starts_with(path, steps) for path in (change.path, *change.below))


def compare(
    resource_type: ResourceType | None,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    conditions: Mapping[str, Condition],
    is_alike: IsAlike = _never_alike,
    matches: Hits = hits,
) -> list[InputChange]:
    """Return the changes from `old` to `new` inputs, each with whether it replaces.

    Args:
        resource_type: its immutable paths and the inputs that the cloud fills; None replaces on
            nothing.
        old: the inputs of the last update.
        new: the checked inputs of this one.
        conditions: path to a test of (old, new) under which a change of that path replaces.
        is_alike: whether two values that differ in spelling say the same.
        matches: whether a path of the tables is about a change.
    """
    fills = resource_type.provider_fills if resource_type else frozenset[str]()
    fixed = [
        path
        for path in (resource_type.immutable if resource_type else ())
        if path not in conditions
    ]
    patterns = [*fixed, *(path for path, test in conditions.items() if test(old, new))]
    changes = []
    for key in sorted(old.keys() | new.keys()):
        is_unset = new.get(key) is None
        if key.startswith("__") or (is_unset and key in fills):
            continue
        for change in _walk(old.get(key), new.get(key), (key,), is_alike):
            is_hit = bool(touched_patterns(patterns, [change], matches))
            changes.append(InputChange(change.path, change.kind, is_hit, change.below))
    return changes


def touched_patterns(
    patterns: Iterable[str], changes: Sequence[InputChange], matches: Hits = hits
) -> list[str]:
    """Return the patterns that match one of the changes."""
    return [pattern for pattern in patterns if any(matches(pattern, change) for change in changes)]


def is_same_value(first: Any, second: Any) -> bool:
    """Return whether two values are equal: JSON documents by content, assets by their hash."""
    if type(first) is type(second) and first == second:
        return True
    if assets.is_asset(first) and assets.is_asset(second):
        return assets.is_same_asset(first, second)
    if isinstance(first, bool) or isinstance(second, bool):
        return False
    if isinstance(first, int | float) and isinstance(second, int | float):
        return first == second
    if isinstance(first, str) and isinstance(second, str):
        left, right = document_of(first), document_of(second)
        return left is not None and left == right
    return False


def path_text(path: Path) -> str:
    """Return a path in Pulumi's syntax."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step)}]"
    return text


def document_of(text: str) -> Any:
    """Return a policy or dashboard as a structure, from its JSON text; None for other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _walk(old: Any, new: Any, path: Path, is_alike: IsAlike) -> Iterator[InputChange]:
    if is_same_value(old, new) or is_alike(path, old, new):
        return
    if assets.is_asset(old) and assets.is_asset(new):
        yield InputChange(path, "update")
        return
    if old is None:
        yield InputChange(path, "add", below=tuple(_inner_paths(new, path)))
    elif new is None:
        yield InputChange(path, "delete", below=tuple(_inner_paths(old, path)))
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _walk(old.get(key), new.get(key), (*path, key), is_alike)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            left = old[index] if index < len(old) else None
            right = new[index] if index < len(new) else None
            yield from _walk(left, right, (*path, index), is_alike)
    else:
        yield InputChange(path, "update")


def _inner_paths(value: Any, path: Path) -> Iterator[Path]:
    if assets.is_asset(value):
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from _inner_paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield (*path, index)
            yield from _inner_paths(item, (*path, index))


def _steps(pattern: str) -> Path:
    steps: list[Step] = []
    for part in pattern.split("."):
        steps.append(part.removesuffix("[]"))
        if part.endswith("[]"):
            steps.append(_ANY_ITEM)
    return tuple(steps)


def _key_path(path: Path) -> tuple[str, ...]:
    return tuple(step for step in path if isinstance(step, str))


def _starts_with(path: Path, steps: Path) -> bool:
    return _key_path(path)[: len(_key_path(steps))] == _key_path(steps)
