"""YAML text as plain values with positions, within limits, and with all faults at once."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.records import record
from gpuinfra.stackfile.scalars import ScalarError, resolve
from gpuinfra.stackfile.source_positions import Place, SourceSpan, SourceSpans
from gpuinfra.stackfile.syntax import faults_of, lines_of

DEEPEST: Final = 32
MOST_REPEATED: Final = 10_000
"""The maximum number of values that aliases may repeat, as protection from alias bombs."""

_HALF: Final = re.compile("[\ud800-\udfff]")
"""Surrogates: what a JSON writer's escapes leave behind; no file and no cloud can hold them."""

MISSING: Final = object()
"""A value that was refused at its position, and so is not judged again."""


@record(kw_only=False)
class ComposedDocument:
    """A file's plain value (None when nothing could be read), its positions, and its faults."""

    value: Any
    spans: SourceSpans
    problems: tuple[Problem, ...]


def compose(text: str, file: str) -> ComposedDocument:
    """Read one YAML document.

    Raises:
        InputError: the text is not YAML, or not within bounds; with the first such fault and
            all that precede it.
    """
    lines = lines_of(text)
    composer = _Composer(SourceSpans(file, lines, SourceSpan((0, 0))))
    try:
        value, root = composer.document(YAML(typ="safe", pure=True).parse(text))
    except YAMLError as error:
        raise InputError([*composer.problems, faults_of(error, file, lines)]) from None
    except _StopError as stop:
        raise InputError([*composer.problems, stop.problem]) from None
    return ComposedDocument(value, SourceSpans(file, lines, root), tuple(composer.problems))


