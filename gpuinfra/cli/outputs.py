"""The output formats of `check`, and the file that each is written to."""

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

from gpuinfra import __version__
from gpuinfra.cli.hints import running_command
from gpuinfra.cli.options import Command, formats
from gpuinfra.cli.views.render import json_text, note, show_json
from gpuinfra.errors import GpuinfraError, InputError, Problem
from gpuinfra.records import record
from gpuinfra.report import Report
from gpuinfra.report.checkout import checkout as checkout  # noqa: PLC0414
from gpuinfra.similar_words import nearest

Show = Callable[[], None]

FORMATS = ("table", "json", "sarif", "junit", "github", "markdown")
SUMMARY = "GITHUB_STEP_SUMMARY"
SUMMARY_LIMIT = 1_048_576
"""Bytes that a step's summary may have; GitHub shows nothing of a longer one.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

_WIDEST = 4
"""The most bytes of a character in UTF-8."""


@record(kw_only=False)
class OutputOptions:
    """An output format and its file; None prints it."""

    format: str
    file: Path | None


PRINTED_TABLE: Final = OutputOptions("table", None)


@record
class CheckOutput:
    """A check result with the writers for the formats that the report does not cover.

    Attributes:
        report: the judgement.
        table: prints it as a table.
        document: makes it as JSON.
    """

    report: Report
    table: Show
    document: Callable[[], Mapping[str, object]]

    @property
    def printers(self) -> dict[str, Show]:
        """The functions that print the result as a table and as JSON."""
        return {"table": self.table, "json": lambda: show_json(self.document())}


def options(command: Command) -> Command:
    """Add --format, --json and --output."""
    command = click.option(
        "--output",
        "output",
        multiple=True,
        metavar="FORMAT=FILE",
        help="Also write this format to this file; - prints it. Repeatable.",
    )(command)
    return formats(*FORMATS)(command)


def from_options(format_: str, outputs: Sequence[str]) -> tuple[OutputOptions, ...]:
    """Return the outputs to write, validated before the check.

    Raises:
        InputError: a format or a file that can't be, or two formats that would be printed.
    """
    problems: list[Problem] = []
    chosen_outputs: list[OutputOptions] = []
    for output in outputs:
        name, equals, file = output.partition("=")
        if name not in FORMATS or not equals or not file:
            problems.append(_misspelt(output, name))
        elif file == "-":
            chosen_outputs.append(OutputOptions(name, None))
        else:
            chosen_outputs.append(OutputOptions(name, Path(file)))
    context = click.get_current_context()
    is_format_chosen = context.get_parameter_source("format_") is not ParameterSource.DEFAULT
    if is_format_chosen or not any(output.file is None for output in chosen_outputs):
        chosen_outputs.insert(0, OutputOptions(format_, None))
    problems += _output_conflicts(chosen_outputs)
    if problems:
        raise InputError(problems)
    return tuple(dict.fromkeys(chosen_outputs))


def _misspelt(text: str, name: str) -> Problem:
    return Problem(
        message="--output takes FORMAT=FILE",
        value=text,
        allowed=", ".join(FORMATS),
        suggestion=nearest(name, FORMATS),
        fix=_output_example(text),
    )


_FORMATS_BY_SUFFIX: Final = {
    ".json": "json",
    ".md": "markdown",
    ".sarif": "sarif",
    ".txt": "table",
    ".xml": "junit",
}


def _output_example(text: str) -> str:
    """Return the option for a file that is named without its format; else an example."""
    format_ = _FORMATS_BY_SUFFIX.get(Path(text).suffix.lower())
    if "=" in text or format_ is None:
        return "for example --output sarif=gpuinfra.sarif, or --output markdown=- to print it"
    return f"write --output {format_}={text}"


def _output_conflicts(outputs: Sequence[OutputOptions]) -> Iterator[Problem]:
    printed = dict.fromkeys(output.format for output in outputs if output.file is None)
    if len(printed) > 1:
        yield Problem(
            message="only one format can be printed",
            value=", ".join(printed),
            fix="write the others to files: --output FORMAT=FILE",
        )
    files: dict[Path, str] = {}
    for file, format_ in (
        (output.file, output.format) for output in outputs if output.file is not None
    ):
        if files.setdefault(file, format_) != format_:
            yield Problem(
                message=f"{files[file]} and {format_} can't go to one file",
                value=str(file),
                fix="use one file for each",
            )
        if not file.parent.is_dir():
            yield _no_folder(file, f"{format_}={file}")


def is_table_alone(outputs: Sequence[OutputOptions]) -> bool:
    """Return whether a table is printed, and no other format is written."""
    return tuple(outputs) == (PRINTED_TABLE,)


def deliver(outputs: Sequence[OutputOptions], check_output: CheckOutput) -> None:
    """Write a report in every requested format, files first.

    Raises:
        InputError: files that can't be written; all others are.
    """
    report, printers = check_output.report, check_output.printers
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    for output in sorted(outputs, key=lambda output: output.file is None):
        if output.file is None and output.format in printers:
            printers[output.format]()
            continue
        text = texts.get(output.format) or _text(output.format, report, printers)
        texts[output.format] = text
        if output.file is None:
            click.echo(text, nl=False)
        else:
            problems += write_file(output.file, text)
    if "github" in texts:
        problems += append_summary(lambda limit: _comment(report, limit))
    if problems:
        raise InputError(problems)


def write_error(outputs: Sequence[OutputOptions], error: GpuinfraError, source: Path) -> None:
    """Write the error that stopped the check in every format except tables."""
    from gpuinfra.report import error_report  # noqa: PLC0415  (only where something is wrong)

    writers = error_report.writers(error, source, checkout(source), __version__)
    for output in outputs:
        if output.format == "json" and output.file is not None:
            text = json_text(error_report.error_as_json(error))
        elif output.format in writers:
            text = writers[output.format]()
        else:
            continue
        if output.file is None:
            click.echo(text, nl=False)
            running_command().printed_json = True
        else:
            for problem in write_file(output.file, text):
                note(f"{problem.message}: {problem.value}")


def _text(format_: str, report: Report, printers: Mapping[str, Show]) -> str:
    from gpuinfra.report import comment, github, junit, sarif  # noqa: PLC0415  (when asked for)

    if format_ in printers:
        with redirect_stdout(io.StringIO()) as text:
            printers[format_]()
        return text.getvalue()
    if format_ == "sarif":
        return sarif.write(report, __version__)
    writers = {"junit": junit.write, "github": github.write, "markdown": comment.write}
    return writers[format_](report)


def write_file(file: Path, text: str) -> Iterator[Problem]:
    """Write a file atomically; yield the problem if it can't be written."""
    from gpuinfra.atomic_write import write_atomically  # noqa: PLC0415

    encoded = text.encode("utf-8", "backslashreplace")
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            file.write_bytes(encoded)  # a device or a pipe: nothing may take its place
        else:
            write_atomically(file, encoded)
    except OSError as error:
        yield _write_problem(file, error)


