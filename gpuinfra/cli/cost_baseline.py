"""`gpuinfra check --base`: the cost difference of a pull request."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuinfra.cli.options import Command
from gpuinfra.cli.views.render import note
from gpuinfra.cost import Quote
from gpuinfra.errors import InputError

if TYPE_CHECKING:
    from gpuinfra.cost.compare import Comparison


def option(command: Command) -> Command:
    """Add --base, which is the same option as --diff of `cost`."""
    return click.option(
        "--base",
        "--diff",
        "base",
        default=None,
        metavar="REV|FILE",
        help="Also show the difference in cost to a git revision, or to another file of the "
        "same kind.",
    )(command)


def comparison(
    base: str, source: Path, quote: Quote, read: Callable[[Path], Quote], source_kind: str = "file"
) -> "Comparison | None":
    """Return the cost difference of a source from its base; None if the base has no quote.

    A source that is new since the base, or that had faults there, is no fault of today's.

    Args:
        base: a file, or a git revision of the source.
        source: the file or the program's folder that is judged.
        quote: its current quote.
        read: returns the quote of a file or folder.
        source_kind: names the source in messages.

    Raises:
        InputError: the base is a file with faults, or no revision.
    """
    from gpuinfra.cost.compare import compare  # noqa: PLC0415  (only with --base)

    if Path(base).exists():
        return compare(read(Path(base)), quote)
    from gpuinfra.cli import revision  # noqa: PLC0415  (starts git)

    revision_reader = revision.folder_at if source.is_dir() else revision.checked_out
    try:
        with revision_reader(source, base) as base_source:
            try:
                base_quote = read(base_source)
            except InputError as error:
                note(f"no difference in cost: the {source_kind} is invalid at {base}: {error}")
                return None
    except revision.NotInRevisionError:
        note(f"no difference in cost: the {source_kind} does not exist at {base}")
        return None
    return compare(base_quote, quote)
