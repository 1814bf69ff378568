"""The shared output functions: tables, money, problems, JSON; without colours in a pipe."""

import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Any

import click

from gpuinfra.cli.hints import requests_format, running_command, wants_json
from gpuinfra.cli.views import ascii_symbols, layout
from gpuinfra.cli.views.plan_rows import fields_of
from gpuinfra.errors import (
    PROGRAM,
    CloudError,
    GpuinfraError,
    InputError,
    Problem,
    Refusal,
    RefusedError,
    command_line,
    printable,
)
from gpuinfra.units import format_count

MOST_PROBLEMS = 50
LONG_LIST = 60
"""From this length on, what is allowed is printed with the first of the problems that say it."""


def json_value(value: Any) -> Any:
    """Return a value for JSON: money as numbers, durations as hours, unknown as "unknown"."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if is_dataclass(value):
        return {key: json_value(item) for key, item in fields_of(value)}
    if isinstance(value, Iterable) and not isinstance(value, str):
        items = [json_value(item) for item in value]
        return sorted(items, key=str) if isinstance(value, frozenset | set) else items
    return value


def _json_scalar(value: Any) -> Any:
    """Return a value that JSON has no type for: a duration in hours, else text."""
    if isinstance(value, timedelta):
        return value.total_seconds() / 3600
    return value.isoformat() if isinstance(value, date) else str(value)


_CONTROL_CHARACTERS = "[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
"""Control characters that are valid in JSON but that a terminal interprets or rejects; they are
escaped."""


_TOKENS_PER_WRITE = 10_000
"""The number of JSON tokens per write, so that large results are not built as one string."""


def show_json(value: Any) -> None:
    """Print a value as indented JSON."""
    running_command().printed_json = True
    # A stream that takes few signs has the others as JSON writes them, which means the same.
    for text in _pieces(value, ascii_only=ascii_symbols.is_not_unicode(sys.stdout)):
        click.echo(text, nl=False)
    click.echo()


def json_text(value: Any) -> str:
    """Return a value as indented JSON."""
    return f"{''.join(_pieces(value))}\n"


def _pieces(value: Any, *, ascii_only: bool = False) -> Iterator[str]:
    encoder = json.JSONEncoder(indent=2, ensure_ascii=ascii_only, default=_json_scalar)
    pieces = encoder.iterencode(json_value(value))
    while text := "".join(islice(pieces, _TOKENS_PER_WRITE)):
        yield re.sub(_CONTROL_CHARACTERS, lambda hit: f"\\u{ord(hit[0]):04x}", text)


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Collection[str] = (),
    total: bool = False,
    spare: Sequence[str] = (),
) -> None:
    """Print a table; `right` names right-aligned columns, `total` sets the last row apart.

    `spare` names the columns that are left out where the reader has no room.
    """
    if title:
        heading(title)
    cells = [[clean(cell) for cell in row] for row in rows]
    for line in layout.table(columns, cells, right_aligned=right, total=total, spare=spare):
        click.echo(line)


def show_line(text: str) -> None:
    """Print external text; where it is wrapped, its further lines are indented."""
    click.echo(layout.wrap_text(clean(text), "  "))


def clean(text: str) -> str:
    """Return external text with control characters escaped, except line breaks."""
    return "\n".join(printable(line) for line in text.split("\n"))


def wrap_after(start: str, text: str) -> str:
    """Return a text after its start, wrapped to the output's width."""
    return layout.wrap_text(f"{start}{clean(text)}", " " * layout.size(start))


def heading(text: str) -> None:
    """Print a line that starts a section."""
    click.secho(text, bold=True)


def section(title: str) -> None:
    """Print a blank line and the heading of a further section."""
    click.echo()
    heading(title)


def note(text: str) -> None:
    """Print a line to the error stream, so that a pipe gets only the result."""
    click.echo(layout.wrap_text(clean(text), "  "), err=True)


def show_usage(error: click.ClickException) -> None:
    """Print a usage error, also as JSON or Markdown if the command was to print that.

    The help of a group that was called without a command is printed as it is.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.message)
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    from gpuinfra.cli.usage_errors import usage_problem  # noqa: PLC0415  (only of an error)

    problem = usage_problem(error)
    click.echo(_problem(problem), err=True)
    if context is not None and not problem.allowed:
        context.terminal_width = _UNBROKEN
        click.echo(wrap_after("  ", " ".join(context.get_usage().split())), err=True)
    _show_help_command(context)
    _as_document(InputError([problem]), context)


_UNBROKEN = 10_000
"""A width at which click does not break a line of usage, which it does at hyphens, too."""


def _show_help_command(context: click.Context | None) -> None:
    """Print the command that lists the options of a command: the context's, else as typed."""
    typed = running_command().arguments[:1] if context is None else ()
    path = " ".join((PROGRAM, *typed)) if context is None else context.command_path
    click.echo(f"  Try '{path} --help' for the options", err=True)


