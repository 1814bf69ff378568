"""The reader of a stack file, which keeps the position of every value."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gpuinfra.errors import InputError, PathPart, Position, Problem, command_line, named_as
from gpuinfra.records import record
from gpuinfra.similar_words import close_matches, nearest
from gpuinfra.specs.schema import SECTIONS, Stack
from gpuinfra.stackfile.defaults import (
    EMPTY,
    Default,
    FilledStack,
    Kept,
    explain_default,
    fill_defaults,
)
from gpuinfra.stackfile.file_names import FILE_NAME, PROJECT_FILES, free_folder
from gpuinfra.stackfile.files import (
    read_problem,
    sort_problems,
    text_in,
    validate_file,
    with_position,
)
from gpuinfra.stackfile.references import bucket_problems, reference_problems
from gpuinfra.stackfile.source_positions import SourceSpans
from gpuinfra.stackfile.valid_rest import ValidPart, valid_part
from gpuinfra.stackfile.yaml_composer import ComposedDocument, compose
from gpuinfra.units.message_merging import first_in_words

NAME_ONE: Final = "name a stack file or its folder"


@record(kw_only=False)
class StackDocument:
    """A stack and the file that it was read from.

    `locate` gives the position of the value at a path, None when the file does not have it.
    `defaults` are the values that the file leaves out and that its surroundings gave.
    """

    stack: Stack
    path: Path
    locate: Callable[[Sequence[PathPart]], Position | None]
    text: str
    spans: SourceSpans
    defaults: tuple[Default, ...] = ()


class StackFileError(InputError):
    """The faults of a stack file.

    `rest` is the stack without them, for planning to judge; `composed` is all of the file.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        valid_document: StackDocument | None = None,
        composed: ComposedDocument | None = None,
    ) -> None:
        self.rest, self.composed = valid_document, composed
        super().__init__(problems)


def read_stack_file(
    path: Path | str = ".", kept: Callable[[Path], Kept] = lambda _: EMPTY
) -> StackDocument:
    """Read a stack file, or the `stack.yaml` of a folder.

    Args:
        path: the file or its folder.
        kept: what an earlier reading of a file found for the keys that it leaves out.

    Raises:
        StackFileError: it can't be read, or it has faults: all of them, with their places.
    """
    source = file_of(Path(path))
    try:
        text = text_in(source, NAME_ONE)
    except InputError as error:
        raise StackFileError(error.problems) from None
    return _read_text(
        text, str(source), lambda value: fill_defaults(value, source.parent, kept(source))
    )


def loads(text: str, file: str = "<text>") -> StackDocument:
    """Read a stack from text, which has no folder; `file` is its name in messages.

    Raises:
        StackFileError: with every fault and its place.
    """
    return _read_text(text, file, fill_defaults)


def _read_text(text: str, file: str, fill: Callable[[Any], FilledStack]) -> StackDocument:
    """Return the stack in a text, with missing keys filled in.

    Raises:
        StackFileError: with every fault and its place.
    """
    try:
        read = compose(text, file)
    except InputError as error:
        raise StackFileError(error.problems) from None
    _refuse_other_tools(read.value, file)
    filled = fill(read.value)
    composed = replace(read, value=filled.value)
    stack, problems = validate_file(composed, Stack)
    undeclared = tuple(bucket_problems(composed.value))
    valid = (
        ValidPart(stack, has_location=True)
        if stack is not None and not undeclared
        else valid_part(composed.value, [problem.path for problem in undeclared])
    )
    other_problems = (
        *filled.problems,
        *undeclared,
        *(reference_problems(valid.stack, composed.value) if valid else ()),
    )
    unmerged_problems = (
        *composed.problems,
        *problems,
        *(with_position(problem, composed.spans) for problem in other_problems),
    )
    every_problem = _merge_problems(unmerged_problems, read) if problems else unmerged_problems
    problems = sort_problems(
        explain_default(problem, filled.defaults) for problem in every_problem
    )
    valid_document = (
        _document(valid.stack, composed, text, filled) if valid and valid.has_location else None
    )
    if problems or valid_document is None:
        raise StackFileError(problems, valid_document, read)
    return valid_document


def _merge_problems(problems: Sequence[Problem], read: ComposedDocument) -> tuple[Problem, ...]:
    """Return problems with one in place of all that follow from the same mistake."""
    from gpuinfra.stackfile.unindented_keys import merge_unindented_keys  # noqa: PLC0415  (only of a mistake)
    from gpuinfra.stackfile.unnamed_sections import merge_unnamed_sections  # noqa: PLC0415

    return merge_unnamed_sections(merge_unindented_keys(problems, read), read)


