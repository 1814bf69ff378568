"""Where each key and value of a file stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpuinfra.errors import PathPart, Position
from gpuinfra.records import record

Place = tuple[int, int]
"""Line and column, both from 0, as the YAML parser counts."""


@dataclass(slots=True)
class SourceSpan:
    """A value's place, its key's place, how it is written, and the marks of what it holds.

    `size` counts the value and everything inside it.
    """

    place: Place
    key: Place | None = None
    written: str = ""
    inside: dict[PathPart, "SourceSpan"] = field(default_factory=dict)
    size: int = 1


@record(kw_only=False)
class SourceSpans:
    """The marks of a whole file."""

    file: str
    lines: Sequence[str]
    root: SourceSpan

    def locate(self, path: Sequence[PathPart]) -> Position | None:
        """The position of the value at a path, or None when the file has no such value."""
        mark = self.find(path)
        return None if mark is None else self.position(mark.place)

    def nearest(self, path: Sequence[PathPart], *, key: bool = False) -> Position:
        """The position of a plain value; else of the key that holds it, or would hold it."""
        mark = self._deepest(path)
        plain = not mark.inside and not (key and self.find(path) is mark)
        return self.position(mark.place if plain or mark.key is None else mark.key)

    def written(self, path: Sequence[PathPart]) -> str:
        """A plain value as it is written (a short form too); empty when it holds others."""
        return self._deepest(path).written

    def find(self, path: Sequence[PathPart]) -> SourceSpan | None:
        """The mark at a path."""
        *_, mark = self._walk(path)
        return mark

    def _deepest(self, path: Sequence[PathPart]) -> SourceSpan:
        """The mark at a path, or of what would hold it."""
        return [mark for mark in self._walk(path) if mark is not None][-1]

    def position(self, place: Place) -> Position:
        """A place for a user: counted from 1, with the line it is in."""
        line, column = place
        text = self.lines[line] if line < len(self.lines) else ""
        return Position(self.file, line + 1, column + 1, text)

    def _walk(self, path: Sequence[PathPart]) -> Iterator[SourceSpan | None]:
        mark: SourceSpan | None = self.root
        yield mark
        for part in path:
            mark = None if mark is None else _inner(mark, part)
            yield mark


def _inner(mark: SourceSpan, part: PathPart) -> SourceSpan | None:
    """What a mark holds under a key; a step `{spot: {region: …}}` has it one level deeper."""
    if part in mark.inside:
        return mark.inside[part]
    if len(mark.inside) == 1:
        [(name, only)] = mark.inside.items()
        return only.inside.get(part) if isinstance(name, str) else None
    return None
