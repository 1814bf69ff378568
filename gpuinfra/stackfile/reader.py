"""A stack file into a `Stack`, with the place of everything in it."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.records import record
from gpuinfra.specs.schema import Stack
from gpuinfra.stackfile.composing import Composed, compose
from gpuinfra.stackfile.files import checked, in_order, placed, text_in, unreadable
from gpuinfra.stackfile.marks import Marks
from gpuinfra.stackfile.references import bucket_problems, reference_problems
from gpuinfra.stackfile.salvage import Salvage, salvage

FILE_NAME: Final = "stack.yaml"
PROJECT_FILES: Final = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")
"""What the engine takes for a program's project file, in its order.

https://github.com/pulumi/pulumi/blob/master/sdk/go/common/workspace/paths.go
"""

NAME_ONE: Final = "name a stack file or its folder"


@record(kw_only=False)
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
    try:
        text = text_in(source, NAME_ONE)
    except InputError as error:
        raise StackFileError(error.problems) from None
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
    stack, problems = checked(composed, Stack)
    left = Salvage(stack, placed=True) if stack is not None else salvage(composed.value)
    problems = in_order((*composed.problems, *problems, *_references(composed, left)))
    rest = _document(left.stack, composed, text) if left and left.placed else None
    if problems or rest is None:
        raise StackFileError(problems, rest)
    return rest


def with_positions(problems: Iterable[Problem], document: Document) -> tuple[Problem, ...]:
    """Problems that know their path, with their place in the file, in the file's order.

    One without a path is not about the file, for example an option of the command line.
    """
    return in_order(
        placed(problem, document.marks) if problem.path else problem for problem in problems
    )


def found(path: Path) -> Path:
    """The file that a source names: the file itself, or the `stack.yaml` of a folder.

    Raises:
        StackFileError: there is none.
    """
    try:
        folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116  (is_dir hides why not)
    except (OSError, ValueError) as error:
        raise _lost(path, error) from None
    if not folder:
        return path
    file = path / FILE_NAME
    try:
        names = {one.name for one in path.iterdir()}
    except OSError as error:
        raise _lost(path, error) from None
    if FILE_NAME in names:
        return file
    raise _nothing_in(path, names)


def _references(composed: Composed, left: Salvage | None) -> tuple[Problem, ...]:
    """What does not fit together, as far as anything is left to judge."""
    found = (
        *bucket_problems(composed.value),
        *(reference_problems(left.stack) if left else ()),
    )
    return tuple(placed(problem, composed.marks) for problem in found)


def _document(stack: Stack, composed: Composed, text: str) -> Document:
    marks = composed.marks
    return Document(stack, Path(marks.file), marks.locate, text, marks)


def _lost(path: Path, error: OSError | ValueError) -> StackFileError:
    return StackFileError([unreadable(path, error, f"{NAME_ONE}; gpuinfra init writes one")])


def _nothing_in(path: Path, names: set[str]) -> StackFileError:
    if "stack.yml" in names:
        return _file_error(f"{path} has stack.yml, not {FILE_NAME}", f"rename it to {FILE_NAME}")
    if names & set(PROJECT_FILES):
        return _file_error(
            f"{path} is a Pulumi program without {FILE_NAME}",
            f"run gpuinfra check {path} for a Pulumi program; this command reads only a "
            "stack file",
        )
    return _file_error(
        f"{path} has neither {FILE_NAME} nor Pulumi.yaml",
        "name a stack file or its folder; gpuinfra init writes one",
    )


def _file_error(message: str, fix: str) -> StackFileError:
    return StackFileError([Problem(message=message, fix=fix)])
