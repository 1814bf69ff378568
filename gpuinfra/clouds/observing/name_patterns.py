"""The name patterns of clouds, and the messages for names that don't match."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Final

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import Defect, Resource
from gpuinfra.records import record

PROBE_NAME: Final = "q7zzq7zz"
"""A placeholder name that only a match-all pattern matches."""

_REFERENCE: Final = "${"
"""The placeholder in a name that a stack file's graph makes of another resource's output."""

_MAX_NAME_LENGTH: Final = 80
"""The maximum length of a name in a message."""


@record(kw_only=False)
class NamePattern:
    """The pattern of a kind of name.

    Attributes:
        content: the thing with such a name, as a message calls it.
        pattern: that the whole name matches.
        allowed: the same in words.
        never: patterns that no such name contains, each with the words for it.
    """

    content: str
    pattern: re.Pattern[str]
    allowed: str
    never: tuple[tuple[re.Pattern[str], str], ...] = field(default=())


def faults(forms: Iterable[tuple[NamePattern, Any]]) -> tuple[str, ...]:
    """Return each name that its cloud refuses; one that is not known yet is no fault.

    The engine names what has no name, in a form that the cloud takes.
    """
    return tuple(dict.fromkeys(fault for form, value in forms for fault in _faults(form, value)))


def _faults(form: NamePattern, value: Any) -> Iterator[str]:
    if not isinstance(value, str) or not value or _REFERENCE in value:
        return
    short_value = value if len(value) <= _MAX_NAME_LENGTH else f"{value[:_MAX_NAME_LENGTH]}…"
    if not form.pattern.fullmatch(value):
        yield f"{form.content} {short_value!r}: allowed are {form.allowed}"
        return
    for pattern, words in form.never:
        if pattern.search(value):
            yield f"{form.content} {short_value!r}: {words}"


NamedTypes = Mapping[str, tuple[NamePattern, str]]
"""The pattern of a type's name and the input that has it, by canonical type."""


def name_defects(
    cloud: str, resources: Iterable[Resource], types: NamedTypes, canonical: Callable[[str], str]
) -> Iterator[Defect]:
    """Yield the resources without own rows whose names the cloud refuses."""
    for resource in resources:
        known = types.get(canonical(resource.type))
        refused = faults(((known[0], resource.inputs.get(known[1])),)) if known else ()
        if refused:
            yield Defect(
                name=resource.name,
                subject=resource.urn,
                cloud=cloud,
                faults=rule_faults("valid-names", refused),
            )


def matches_pattern(pattern: str, name: str, *, ignore_case: bool = False) -> bool:
    """Return whether a name fits a pattern, where `*` is any text and `?` any one character.

    Nothing else has a meaning of its own, brackets for example, and each may stand for a line end.
    """
    if ignore_case:
        pattern, name = pattern.lower(), name.lower()
    if not ("*" in pattern or "?" in pattern):
        return name == pattern
    first, *further = _pattern_parts(pattern)
    if not further:
        return first.fullmatch(name) is not None
    *middle, last = further
    at = first.match(name)
    for part in middle:
        # The earliest place leaves the most of the name: no other one has to be tried.
        at = part.search(name, at.end()) if at else None
    rest = len(name) - len(pattern.rpartition("*")[2])
    return at is not None and rest >= at.end() and last.match(name, rest) is not None


@lru_cache(maxsize=4096)
def _pattern_parts(pattern: str) -> tuple[re.Pattern[str], ...]:
    """Return the parts of a pattern between its stars, each of a fixed length."""
    return tuple(
        re.compile("".join("." if char == "?" else re.escape(char) for char in part), re.DOTALL)
        for part in pattern.split("*")
    )
