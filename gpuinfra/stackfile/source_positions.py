"""The source position of each key and value of a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpuinfra.errors import PathPart, Position
from gpuinfra.records import record

Place = tuple[int, int]
"""Line and column, both from 0, as the YAML parser counts."""


@dataclass(slots=True)
class SourceSpan:
    """The positions of a value and its key, its source text, and the spans inside it.

    `size` counts the value and everything inside it.
    """

    place: Place
    key: Place | None = None
    source_text: str = ""
    children: dict[PathPart, "SourceSpan"] = field(default_factory=dict)
    size: int = 1


@record(kw_only=False)
class SourceSpans:
    """The spans of a whole file."""

    file: str
    lines: Sequence[str]
    root: SourceSpan

    def locate(self, path: Sequence[PathPart]) -> Position | None:
        """Return the position of the value at a path; None when the file has no such value."""
        mark = self.find(path)
        return None if mark is None else self.position(mark.place)

    def nearest(self, path: Sequence[PathPart], *, key: bool = False) -> Position:
        """Return the position of a plain value, else of the key that has or would have it."""
        mark = self._deepest_span(path)
        is_leaf = not mark.children and not (key and self.find(path) is mark)
        return self.position(mark.place if is_leaf or mark.key is None else mark.key)

    def source_text(self, path: Sequence[PathPart]) -> str:
        """Return a plain value as it is written (also a short form); empty for a collection."""
        return self._deepest_span(path).source_text

    def find(self, path: Sequence[PathPart]) -> SourceSpan | None:
        """Return the span at a path; None if there is none."""
        *_, mark = self._walk(path)
        return mark

    def _deepest_span(self, path: Sequence[PathPart]) -> SourceSpan:
        """Return the span at a path, or of the innermost existing value on it."""
        return [mark for mark in self._walk(path) if mark is not None][-1]

    def position(self, place: Place) -> Position:
        """Return a place as a position for a user: counted from 1, with its line."""
        line, column = place
        text = self.lines[line] if line < len(self.lines) else ""
        return Position(self.file, line + 1, column + 1, text)

    def _walk(self, path: Sequence[PathPart]) -> Iterator[SourceSpan | None]:
        mark: SourceSpan | None = self.root
        yield mark
        for part in path:
            mark = None if mark is None else _inner_span(mark, part)
            yield mark


def _inner_span(mark: SourceSpan, part: PathPart) -> SourceSpan | None:
    """Return the span under a key, or one level deeper in a step like `{spot: {region: …}}`."""
    if part in mark.children:
        return mark.children[part]
    if len(mark.children) == 1:
        [(name, only)] = mark.children.items()
        return only.children.get(part) if isinstance(name, str) else None
    return None
