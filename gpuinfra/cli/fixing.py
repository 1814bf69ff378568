"""`gpuinfra check --fix`: what is asked for; the search and the writing are in `fix`."""

from typing import TYPE_CHECKING, Any

import click

from gpuinfra.cli.options import Command
from gpuinfra.errors import InputError, Problem
from gpuinfra.records import record

if TYPE_CHECKING:
    pass

OPTIONS = ("fix", "yes", "partial")

SMALL = 50
"""Up to how many resources a table shows fixes unasked: each trial judges all of them."""


@record
class Fixing:
    """Fixes are to be shown and written.

    Attributes:
        yes: write without asking.
        partial: write without asking also where the check still refuses after it.
    """

    yes: bool = False
    partial: bool = False


def options(command: Command) -> Command:
    """Add --fix, --yes and --partial."""
    command = click.option(
        "--partial",
        is_flag=True,
        help="With --fix --yes: also write an edit after which the check still fails.",
    )(command)
    command = click.option("--yes", is_flag=True, help="With --fix: write without confirmation.")(
        command
    )
    return click.option(
        "--fix",
        is_flag=True,
        help="Show the smallest edits that make the check pass, with their cost, then write them.",
    )(command)


def asked(wanted: dict[str, Any]) -> Fixing | None:
    """What the options ask for, which leave `wanted`; None without --fix.

    Raises:
        InputError: --yes is there without --fix, or --partial without --yes.
    """
    fix, yes, partial = (bool(wanted.pop(name)) for name in OPTIONS)
    if partial and not yes:
        raise InputError([_alone("--partial", "--yes")])
    if yes and not fix:
        raise InputError([_alone("--yes", "--fix")])
    return Fixing(yes=yes, partial=partial) if fix else None


def _alone(option: str, needed: str) -> Problem:
    return Problem(message=f"{option} without {needed}", fix=f"add {needed}, or remove {option}")
