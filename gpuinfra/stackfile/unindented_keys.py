"""Keys that stand beside the key that they belong to, since they are not indented below it."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from gpuinfra.errors import PathPart, Position, Problem
from gpuinfra.records import record
from gpuinfra.stackfile.grammar import form_at, keys_of
from gpuinfra.stackfile.source_positions import SourceSpan
from gpuinfra.stackfile.yaml_composer import MISSING, ComposedDocument


@record
class _UnindentedKeys:
    """A key without a value, and the keys after it that belong below it."""

    path: tuple[PathPart, ...]
    position: Position
    keys: tuple[str, ...]
    lines: range

    @property
    def problem(self) -> Problem:
        """The problem that takes the place of those about each key."""
        name = self.path[-1]
        return Problem(
            message=f"the keys of {str(name)!r} are not indented below it",
            path=self.path,
            fix=f"indent {_lines_text(self.lines)} below {name}",
            position=self.position,
            structural=True,
        )

    def causes(self, problem: Problem) -> bool:
        """Return whether a problem only follows: of the missing value, or of a key beside it."""
        *parent, _ = self.path
        beside = {(*parent, key) for key in self.keys}
        return problem.path[: len(self.path)] in beside or problem.position == self.position


def merge_unindented_keys(
    problems: Sequence[Problem], read: ComposedDocument
) -> tuple[Problem, ...]:
    """Return problems with one in place of all that follow from keys that are not indented."""
    causes = tuple(_unindented_keys(read.value, read.spans.root, (), read))
    rest = (problem for problem in problems if not any(cause.causes(problem) for cause in causes))
    return (*(cause.problem for cause in causes), *rest)


def _unindented_keys(
    value: object, span: SourceSpan, path: tuple[PathPart, ...], read: ComposedDocument
) -> Iterator[_UnindentedKeys]:
    """Yield the keys without a value in a mapping and in those inside it, with what follows."""
    if not isinstance(value, dict):
        return
    names = list(value)
    for at, name in enumerate(names):
        inner = span.children.get(name)
        if inner is None or inner.key is None:
            continue
        if value[name] is not MISSING:
            yield from _unindented_keys(value[name], inner, (*path, name), read)
            continue
        keys = _following_keys(names[at + 1 :], (*path, name), span)
        if keys:
            lines = [line for key in keys for line in _lines_of(span.children[key])]
            yield _UnindentedKeys(
                path=(*path, name),
                position=read.spans.position(inner.key),
                keys=keys,
                lines=range(min(lines), max(lines) + 1),
            )


def _following_keys(
    names: Sequence[str], path: tuple[PathPart, ...], span: SourceSpan
) -> tuple[str, ...]:
    """Return the keys that directly follow one without a value and can only belong below it."""
    form, outer = form_at(path), form_at(path[:-1])
    if form is None:
        return ()
    own = {*keys_of(form)} - {*(keys_of(outer) if outer else ())}
    column = _column(span.children[path[-1]])
    return tuple(
        takewhile(lambda name: name in own and _column(span.children[name]) == column, names)
    )


def _column(span: SourceSpan) -> int | None:
    return None if span.key is None else span.key[1]


def _lines_of(span: SourceSpan) -> Iterator[int]:
    """Yield the lines, from 1, of a key, its value and all that is inside it."""
    yield from (place[0] + 1 for place in (span.key, span.place) if place is not None)
    for inner in span.children.values():
        yield from _lines_of(inner)


def _lines_text(lines: range) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {lines[0]} {'and' if len(lines) == 2 else 'to'} {lines[-1]}"  # noqa: PLR2004
