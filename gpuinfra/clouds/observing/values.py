"""Readers of provider inputs: numbers, flags and lists as written, with unknowns kept."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar

from gpuinfra.model import UNKNOWN, Known, Unknown

_Number = TypeVar("_Number", int, Decimal)

MAX_NUMBER: Final = 10**18
"""No cloud counts further; what claims to, for example 1e999999, is nothing to reckon with."""


def read_json(text: str, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the content of a JSON text; UNKNOWN where it can't be read.

    Args:
        text: of any depth.
        pairs_hook: what to make of each object's pairs; a dictionary without it.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs_hook)
    except (ValueError, RecursionError):
        return UNKNOWN


def entries_of(document: Any, key: str) -> Iterator[Any]:
    """Yield the list under a key of a policy or its JSON text; UNKNOWN where it can't be read."""
    content = read_json(document) if isinstance(document, str) else document
    if isinstance(content, Unknown):
        yield UNKNOWN
    else:
        yield from as_list(at(content, key))


def is_on(value: Any) -> Known:
    """Return whether a flag is set; False for one that is not stated."""
    fact = flag(value)
    return False if fact is None else fact


def at(value: Any, *keys: str) -> Any:
    """Return the value under `keys`; None where a key is missing, UNKNOWN below an unknown."""
    for key in keys:
        if value is None:
            return None
        # A dictionary first: asking for any mapping takes four times as long.
        if isinstance(value, (dict, Mapping)):
            value = value.get(key)
        else:
            return UNKNOWN if isinstance(value, Unknown) else None
    return value


def as_list(value: Any) -> tuple[Any, ...]:
    """Return a list's items; empty for None, a single item for any other value."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return (value,)


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text inside a value, except the keys of mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple, Mapping)):
        for part in value.values() if isinstance(value, (dict, Mapping)) else value:
            yield from texts_in(part)


def unknown_inside(value: Any) -> bool:
    """Return whether any part of the value is unknown; during an update no part is."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, Mapping):
        return any(map(unknown_inside, value.values()))
    return isinstance(value, list) and any(map(unknown_inside, value))


def amount(value: Any) -> Decimal | Unknown | None:
    """Return a number written as a number or as text; UNKNOWN for anything else, None for None."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return UNKNOWN
    try:
        number = Decimal(int(value) if _is_whole(value) else str(value).strip())
    except InvalidOperation:
        return UNKNOWN
    return number if number.is_finite() and 0 <= number <= MAX_NUMBER else UNKNOWN


def _is_whole(value: Any) -> bool:
    """Return whether a number is a float without a fraction: 900.0, which was written 900."""
    return isinstance(value, float) and value.is_integer()


def whole_number(value: Any) -> int | Unknown | None:
    """Return a whole number; the engine's wire format has only floating point."""
    number = amount(value)
    if number is None or isinstance(number, Unknown):
        return number
    return int(number) if number == number.to_integral_value() else UNKNOWN


def whole_or(value: Any, default: int | Unknown) -> int | Unknown:
    """Return a whole number, or the default for one that is not stated."""
    number = whole_number(value)
    return default if number is None else number


def largest(numbers: Sequence[_Number | Unknown]) -> _Number | Unknown:
    """Return the largest number; UNKNOWN where any is."""
    known_numbers = [number for number in numbers if not isinstance(number, Unknown)]
    return max(known_numbers) if len(known_numbers) == len(numbers) else UNKNOWN


def flag(value: Any) -> bool | Unknown | None:
    """Return a boolean; launch templates write theirs as text ("true")."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    return UNKNOWN


def is_present(value: Any) -> Known:
    """Return whether a value is given; an empty mapping is none."""
    return UNKNOWN if isinstance(value, Unknown) else value not in (None, "", [], {})


def text(value: Any) -> str | Unknown | None:
    """Return text; None for None and for the empty text."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else UNKNOWN


def all_stated(facts: Iterable[Known | None]) -> Known | None:
    """Return whether all facts that are not None are true; None without any."""
    stated = [fact for fact in facts if fact is not None]
    return all_of(stated) if stated else None


def any_of(facts: Iterable[Known]) -> Known:
    """Return True when one is true, UNKNOWN when one might be, else False.

    It looks no further than the first that is true.
    """
    settled: Known = False
    for fact in facts:
        if fact is True:
            return True
        if fact is UNKNOWN:
            settled = UNKNOWN
    return settled


def all_of(facts: Iterable[Known]) -> Known:
    """Return False when one is false, UNKNOWN when one might be, else True.

    It looks no further than the first that is false.
    """
    return opposite(any_of(map(opposite, facts)))


def opposite(fact: Known | None) -> Known:
    """Return the opposite of a fact; True for a flag that is not written, UNKNOWN stays."""
    return fact if isinstance(fact, Unknown) else not fact


def equals(value: Any, expected: Any) -> Known:
    """Return whether a value equals the expected one; UNKNOWN for an unknown value."""
    return UNKNOWN if isinstance(value, Unknown) else bool(value == expected)