class _StopError(Exception):
    """A fault after which the rest can't be read."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


@dataclass(slots=True, eq=False, repr=False)
class _Composer:
    """The state of one reading: its anchors, its faults, and the size that aliases repeat."""

    spans: SourceSpans
    problems: list[Problem] = field(default_factory=list)
    anchors: dict[str, tuple[Any, SourceSpan] | None] = field(default_factory=dict)
    repeated: int = 0

    def document(self, events: Iterator[Event]) -> tuple[Any, SourceSpan]:
        """Return the only document."""
        root: tuple[Any, SourceSpan] | None = None
        for event in events:
            if not isinstance(event, DocumentStartEvent):
                continue
            if root is not None:
                raise _StopError(
                    self._problem(
                        "the file holds a second document",
                        _start_place(event),
                        fix="keep one document per file",
                    )
                )
            self._directives(event)
            root = self._value(next(events), events, 0)
        return root or (None, self.spans.root)

    def _directives(self, event: DocumentStartEvent) -> None:
        if event.version not in (None, (1, 2)):
            self._fault(
                "the file requests another version of YAML",
                _start_place(event),
                allowed="YAML 1.2",
                fix="remove the line that starts with %YAML",
            )

    def _value(self, event: Event, events: Iterator[Event], depth: int) -> tuple[Any, SourceSpan]:
        mark = SourceSpan(_start_place(event))
        if isinstance(event, AliasEvent):
            return self._alias(str(event.anchor), mark)
        anchor = str(event.anchor) if isinstance(event, NodeEvent) and event.anchor else ""
        if anchor:
            self.anchors[anchor] = None
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag is not None:
            self._fault(
                "YAML tags are not supported",
                mark.place,
                value=str(event.tag),
                fix="remove the word that starts with an exclamation mark",
            )
        if isinstance(event, ScalarEvent):
            value = self._scalar(event, mark)
        else:
            value = self._collection(event, mark, events, depth)
        if anchor:
            self.anchors[anchor] = (value, mark)
        return value, mark

    def _collection(
        self, event: Event, mark: SourceSpan, events: Iterator[Event], depth: int
    ) -> Any:
        if depth >= DEEPEST:
            raise _StopError(
                self._problem(
                    f"values are nested more than {DEEPEST} deep",
                    mark.place,
                    fix="about six levels are enough; close the brackets earlier",
                )
            )
        if isinstance(event, MappingStartEvent):
            return self._mapping(mark, events, depth)
        return self._sequence(mark, events, depth)

    def _mapping(self, mark: SourceSpan, events: Iterator[Event], depth: int) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            key, at = self._value(event, events, depth + 1)
            value, inner = self._value(next(events), events, depth + 1)
            mark.size += inner.size + 1
            if not self._key(key, at, mark.children, plain=getattr(event, "style", "'") is None):
                continue
            mapping[key] = self._refuse_null(value, key, at.place)
            # An alias has its target's value and marks, but a key of its own.
            mark.children[key] = SourceSpan(
                inner.place, at.place, inner.source_text, inner.children, inner.size
            )
        return mapping

    def _sequence(self, mark: SourceSpan, events: Iterator[Event], depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(events), SequenceEndEvent):
            value, item_span = self._value(event, events, depth + 1)
            mark.size += item_span.size
            mark.children[len(items)] = item_span
            items.append(self._refuse_null(value, "", item_span.place))
        return items

    def _scalar(self, event: ScalarEvent, mark: SourceSpan) -> Any:
        mark.source_text = event.value
        if _HALF.search(event.value):
            self._fault(
                "the text contains half of a surrogate pair",
                mark.place,
                value=event.value,
                fix="write the character itself, or its escape with \\U and eight digits",
            )
            return MISSING
        if event.style is not None:
            return event.value
        try:
            return resolve(event.value)
        except ScalarError as error:
            self._fault(
                f"{event.value[:60]!r} {error}",
                mark.place,
                value=event.value,
                fix=error.fix,
                structural=error.structural,
            )
            return MISSING

    def _refuse_null(self, value: Any, key: str, place: Place) -> Any:
        """Return a value, or MISSING with a fault for a null, since no key may be empty."""
        if value is not None:
            return value
        self._fault(
            f"{key[:60]!r} has no value" if key else "an entry of a list has no value",
            place,
            fix="give it one, or remove the line",
            structural=True,
        )
        return MISSING

    def _alias(self, name: str, mark: SourceSpan) -> tuple[Any, SourceSpan]:
        if name not in self.anchors:
            self._fault(
                f"no anchor &{name[:60]} is defined above this line",
                mark.place,
                value=f"*{name}",
                fix="write the value itself, or quote a text that starts with a star",
            )
            return MISSING, mark
        target = self.anchors[name]
        if target is None:
            raise _StopError(
                self._problem(
                    f"&{name[:60]} contains itself", mark.place, fix="write the value out"
                )
            )
        value, inner = target
        self.repeated += inner.size
        if self.repeated > MOST_REPEATED:
            raise _StopError(
                self._problem(
                    "anchors repeat too many values",
                    mark.place,
                    allowed=f"{MOST_REPEATED:,} repeated values",
                    fix="write the values out",
                )
            )
        return value, SourceSpan(mark.place, None, inner.source_text, inner.children, inner.size)

    def _key(
        self, key: Any, at: SourceSpan, taken: dict[PathPart, SourceSpan], *, plain: bool
    ) -> bool:
        """Return whether a key is accepted; record a fault if it is not."""
        if not isinstance(key, str):
            key_text = at.source_text
            self._fault(
                f"{key_text[:60]!r} is a key that is not text"
                if key_text
                else "a key is not text",
                at.place,
                value=key_text,
                fix=f'put it in quotes: "{key_text[:60]}"' if key_text else "write a word",
            )
        elif key == "<<" and plain:
            self._fault(
                "merge keys are not supported",
                at.place,
                value="<<",
                fix="write the keys out; an anchor may still be used for a whole value",
            )
        elif key in taken:
            self._fault(
                f"{key[:60]!r} appears twice in one mapping",
                at.place,
                value=key,
                fix=f"keep one of them: {self._first_place_text(taken[key])}",
            )
        else:
            return True
        return False

    def _first_place_text(self, mark: SourceSpan) -> str:
        line, column = mark.key or mark.place
        return f"the first is in line {line + 1}, column {column + 1}"

    def _fault(
        self,
        message: str,
        place: Place,
        *,
        value: str = "",
        allowed: str = "",
        fix: str = "",
        structural: bool = False,
    ) -> None:
        problem = self._problem(message, place, value=value, allowed=allowed, fix=fix)
        self.problems.append(replace(problem, structural=structural))

    def _problem(
        self, message: str, place: Place, *, value: str = "", allowed: str = "", fix: str = ""
    ) -> Problem:
        position = self.spans.position(place)
        return Problem(message=message, value=value, allowed=allowed, fix=fix, position=position)


def _start_place(event: Event) -> Place:
    return event.start_mark.line, event.start_mark.column


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping unchanged; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}
