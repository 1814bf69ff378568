"""`gpuinfra check --base`: what a pull request changes in money."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuinfra.cli.options import Command
from gpuinfra.cli.render import note
from gpuinfra.cli.source import Loaded, load
from gpuinfra.errors import InputError

if TYPE_CHECKING:
    from gpuinfra.cost.compare import Comparison


def option(command: Command) -> Command:
    """Add --base."""
    return click.option(
        "--base",
        default=None,
        metavar="REV|FILE",
        help="Also show the difference in cost to a git revision, or to another stack file.",
    )(command)


def comparison(
    base: str | None, loaded: Loaded, as_of: datetime | None, rung: tuple[str, ...]
) -> "Comparison | None":
    """What a stack costs more or less than its base; None where there is nothing to compare.

    A stack that is new since the base, or that had faults there, is no fault of today's.

    Raises:
        InputError: the base is a file with faults, or no revision.
    """
    if base is None:
        return None
    from gpuinfra.cost.compare import compare  # noqa: PLC0415  (only with --base)

    if Path(base).exists():
        before = load(Path(base), as_of=as_of, rung=rung, lock="told")
        return compare(before.quote, loaded.quote)
    from gpuinfra.cli.revision import NotThereError, checked_out  # noqa: PLC0415  (starts git)

    try:
        with checked_out(loaded.document.path, base) as there:
            try:
                before = load(there, as_of=as_of, rung=rung, lock="told")
            except InputError as error:
                note(f"no difference in cost: the stack has faults at {base}: {error}")
                return None
    except NotThereError:
        note(f"no difference in cost: the stack is new since {base}")
        return None
    return compare(before.quote, loaded.quote)
