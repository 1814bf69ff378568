"""A user's file in any grammar: its text, its form, and the positions of its faults."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pydantic import ValidationError

from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.records import record
from gpuinfra.specs.forms import Form
from gpuinfra.stackfile.file_names import with_free_folder
from gpuinfra.stackfile.grammar import form_at
from gpuinfra.stackfile.source_positions import SourceSpans
from gpuinfra.stackfile.syntax import LONGEST_FILE, text_of
from gpuinfra.stackfile.validation_messages import KEY, problems_of
from gpuinfra.stackfile.yaml_composer import MISSING, ComposedDocument, compose

F = TypeVar("F", bound=Form)

_MAX_SHOWN: Final = 200

_MOST_GUESSED: Final = 8
"""So many misspelt keys of a file are looked into."""

_REASONS: Final = {
    errno.EACCES: (
        "can't be read: permission denied",
        "ask for read permission, for example chmod u+r",
    ),
    errno.ELOOP: ("is a symbolic link that leads to itself", "use the real file"),
    errno.ENAMETOOLONG: ("has a name that is too long", ""),
    errno.ENOENT: ("does not exist", ""),
    errno.ENOTDIR: ("does not exist", "a part of the path is a file, not a folder"),
}
"""The message of each system error, and the fix where it is the same for every file."""


@record(kw_only=False)
class ParsedFile(Generic[F]):
    """A form and the positions of everything in its file."""

    form: F
    spans: SourceSpans


def form_in(
    path: Path, root: type[F], fix: str, judge: Callable[[Any], Iterable[Problem]]
) -> ParsedFile[F]:
    """Return the form in a file, with its positions.

    Args:
        path: the file.
        root: its form.
        fix: what to name instead of what is no such file.
        judge: says what the grammar can't see, by path, of the file's plain value, which may
            have faults; see `valid_entries`.

    Raises:
        InputError: with every fault and its place.
    """
    composed = compose(text_in(path, fix), str(path))
    form, problems = validate_file(composed, root)
    further = (with_position(problem, composed.spans) for problem in judge(composed.value))
    problems = sort_problems((*composed.problems, *problems, *further))
    if form is None or problems:
        raise InputError(problems)
    return ParsedFile(form, composed.spans)


def valid_entries(value: Any, key: str, form: type[F]) -> Iterator[tuple[str | int, F]]:
    """Yield the valid entries of a list or mapping in a file, each with its index or key."""
    section = value.get(key) if isinstance(value, dict) else None
    mapping = section.items() if isinstance(section, dict) else ()
    for entry_index, entry in enumerate(section) if isinstance(section, list) else mapping:
        with suppress(ValidationError):
            yield entry_index, form.model_validate(entry)


def text_in(path: Path, fix: str) -> str:
    """Return a file's text; refuse a file that is too long or not text.

    Raises:
        InputError: it can't be read, or no such file may hold what it holds.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            raise InputError.of(f"{path} is not a text file", fix=fix)
        with path.open("rb") as stream:
            data = stream.read(LONGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise InputError([read_problem(path, error, fix)]) from None
    text, fault = text_of(data, str(path))
    if fault is not None:
        raise InputError([fault])
    return text


def validate_file(
    composed: ComposedDocument, root: type[F]
) -> tuple[F | None, tuple[Problem, ...]]:
    """Return the form of a file, or None, and its problems."""
    spans = composed.spans
    if composed.value is None:
        fault = Problem(
            message="the file is empty",
            allowed=_keys(root),
            fix=with_free_folder(root.example),
            position=Position(spans.file, 1, 1),
            structural=True,
        )
        return None, (fault,)
    try:
        return root.model_validate(composed.value), ()
    except ValidationError as error:
        faults = tuple(_faults(composed.value, error, root, repeat(None, _MOST_GUESSED)))
        return None, tuple(with_position(fault, spans) for fault in faults)


def _faults(
    value: Any,
    error: ValidationError,
    root: type[Form],
    guesses: Iterator[None],
    within: tuple[PathPart, ...] = (),
) -> Iterator[Problem]:
    """Yield the problems below a path, also below misspelt keys, read as the likely keys."""
    faults = problems_of(error, skip=MISSING, root=root, value=value, within=within)
    yield from faults
    # What is below a refused name of the user's own, in a mapping of names, is checked already.
    misspelt = [
        fault
        for fault in faults
        if fault.path[-1:] == (KEY,) and fault.suggestion and form_at(fault.path[:-2], root)
    ]
    for _, fault in zip(guesses, misspelt, strict=False):
        yield from _inner_problems(value, fault, root, guesses)


def _inner_problems(
    value: Any, fault: Problem, root: type[Form], guesses: Iterator[None]
) -> Iterator[Problem]:
    """Yield the problems in the mapping of a misspelt key, at the paths as written."""
    *parent, wrong = fault.path[:-1]
    suggested_path = (*parent, fault.suggestion)
    try:
        renamed = _rename_key(value, parent, wrong, fault.suggestion)
    except (KeyError, IndexError, TypeError, AttributeError):
        return  # a short form, in which no key is written
    try:
        root.model_validate(renamed)
    except ValidationError as error:
        for problem in _faults(renamed, error, root, guesses, suggested_path):
            if len(problem.path) > len(suggested_path):
                yield replace(problem, path=(*parent, wrong, *problem.path[len(suggested_path) :]))


def _rename_key(value: Any, parent: Sequence[PathPart], wrong: PathPart, right_key: str) -> Any:
    """Return a plain value with one key renamed.

    Raises:
        KeyError: it has the right one, too.
    """
    if not parent:
        if value.get(right_key, MISSING) is not MISSING:
            raise KeyError(right_key)
        other_keys = (key for key in value if key != right_key)
        return {right_key if key == wrong else key: value[key] for key in other_keys}
    first, *inner_path = parent
    nested_value = _rename_key(value[first], inner_path, wrong, right_key)
    if isinstance(value, list):
        return [nested_value if index == first else entry for index, entry in enumerate(value)]
    return {**value, first: nested_value}


def _keys(root: type[Form]) -> str:
    return (
        "a mapping"
        if "version" in root.filled_in_fields
        else "a mapping that starts with version: 1"
    )


def with_position(problem: Problem, spans: SourceSpans) -> Problem:
    """Return a problem with its position, and its value (or its wrong key) as written.

    A problem whose value is the last key of its path is about that key.
    """
    if problem.position is not None:
        return problem
    has_key_mark = problem.path[-1:] == (KEY,)
    path = problem.path[:-1] if has_key_mark else problem.path
    is_key = has_key_mark or path[-1:] == (problem.value,)
    return replace(
        problem,
        path=path,
        value=str(path[-1]) if is_key else spans.source_text(path) or problem.value,
        position=spans.nearest(path, key=is_key),
    )


def sort_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems without duplicates, in the order of the file."""
    once = {
        (problem.message, problem.position.line, problem.position.column)
        if problem.position
        else problem.message: problem
        for problem in problems
    }
    return tuple(sorted(_merge_missing(once.values()), key=_order))


def _merge_missing(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems, with one in place of all about what a mapping lacks."""
    problems_by_subject: dict[tuple[Position | None, str], list[Problem]] = {}
    for problem in problems:
        if problem.lacks:
            subject = problem.message.removesuffix(problem.lacks)
            problems_by_subject.setdefault((problem.position, subject), []).append(problem)
        else:
            yield problem
    for (_, subject), subject_problems in problems_by_subject.items():
        *other_keys, last = (problem.lacks for problem in subject_problems)
        lacks = f"{', '.join(other_keys)}{' and ' if other_keys else ''}{last}"
        yield replace(
            subject_problems[0],
            message=f"{subject}{lacks}",
            allowed="; ".join(problem.allowed for problem in subject_problems if problem.allowed),
            fix="; ".join(problem.fix for problem in subject_problems if problem.fix),
            structural=all(problem.structural for problem in subject_problems),
            lacks=lacks,
        )


def read_problem(path: Path, error: OSError | ValueError, fix: str) -> Problem:
    """Return the problem of a file that can't be read."""
    code = error.errno if isinstance(error, OSError) else None
    unknown = (f"can't be read: {getattr(error, 'strerror', None) or error}", "use a file")
    reason, reason_fix = _REASONS.get(code or 0, unknown)
    return Problem(message=f"{str(path)[:_MAX_SHOWN]} {reason}", fix=reason_fix or fix)


def _order(problem: Problem) -> tuple[int, int]:
    file_position = problem.position
    return (file_position.line, file_position.column) if file_position else (0, 0)
