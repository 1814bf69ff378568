"""The one place that shows things: tables, money, problems, JSON; quiet and plain when piped."""

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Any

import click

from gpuinfra.cli.rows import fields_of
from gpuinfra.errors import CloudError, GpuinfraError, InputError, Refusal, printable
from gpuinfra.units import format_money

PIPE_WIDTH = 160
MOST_PROBLEMS = 50


def plain(value: Any) -> Any:
    """A value as JSON has it: money as numbers, durations as hours, unknown as "unknown"."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return {key: plain(one) for key, one in fields_of(value)}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value


def _words(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, timedelta):
        return value.total_seconds() / 3600
    return value.isoformat() if isinstance(value, date) else str(value)


_OBEYED = "[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
"""What JSON allows as it is, and a terminal obeys or can't be sent: escaped, it means the same."""


_PIECES = 10_000
"""Words and signs of JSON that are written at once; a million findings are no one text."""


def show_json(value: Any) -> None:
    """Print a value as indented JSON."""
    encoder = json.JSONEncoder(indent=2, ensure_ascii=False, default=_words)
    pieces = encoder.iterencode(plain(value))
    while text := "".join(islice(pieces, _PIECES)):
        click.echo(re.sub(_OBEYED, lambda hit: f"\\u{ord(hit[0]):04x}", text), nl=False)
    click.echo()


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Collection[str] = (),
) -> None:
    """Print a table; `right` names the right-aligned columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = sys.stdout.isatty()
    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    Console(width=None if shown else PIPE_WIDTH, highlight=False).print(table)


def money(amount: Decimal | None) -> str:
    """US dollars for a table; a dash for an unknown amount."""
    return "–" if amount is None else format_money(amount)


def clean(text: str) -> str:
    """Text from outside as it may be shown; its line breaks stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def heading(text: str) -> None:
    """A line that starts a section."""
    click.secho(text, bold=True)


def note(text: str) -> None:
    """A line beside the result: to the error stream, so that a pipe stays clean."""
    click.echo(clean(text), err=True)


def show_error(error: GpuinfraError) -> None:
    """Print an error with everything it carries, to the error stream."""
    if isinstance(error, InputError):
        from gpuinfra.stackfile.messages import describe  # noqa: PLC0415

        for problem in error.problems[:MOST_PROBLEMS]:
            click.echo(describe(problem) + "\n", err=True)
        count = len(error.problems)
        if count > MOST_PROBLEMS:
            click.echo(f"… and {count - MOST_PROBLEMS} more", err=True)
        click.secho(f"{count} problem{'s' if count != 1 else ''}", fg="red", err=True)
        return
    if isinstance(error, CloudError):
        show_refusals(error.refusals)
        return
    click.secho("error: ", fg="red", err=True, nl=False)
    click.echo(clean(str(error)), err=True)


def show_refusals(refusals: Sequence[Refusal]) -> None:
    """Print what a cloud refused: what, why, what to change."""
    for refusal in refusals:
        click.secho(f"refused: {clean(refusal.what)}", fg="red", err=True)
        click.echo(f"  why:    {clean(refusal.why)}", err=True)
        click.echo(f"  change: {clean(refusal.fix)}", err=True)