def append_summary(comment: Callable[[int], str]) -> Iterator[Problem]:
    """Append the comment to the step summary, cut to its size limit, if there is one."""
    if not os.environ.get(SUMMARY):
        return
    file = Path(os.environ[SUMMARY])
    try:
        bytes_left = SUMMARY_LIMIT - (file.stat().st_size if file.exists() else 0)
        text = f"{comment(bytes_left // _WIDEST - 1)}\n"
        data = text.encode("utf-8", "backslashreplace")
        if len(data) > bytes_left:
            note("the step summary is full: findings are omitted")
            return
        with file.open("ab") as summary:
            summary.write(data)
    except OSError as error:
        yield _write_problem(file, error)


def _comment(report: Report, limit: int) -> str:
    from gpuinfra.report import comment  # noqa: PLC0415  (when asked for)

    return comment.write(report, min(comment.MAX_COMMENT_LENGTH, limit))


def _no_folder(file: Path, given: str) -> Problem:
    return Problem(
        message=f"the folder {file.parent} does not exist",
        value=given,
        fix="create the folder first, or use another",
    )


def _write_problem(file: Path, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return _no_folder(file, str(file))
    return Problem(
        message=f"the report can't be written: {error.strerror}",
        value=str(file),
        fix="use a writable file",
    )
