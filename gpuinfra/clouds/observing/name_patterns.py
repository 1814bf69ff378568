"""The name patterns of clouds, and the messages for names that don't match."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.tables import Tables, rows_of
from gpuinfra.model import Defect, Resource
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.clouds.observing.launch_sources import LaunchSources

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
    for pattern, fault_text in form.never:
        if pattern.search(value):
            yield f"{form.content} {short_value!r}: {fault_text}"


@dataclass(frozen=True)
class NameTable:
    """The names that a cloud takes, by its table `names`.

    Args:
        cloud: whose they are.
        tables: the cloud's, with `names`.
        canonical: returns the current token of a type.
    """

    cloud: str
    tables: Tables
    canonical: Callable[[str], str]

    def faults(self, *resources: Resource) -> tuple[str, ...]:
        """Return the faults of the names of resources that have rows of their own."""
        names = (self._names_of(resource, alone=False) for resource in resources)
        return faults(chain.from_iterable(names))

    def group_faults(
        self, resource: Resource, launches: "Iterable[LaunchSources]"
    ) -> tuple[str, ...]:
        """Return the faults of a group's name and of its templates' names."""
        layers = (layer for launch in launches for layer in launch.layers)
        return self.faults(
            resource, *(other_layer for other_layer in layers if other_layer.urn != resource.urn)
        )

    def form(self, kind: str, key: str) -> NamePattern:
        """Return the pattern of the name in an input of a type."""
        return next(form for name, form, _ in self._forms[kind] if name == key)

    def defects(self, resources: Iterable[Resource]) -> Iterator[Defect]:
        """Yield the resources without own rows whose names the cloud refuses."""
        for resource in resources:
            name_faults = faults(self._names_of(resource, alone=True))
            if name_faults:
                yield Defect(
                    name=resource.name,
                    subject=resource.urn,
                    cloud=self.cloud,
                    faults=rule_faults("valid-names", name_faults),
                )

    def _names_of(self, resource: Resource, *, alone: bool) -> Iterator[tuple[NamePattern, Any]]:
        """Yield the names of a resource with rows of its own; with `alone`, of one without any."""
        for key, form, is_alone in self._forms.get(self.canonical(resource.type), ()):
            if is_alone is alone:
                yield form, resource.inputs.get(key)

    @cached_property
    def _forms(self) -> Mapping[str, Sequence[tuple[str, NamePattern, bool]]]:
        forms: dict[str, list[tuple[str, NamePattern, bool]]] = {}
        for row in rows_of(self.tables.table("names")):
            never = tuple((re.compile(pattern), words) for pattern, words in row["never"])
            pattern = re.compile(row["pattern"], re.ASCII)
            form = NamePattern(row["content"], pattern, row["allowed"], never)
            forms.setdefault(row["type"], []).append((row["input"], form, row["alone"]))
        return forms


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
    name_match = first.match(name)
    for part in middle:
        # The earliest place leaves the most of the name: no other one has to be tried.
        name_match = part.search(name, name_match.end()) if name_match else None
    last_start = len(name) - len(pattern.rpartition("*")[2])
    return (
        name_match is not None
        and last_start >= name_match.end()
        and last.match(name, last_start) is not None
    )


@lru_cache(maxsize=4096)
def _pattern_parts(pattern: str) -> tuple[re.Pattern[str], ...]:
    """Return the parts of a pattern between its stars, each of a fixed length."""
    return tuple(
        re.compile("".join("." if char == "?" else re.escape(char) for char in part), re.DOTALL)
        for part in pattern.split("*")
    )
