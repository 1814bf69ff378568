"""JSON as its standard has it: no key twice, no NaN, no number without an end."""

import json
from collections import Counter
from typing import Any, Final, NoReturn

from gpuinfra.pulumi_files.faults import FileError

_SHOWN: Final = 60


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping; of a key that is there twice, each reader would take another value."""
    by_key = dict(pairs)
    if len(by_key) != len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise written_twice(twice)
    return by_key


def written_twice(key: str) -> FileError:
    """The fault of a mapping that has a key twice."""
    return FileError(f"{key[:_SHOWN]!r} appears twice in one mapping")


def _no_number(word: str) -> NoReturn:
    raise FileError(f"invalid JSON: {word} is not a number")


DECODER: Final = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once)
"""Raises FileError for what it refuses, and ValueError for a number of thousands of digits."""
