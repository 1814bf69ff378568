"""Declared inputs against lists of values and ranges in the documentation of the SDKs' classes.

Provider schemas have few of them, and service models lack some: docstrings say "Valid values are".
"""

import re
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pulumi._types import _raw_return_hints, input_type_py_to_pulumi_names, is_input_type

from gpuinfra.components.register import arguments_class
from gpuinfra.graph import Resource
from tests.witnesses import values
from tests.witnesses.sdk import alternatives

LIST: Final = re.compile(
    r"(?:valid|possible|allowed|accepted|supported) values?"
    r"(?: are| include)?(?: either| one of)?:?\s+"
    r"((?:[`\"]+[^`\"]+[`\"]+(?: \([^)]*\))?(?:, (?:and |or )?| and | or |\.|$))+)",
    re.IGNORECASE,
)
BOLD: Final = re.compile(r"possible values:((?:\s*<br\s*/?>|\s*\*\*[^*]+\*\*)+)", re.IGNORECASE)
KNOWN: Final = re.compile(r"well known \w+ strings \(([^)]*)\), or the IP protocol number")
QUOTED: Final = re.compile(r"[`\"]+([^`\"]+)[`\"]+")
STARRED: Final = re.compile(r"\*\*([^*]+)\*\*")
RANGE: Final = re.compile(
    r"(?:between|range from|from) `?(\d+)`?(?:\([^)]*\))? (?:and|to) `?(\d+)`?", re.IGNORECASE
)
UNLISTED: Final = {
    "TopicSubscription.protocol": {"email"},  # the same documentation names it further down
    "Fleet.targetCapacitySpecification.defaultTargetCapacityType": {"capacity-block"},  # EC2's API
}
"""Values that the lists lack."""
OUTSIDE: Final = {
    # The same documentation: 0 disables the policy.
    "Bucket.softDeletePolicy.retentionDurationSeconds": {0},
}
"""Values that the ranges lack."""


def complaints(resource: Resource) -> Iterator[str]:
    """What the documentation does not allow of a resource."""
    kind = arguments_class(resource.type)
    yield from _object(kind, values.inputs(resource), resource.type.rpartition(":")[2])


@cache
def limits(kind: type, name: str) -> tuple[tuple[str, ...], range | None]:
    """The values that an input may have and its range, as far as its documentation has them."""
    text = " ".join((getattr(kind, name).__doc__ or "").split())
    listed = LIST.search(text)
    ends = RANGE.search(text)
    bold = BOLD.search(text)
    words = tuple(QUOTED.findall(listed[1])) if listed else ()
    named = KNOWN.search(text)
    words = words or ((*named[1].split(", "), *map(str, range(256))) if named else ())
    words = words or (tuple(STARRED.findall(bold[1])) if bold else ())
    within = range(int(ends[1]), int(ends[2]) + 1) if ends and not words else None
    return (words if len(words) > 1 else ()), within


def _object(kind: type, given: dict[str, Any], path: str) -> Iterator[str]:
    hints = _raw_return_hints(kind)
    names = {camel: snake for snake, camel in input_type_py_to_pulumi_names(kind).items()}
    for key in given.keys() & names.keys():
        place = f"{path}.{key}"
        allowed, within = limits(kind, names[key])
        for value in given[key] if isinstance(given[key], list) else [given[key]]:
            yield from _plain(allowed, within, value, place)
            if isinstance(value, dict):
                for nested in _classes(hints[key]):
                    yield from _object(nested, value, place)


def _plain(
    allowed: tuple[str, ...], within: range | None, value: Any, place: str
) -> Iterator[str]:
    if isinstance(value, str) and allowed and not values.partly(value):
        if value not in {*allowed, *UNLISTED.get(place, ())}:
            yield f"{place}: {value!r} is not documented: {', '.join(allowed[:8])}"
    elif (
        within is not None
        and type(value) is int
        and value not in within
        and value not in OUTSIDE.get(place, ())
    ):
        yield f"{place}: {value} is not within the documented {within[0]} to {within[-1]}"


@cache
def _classes(hint: Any) -> tuple[type, ...]:
    """The classes of objects that a hint takes, alone or in a list."""
    parts = list(alternatives(hint))
    parts += [
        alternative
        for part in parts
        for item in typing.get_args(part)
        for alternative in alternatives(item)
    ]
    return tuple(part for part in parts if isinstance(part, type) and is_input_type(part))
