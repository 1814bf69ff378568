"""A stack file into a `Stack`, with the place of everything in it."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.stackfile.composing import MISSING, Composed, compose
from gpuinfra.stackfile.marks import Marks
from gpuinfra.stackfile.references import bucket_problems, reference_problems
from gpuinfra.stackfile.salvage import Salvage, salvage
from gpuinfra.stackfile.schema import Stack
from gpuinfra.stackfile.syntax import LONGEST_FILE, text_of
from gpuinfra.stackfile.wording import KEY, problems_of

FILE_NAME: Final = "stack.yaml"

_SHOWN: Final = 200

_REASONS: Final = {
    errno.EACCES: ("may not be read", "ask for read permission, for example chmod u+r"),
    errno.ELOOP: ("is a symbolic link that leads to itself", "name the real file"),
    errno.ENAMETOOLONG: ("is too long a name", "name a stack file or its folder"),
    errno.ENOENT: ("does not exist", "name a stack file or its folder; gpuinfra init writes one"),
    errno.ENOTDIR: ("does not exist", "a part of the path is a file, not a folder"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """A stack and the file it came from.

    `locate` gives the position of the value at a path, None when the file does not have it.
    """

    stack: Stack
    path: Path
    locate: Callable[[Sequence[PathPart]], Position | None]
    text: str
    marks: Marks


class StackFileError(InputError):
    """A stack file with faults; `rest` has what is left without them, for planning to judge."""

    def __init__(self, problems: Sequence[Problem], rest: Document | None = None) -> None:
        self.rest = rest
        super().__init__(problems)


def read(path: Path | str = ".") -> Document:
    """Read a stack file, or the `stack.yaml` of a folder.

    Raises:
        StackFileError: it can't be read, or it has faults: all of them, with their places.
    """
    source = found(Path(path))
    text, fault = text_of(_bytes(source), str(source))
    if fault is not None:
        raise StackFileError([fault])
    return loads(text, str(source))


def loads(text: str, file: str = "<text>") -> Document:
    """Read a stack from text; `file` is what messages call it.

    Raises:
        StackFileError: with every fault and its place.
    """
    try:
        composed = compose(text, file)
    except InputError as error:
        raise StackFileError(error.problems) from None
    stack, problems = _checked(composed)
    left = Salvage(stack, placed=True) if stack is not None else salvage(composed.value)
    problems = _ordered((*composed.problems, *problems, *_references(composed, left)))
    rest = _document(left.stack, composed, text) if left and left.placed else None
    if problems or rest is None:
        raise StackFileError(problems, rest)
    return rest


def with_positions(problems: Iterable[Problem], document: Document) -> tuple[Problem, ...]:
    """Problems that know their path, with their place in the file, in the file's order.

    One without a path is not about the file, such as an option of the command line.
    """
    return _ordered(
        _placed(problem, document.marks) if problem.path else problem for problem in problems
    )


def found(path: Path) -> Path:
    """The file that a source names: the file itself, or the `stack.yaml` of a folder.

    Raises:
        StackFileError: there is none.
    """
    try:
        folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116  (is_dir hides why not)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if not folder:
        return path
    file = path / FILE_NAME
    try:
        names = {one.name for one in path.iterdir()}
    except OSError as error:
        raise _unreadable(path, error) from None
    if FILE_NAME in names:
        return file
    raise _nothing_in(path, names)


def _bytes(path: Path) -> bytes:
    """A file's content, one byte beyond what is accepted at most."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            raise _file_error(f"{path} is not a file of text", "name a stack file or its folder")
        with path.open("rb") as stream:
            return stream.read(LONGEST_FILE + 1)
    except OSError as error:
        raise _unreadable(path, error) from None


def _checked(composed: Composed) -> tuple[Stack | None, tuple[Problem, ...]]:
    """The stack, or None; and what is wrong with it."""
    marks = composed.marks
    if composed.value is None:
        fault = Problem(
            message="the file is empty",
            allowed="a mapping that starts with version: 1",
            fix="gpuinfra init writes a commented example",
            position=Position(marks.file, 1, 1),
            structural=True,
        )
        return None, (fault,)
    try:
        return Stack.model_validate(composed.value), ()
    except ValidationError as error:
        faults = problems_of(error, skip=MISSING)
        return None, tuple(_placed(fault, marks) for fault in faults)


def _references(composed: Composed, left: Salvage | None) -> tuple[Problem, ...]:
    """What does not fit together, as far as anything is left to judge."""
    found = (
        *bucket_problems(composed.value),
        *(reference_problems(left.stack) if left else ()),
    )
    return tuple(_placed(problem, composed.marks) for problem in found)


def _document(stack: Stack, composed: Composed, text: str) -> Document:
    marks = composed.marks
    return Document(stack, Path(marks.file), marks.locate, text, marks)


def _placed(problem: Problem, marks: Marks) -> Problem:
    """A problem with its place, and its value (or its key, when that is wrong) as written."""
    if problem.position is not None:
        return problem
    named = problem.path[-1:] == (KEY,)
    path = problem.path[:-1] if named else problem.path
    return replace(
        problem,
        path=path,
        value=str(path[-1]) if named else marks.written(path) or problem.value,
        position=marks.nearest(path, key=named),
    )


def _ordered(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once, in the order of the file."""
    once = {
        (one.message, one.position.line, one.position.column) if one.position else one.message: one
        for one in problems
    }
    return tuple(sorted(once.values(), key=_order))


def _order(problem: Problem) -> tuple[int, int]:
    at = problem.position
    return (at.line, at.column) if at else (0, 0)


def _nothing_in(path: Path, names: set[str]) -> StackFileError:
    if "stack.yml" in names:
        return _file_error(f"{path} has stack.yml, not {FILE_NAME}", f"rename it to {FILE_NAME}")
    if "Pulumi.yaml" in names:
        return _file_error(
            f"{path} is a Pulumi program without {FILE_NAME}",
            "not yet: judge it by the packs, pulumi preview --policy-pack policies/budget",
        )
    return _file_error(
        f"{path} has neither {FILE_NAME} nor Pulumi.yaml",
        "name a stack file or its folder; gpuinfra init writes one",
    )


def _unreadable(path: Path, error: OSError | ValueError) -> StackFileError:
    code = error.errno if isinstance(error, OSError) else None
    reason, fix = _REASONS.get(
        code or 0, (f"can't be read: {getattr(error, 'strerror', None) or error}", "name a file")
    )
    return _file_error(f"{str(path)[:_SHOWN]} {reason}", fix)


def _file_error(message: str, fix: str) -> StackFileError:
    return StackFileError([Problem(message=message, fix=fix)])
