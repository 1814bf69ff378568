"""The table's cases in which inputs cost nothing: harmless values, by path."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.observing.values import amount, as_list
from gpuinfra.model import Unknown

Allowed = Sequence[Any] | Mapping[str, Any]
"""Values, words in any case and null for none; or `at_most`, `at_most_gib`, `stated` or
`without`."""

_QUANTITY: Final = re.compile(r"(\d+(?:\.\d+)?)([kKMGTPE]?)(i?)")
_DOT: Final = re.compile(r"(?<!\\)\.")
"""The separator of the keys of a path; a dot in a key has a backslash before it."""
_EACH_ITEM: Final = "*"
_BELOW_UNKNOWN: Final = object()
"""What is at a path that leads through an unknown: no value that a case could have."""


def is_harmless(inputs: Any, cases: Sequence[Mapping[str, Allowed]]) -> bool:
    """Return whether inputs meet one of a table's cases; an unknown one meets only `stated`."""
    return any(matches_case(inputs, case) for case in cases)


def matches_case(inputs: Any, case: Mapping[str, Allowed]) -> bool:
    """Return whether the inputs have an allowed value at each path of a case."""
    return all(
        _is_within(value, allowed)
        for path, allowed in case.items()
        for value in values_at(inputs, path)
    )


def shares(inputs: Any, case: Mapping[str, Allowed]) -> Iterator[Decimal]:
    """Yield each amount in the inputs as a share of the most that a case allows of it."""
    for path, allowed in case.items():
        most = _limit_of(allowed)
        for value in values_at(inputs, path) if most else ():
            yield (_number(value, allowed) or Decimal(0)) / most


def values_at(inputs: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path, None for a missing key; an empty path means the inputs.

    `*` stands for each part of a list, and what is below an unknown is no value that is known.
    """
    return _values(inputs, [key.replace("\\", "") for key in _DOT.split(path)] if path else ())


def _values(value: Any, path: Sequence[str]) -> Iterator[Any]:
    if not path or value is None:
        yield value
    elif isinstance(value, Unknown):
        yield _BELOW_UNKNOWN
    elif path[0] == _EACH_ITEM:
        for part in as_list(value):
            yield from _values(part, path[1:])
    else:
        part = value.get(path[0]) if isinstance(value, Mapping) else None
        yield from _values(part, path[1:])


def _is_within(value: Any, allowed: Allowed) -> bool:
    """Return whether a value is listed, or within the limit; a missing amount is within it."""
    if not isinstance(allowed, Mapping):
        return _is_listed(value, allowed)
    if "stated" in allowed:
        return value not in (None, "", _BELOW_UNKNOWN)
    if "without" in allowed:
        return value is None or (isinstance(value, str) and allowed["without"] not in value)
    number = _number(value, allowed)
    return value in (None, "") or (number is not None and number <= _limit_of(allowed))


def _limit_of(allowed: Allowed) -> int:
    """Return the limit of a case; 0 where it allows words."""
    most = allowed if isinstance(allowed, Mapping) else {}
    return int(most.get("at_most_gib", most.get("at_most", 0)))


def _number(value: Any, allowed: Allowed) -> Decimal | None:
    """Return an amount, in the unit of its limit; None for a value that is no amount."""
    if isinstance(allowed, Mapping) and "at_most_gib" in allowed:
        return gib_of(value)
    number = amount(value)
    return number if isinstance(number, Decimal) else None


def _is_listed(value: Any, allowed: Sequence[Any]) -> bool:
    if isinstance(value, str):
        return value.casefold() in {word.casefold() for word in allowed if isinstance(word, str)}
    return any(value is word for word in allowed)


def gib_of(value: Any) -> Decimal | None:
    """Return a Kubernetes quantity in GiB, from bytes or with a suffix; None for other text.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        number = amount(value)
        return number / 2**30 if isinstance(number, Decimal) else None
    base = 1024 if match[3] else 1000
    power = " kMGTPE".index(match[2].replace("K", "k") or " ")
    unit: int = base**power
    return Decimal(match[1]) * unit / 2**30
