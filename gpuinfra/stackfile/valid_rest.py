"""The valid rest of a file with faults, so that both can be reported at once."""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from gpuinfra.errors import PathPart
from gpuinfra.records import record
from gpuinfra.specs.schema import Stack
from gpuinfra.stackfile.validation_messages import KEY

_ROUNDS: Final = 20
_STAND_INS: Final = {
    "version": 1,
    "name": "unnamed",
    "owner": "unnamed",
    "where": {"cloud": "any", "regions": ["unknown"]},
}


@record(kw_only=False)
class ValidPart:
    """A stack without its faulty parts; `has_location` is False when it has no location left."""

    stack: Stack
    has_location: bool


def valid_part(value: Any, refused: Sequence[Sequence[PathPart]] = ()) -> ValidPart | None:
    """Return the stack without the parts that the grammar refuses; None when too little is left.

    A refused value goes, and with a required one the mapping that needs it. What is left is
    never built: it is only judged, to tell further faults. `refused` are the paths of further
    values that go: names of what the file does not declare.
    """
    if not isinstance(value, dict):
        return None
    value_copy = _deep_copy(value)
    _remove_paths(value_copy, refused)
    for _ in range(_ROUNDS):
        try:
            stack = Stack.model_validate(value_copy)
        except ValidationError as error:
            if not _remove_paths(
                value_copy, [fault["loc"] for fault in error.errors(include_url=False)]
            ):
                return None
        else:
            return ValidPart(stack, has_location=value_copy["where"] is not _STAND_INS["where"])
    return None


def _remove_paths(value: dict[str, Any], paths: Sequence[Sequence[PathPart]]) -> bool:
    """Remove the value at each path, or its holder; return False when nothing would be left."""
    for path in sorted(paths, key=len, reverse=True):
        parts = path[:-1] if path[-1:] == (KEY,) else path
        if len(parts) == 1 and parts[0] in _STAND_INS:
            value[str(parts[0])] = _STAND_INS[str(parts[0])]
        elif not _remove_innermost(value, parts):
            return False
    return True


def _remove_innermost(value: Any, path: Sequence[PathPart]) -> bool:
    """Remove the innermost existing value on a path; return whether there was one."""
    steps: list[tuple[Any, PathPart]] = []
    for part in path:
        if not _contains(value, part):
            break
        steps.append((value, part))
        value = value[part]
    if not steps:
        return False
    holder, at = steps[-1]
    if len(steps) == len(path) == 2 and path[0] == "buckets":  # noqa: PLR2004
        holder[at] = {}  # others may name it
    else:
        holder.pop(at)
    return True


def _contains(value: Any, part: PathPart) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _deep_copy(value: Any) -> Any:
    """Return a deep copy without shared values, so that a removal does not affect aliases."""
    if isinstance(value, dict):
        return {key: _deep_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_deep_copy(item) for item in value]
    return value