def _as_document(error: GpuinfraError, context: click.Context | None = None) -> None:
    """Print an error in the format of the command's result if that is JSON or Markdown.

    `context` is that of a usage error, whose command may have no such format.
    """
    run = running_command()
    as_json = wants_json(run.arguments)
    as_markdown = requests_format(run.arguments, "markdown") and _writes_markdown(context)
    if run.printed_json or not (as_json or as_markdown):
        return
    from gpuinfra.report import error_report  # noqa: PLC0415  (only of an error in a document)

    if as_json:
        show_json(error_report.error_as_json(error))
    else:
        click.echo(
            error_report.command_error_comment(error, command_line(*run.arguments)), nl=False
        )


def _writes_markdown(context: click.Context | None) -> bool:
    """Return whether a command takes --format markdown; True where the command is not known."""
    parameters = () if context is None else context.command.params
    choices = [each.type.choices for each in parameters if isinstance(each.type, click.Choice)]
    return context is None or any("markdown" in accepted for accepted in choices)


def show_error(error: GpuinfraError) -> None:
    """Print an error with all its details to the error stream; also as JSON if requested."""
    _as_document(error)
    show_problems(error)
    if isinstance(error, RefusedError) and running_command().arguments[:1] == ("check",):
        from gpuinfra.report import error_report  # noqa: PLC0415  (only of a refusal)

        if error_report.is_verdict(error):
            click.secho(error_report.ERROR_VERDICT, fg="red", bold=True, err=True)


def show_problems(error: GpuinfraError) -> None:
    """Print an error with everything it carries, to the error stream."""
    if isinstance(error, InputError):
        listed: set[str] = set()
        for problem in error.problems[:MOST_PROBLEMS]:
            is_listed_before = len(problem.allowed) > LONG_LIST and problem.allowed in listed
            listed.add(problem.allowed)
            click.echo(
                _problem(replace(problem, allowed="") if is_listed_before else problem), err=True
            )
            if len(error.problems) > 1:
                click.echo(err=True)
        count = len(error.problems)
        if count > MOST_PROBLEMS:
            click.echo(f"… and {count - MOST_PROBLEMS} more", err=True)
        if count > 1:
            click.secho(format_count(count, "problem"), fg="red", err=True)
        return
    if isinstance(error, CloudError):
        show_refusals(error.refusals)
        return
    message = error.message or str(error)
    _show_block(layout.wrap_text(clean(f"{ERROR}{message}"), "  "))
    _show_parts(error.why, error.fix)


def _show_block(block: str) -> None:
    """Print the first lines of an error."""
    click.secho(ERROR, fg="red", err=True, nl=False)
    click.echo(block.removeprefix(ERROR.rstrip()).lstrip(), err=True)


def _show_parts(reason: str, fix: str) -> None:
    """Print an error's reason and fix below it."""
    for label, text in (("why", reason), ("fix", fix)):
        if text:
            click.echo(_colour_problem(wrap_after(f"  {f'{label}:':8} ", text)), err=True)


def _problem(problem: Problem) -> str:
    """Return a problem in full, with its source line cut to the output's width."""
    from gpuinfra.stackfile.messages import describe  # noqa: PLC0415  (only of an error)

    return _colour_problem(describe(problem, layout.wrap_text, layout.width(), ERROR))


def _colour_problem(text: str) -> str:
    """Return a problem with its location in bold, its caret and the word for it in red."""
    text = re.sub(_LOCATION_PATTERN, lambda hit: click.style(hit[0], bold=True), text)
    text = re.sub(_CARET, lambda hit: click.style(hit[0], fg="red"), text)
    return re.sub(_ERROR_WORD, lambda hit: click.style(hit[0], fg="red"), text)


_LOCATION_PATTERN = r"(?m)(?<=\Aerror: )\S+:\d+:\d+:|^  (?:value|allowed|why|fix):"
ERROR = "error: "
_ERROR_WORD = rf"\A{ERROR}"
_CARET = r"(?m)^ +\| +\^$"


def show_refusals(refusals: Sequence[Refusal]) -> None:
    """Print a cloud's refusals: the resource, the reason, the fix."""
    for refusal in refusals:
        _show_block(layout.wrap_text(clean(f"{ERROR}refused: {refusal.what}"), "  "))
        _show_parts(refusal.why, refusal.fix)


def moment_text(value: Any) -> Any:
    """Return a timestamp as text in UTC; other values unchanged."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
