"""A command for several sources: a table with a heading for each, or one JSON document."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import click

from gpuinfra.api.source_kinds import is_pulumi_file
from gpuinfra.cli import program_options
from gpuinfra.cli.hints import only_source
from gpuinfra.cli.views.render import clean, heading, note, show_json, show_problems
from gpuinfra.errors import GpuinfraError
from gpuinfra.records import record
from gpuinfra.units import format_count

SETTINGS_OPTIONS: Final = ("settings", "stack", "waivers")
"""The options that supply for a preview, a state or a program what a stack file contains."""


def _print_nothing() -> None:
    """Print nothing."""


@record
class SourceAnswer:
    """The output of a command for one source.

    Attributes:
        print_table: prints it as a table.
        document: makes it as JSON.
        fails: whether the exit code is 1.
        print_notes: prints the error stream's lines after it.
    """

    print_table: Callable[[], None]
    document: Callable[[], Mapping[str, object]]
    fails: bool = False
    print_notes: Callable[[], None] = _print_nothing

    @property
    def exit_code(self) -> int:
        """The exit code: 1 if the command fails for the source, else 0."""
        return 1 if self.fails else 0


class HasDocument(Protocol):
    """A result that can be written as JSON."""

    @property
    def document(self) -> Callable[[], Mapping[str, object]]:
        """The function that makes the JSON document."""
        ...  # a docstring alone is no body for basedpyright


_Result = TypeVar("_Result")
OfSource = Callable[[Path, dict[str, Any], tuple[str, ...]], SourceAnswer]


@record
class SourceOptions:
    """The sources of a command with the kind of each, and the options given for all of them."""

    kinds: Mapping[Path, str]
    options: Mapping[str, Any]
    rung: tuple[str, ...]

    @property
    def sources(self) -> Sequence[Path]:
        """The sources in the order given."""
        return tuple(self.kinds)

    def options_for(self, source: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return one source's options and rung, without options for the other sources' kinds."""
        source_options, kind, other_options = (
            dict(self.options),
            self.kinds[source],
            set(self.kinds.values()),
        )
        if kind == "stack" and other_options != {"stack"}:
            source_options.update(dict.fromkeys(SETTINGS_OPTIONS))
        if kind != "program" and "program" in other_options:
            source_options.update(program=False, config_of=None, config=(), config_unknown=False)
        return source_options, self.rung if kind == "stack" or "stack" not in other_options else ()

    def hints_on(self, source: Path) -> AbstractContextManager[None]:
        """Name only this source in hints, with the options that are for it."""
        source_options, source_rung = self.options_for(source)
        given_options = {**self.options, "rung": self.rung}
        used_options = {**source_options, "rung": source_rung}
        return only_source(
            source, {name for name, given in given_options.items() if used_options[name] != given}
        )


def select_sources(
    sources: Sequence[Path], options: Mapping[str, Any], rung: tuple[str, ...]
) -> SourceOptions:
    """Return the sources of a command, each once, with its options; the current folder if none."""
    answered_sources: dict[str, Path] = {}
    for source in sources or (Path(),):
        answered_sources.setdefault(os.path.realpath(source), source)
    kinds = {
        source: _kind(source, forced=options["program"]) for source in answered_sources.values()
    }
    return SourceOptions(kinds=kinds, options=options, rung=rung)


def _kind(source: Path, *, forced: bool) -> str:
    if program_options.program_folder(source, forced=forced) is not None:
        return "program"
    with suppress(GpuinfraError):
        return "pulumi" if is_pulumi_file(source) else "stack"
    return "pulumi"


def head(source: Path, *, first: bool) -> None:
    """Print the heading of one of several sources."""
    if not first:
        click.echo()
    heading(clean(str(source)))


def show(sources: SourceOptions, answer: OfSource, format_: str) -> int:
    """Show a command's result for each source, and return the worst exit code.

    Raises:
        GpuinfraError: the only source can't be read; of several, it is reported and the others are
            shown.
    """
    if len(sources.sources) == 1:
        answer_of_one = answer(sources.sources[0], dict(sources.options), sources.rung)
        if format_ == "json":
            show_json(answer_of_one.document())
        else:
            answer_of_one.print_table()
        answer_of_one.print_notes()
        return answer_of_one.exit_code
    if format_ == "json":
        return _print_documents(sources, answer)
    show_head = _separate if format_ == "markdown" else head
    return _print_tables(sources, answer, show_head)


def _print_documents(sources: SourceOptions, answer: OfSource) -> int:
    answers = [(source, answer_source(source, sources, answer)) for source in sources.sources]
    for _, result in answers:
        if isinstance(result, SourceAnswer):
            result.print_notes()
    show_json(documents(answers))
    return max(result.exit_code for _, result in answers)


def documents(answers: Iterable[tuple[Path, "HasDocument | GpuinfraError"]]) -> dict[str, object]:
    """Return the results of several sources as docs/json.md has them."""
    from gpuinfra.report import error_report  # noqa: PLC0415  (seldom needed)

    return {
        "sources": [
            {
                "source": str(source),
                **(
                    error_report.error_as_json(result)
                    if isinstance(result, GpuinfraError)
                    else result.document()
                ),
            }
            for source, result in answers
        ]
    }


def _separate(_: Path, *, first: bool) -> None:
    """Print an empty line between two documents, each with a heading of its own."""
    if not first:
        click.echo()


def _print_tables(sources: SourceOptions, answer: OfSource, show_head: Callable[..., None]) -> int:
    printed_count, codes = 0, []
    for source in sources.sources:
        with sources.hints_on(source):
            result = answer_source(source, sources, answer)
            codes.append(result.exit_code)
            if isinstance(result, SourceAnswer):
                show_head(source, first=not printed_count)
                result.print_table()
                result.print_notes()
                printed_count += 1
    unread = sum(code > 1 for code in codes)
    if unread:
        note(f"{format_count(len(codes), 'source')}: {unread} not read")
    return max(codes)


def answer_source(
    source: Path,
    sources: SourceOptions,
    answer: Callable[[Path, dict[str, Any], tuple[str, ...]], _Result],
    undone: str = "not read",
) -> _Result | GpuinfraError:
    """Return the result for one of several sources, or the error, which is also printed.

    Args:
        source: one of them.
        sources: all of them.
        answer: finds it.
        undone: the start of the message, for example "not checked".
    """
    try:
        return answer(source, *sources.options_for(source))
    except GpuinfraError as error:
        note(f"{undone}: {source}")
        show_problems(error)
        return error
