"""Strict JSON as in its standard: no duplicate keys, no NaN, no infinite numbers."""

import json
from collections import Counter
from typing import Any, Final, NoReturn

from gpuinfra.pulumi_files.file_faults import FileError

_MAX_SHOWN: Final = 60


def _unique_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a mapping; refuse duplicate keys."""
    by_key = dict(pairs)
    if len(by_key) != len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise written_twice(twice)
    return by_key


def written_twice(key: str) -> FileError:
    """Return the fault of a mapping with a duplicate key."""
    return FileError(f"{key[:_MAX_SHOWN]!r} appears twice in one mapping")


def _no_number(number_text: str) -> NoReturn:
    raise FileError(f"invalid JSON: {number_text} is not a number")


DECODER: Final = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_unique_mapping)
"""Raises FileError for what it refuses, and ValueError for a number of thousands of digits."""