def _refuse_other_tools(value: Any, file: str) -> None:
    """Refuse a file of another tool.

    Raises:
        StackFileError: it is one.
    """
    if not isinstance(value, dict) or value.keys() & {*SECTIONS}:
        return
    from gpuinfra.stackfile.other_tools import other_tool_problem  # noqa: PLC0415  (seldom)

    other = other_tool_problem(value, file)
    if other is not None:
        raise StackFileError([other])


def with_positions(problems: Iterable[Problem], document: StackDocument) -> tuple[Problem, ...]:
    """Return problems with their position in the file, in the order of the file.

    One without a path is not about the file, for example an option of the command line.
    """
    return sort_problems(
        with_position(explain_default(problem, document.defaults), document.spans)
        if problem.path
        else problem
        for problem in problems
    )


def file_of(path: Path) -> Path:
    """Return the file that a source names: the file itself, or the `stack.yaml` of a folder.

    Raises:
        StackFileError: there is none.
    """
    try:
        folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116  (is_dir hides why not)
    except (OSError, ValueError) as error:
        raise _read_error(path, error) from None
    if not folder:
        if path.suffix == ".py":
            raise _file_error(
                f"{path} is a Python program, not a stack file",
                f"for a Pulumi program, check its folder: {command_line('check', path.parent)}",
            )
        kind = NOT_STACKS.get(path.suffix.lower())
        if kind is not None:
            raise _file_error(f"{path} is {kind}, not a stack file", NAME_ONE)
        return named_as(path, path)
    file = path / FILE_NAME
    try:
        names = {entry.name for entry in path.iterdir()}
    except OSError as error:
        raise _read_error(path, error) from None
    if FILE_NAME in names:
        return named_as(file, path)
    raise _nothing_in(path, names)


NOT_STACKS: Final = {
    **dict.fromkeys((".html", ".htm"), "an HTML page, for example a report of gpuinfra"),
    ".md": "a Markdown file",
    ".pdf": "a PDF file",
    ".txt": "a text file",
}
"""The file types that are not stack files, by file name ending."""


def _document(
    stack: Stack, composed: ComposedDocument, text: str, filled: FilledStack
) -> StackDocument:
    spans = composed.spans
    return StackDocument(stack, Path(spans.file), spans.locate, text, spans, filled.defaults)


def _read_error(path: Path, error: OSError | ValueError) -> StackFileError:
    if str(path) == "-":
        return _file_error(
            "standard input is not read",
            f"name a file: `pulumi preview --json --show-sames > preview.json`, then "
            f"`{command_line('check', 'preview.json')}`",
        )
    problem = read_problem(path, error, f"{NAME_ONE}; {_init(path)} writes one")
    stacks = _stacks(path.parent)
    nearest_name = nearest(path.name, [name for name in stacks if name[:1] == path.name[:1]])
    nearest_name = nearest_name or next(iter(close_matches(path.name, stacks)), "")
    if nearest_name:  # a misspelt name: its reader wants the stack that is there, and no new one
        nearest_problem = replace(
            problem, suggestion=str(path.with_name(nearest_name)), fix=NAME_ONE
        )
        return StackFileError([nearest_problem])
    return StackFileError([problem])


def _init(path: Path) -> str:
    """Return the command that writes a stack file, in the folder that is named, if any."""
    folder_arguments = (free_folder(),) if Path(FILE_NAME).exists() else ()
    folder_words = folder_arguments if path.suffix or path == Path() else (path,)
    return f"`{command_line('init', *folder_words)}`"


def _stacks(folder: Path) -> list[str]:
    """Return the stack files in a folder, and its subfolders that contain one."""
    try:
        folder_entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        path.name
        for path in folder_entries
        if (path / FILE_NAME).is_file() or path.suffix in {".yaml", ".yml"}
    ]


def _nothing_in(path: Path, names: set[str]) -> StackFileError:
    if "stack.yml" in names:
        return _file_error(f"{path} has stack.yml, not {FILE_NAME}", f"rename it to {FILE_NAME}")
    if names & set(PROJECT_FILES):
        return _file_error(
            f"{path} is a Pulumi program without {FILE_NAME}",
            f"run `{command_line('check', path)}` for a Pulumi program; this "
            "command reads only a stack file",
        )
    return _file_error(
        f"{path} has neither {FILE_NAME} nor Pulumi.yaml",
        f"{NAME_ONE}{_subfolder_hint(path)}; {_init(path)} writes one",
    )


def _subfolder_hint(folder: Path) -> str:
    """Return a message that names a few subfolders with a stack or a program; empty if none."""
    names = (FILE_NAME, *PROJECT_FILES)
    subfolders = sorted({file.parent for name in names for file in folder.glob(f"*/{name}")})
    examples = first_in_words([str(subfolder) for subfolder in subfolders], _EXAMPLES)
    return f": {examples}" if subfolders else ""


_EXAMPLES: Final = 4


def _file_error(message: str, fix: str) -> StackFileError:
    return StackFileError.of(message, fix=fix)
