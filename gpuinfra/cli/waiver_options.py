"""The options of `gpuinfra check --write-waivers`; `check_waive` writes the waivers."""

from datetime import date, datetime
from typing import Any, Final

import click

from gpuinfra.cli.options import DAY, Command
from gpuinfra.errors import InputError, Problem
from gpuinfra.records import record

DEFAULT_WAIVER_DAYS: Final = 90
"""The default validity of a waiver in days, where the stack file allows as many."""

OPTIONS: Final = ("write_waivers", "owner", "reason", "until")


@record
class WaiverOptions:
    """The fields of new waivers.

    Owner None is the stack's, until None is `DEFAULT_WAIVER_DAYS` ahead.
    """

    reason: str
    owner: str | None = None
    until: date | None = None


def options(command: Command) -> Command:
    """Add --write-waivers, --owner, --reason and --until."""
    for name, option_help, metavar in (
        (
            "--until",
            f"With --write-waivers: their last day; default {DEFAULT_WAIVER_DAYS} days ahead.",
            DAY,
        ),
        ("--reason", "With --write-waivers: why today's findings are accepted.", None),
        ("--owner", "With --write-waivers: their owner; default the stack's owner.", None),
    ):
        command = click.option(name, default=None, help=option_help, type=metavar)(command)
    return click.option(
        "--write-waivers",
        is_flag=True,
        help="First accept the failing findings: add waivers to the stack file, or to "
        "gpuinfra.waivers.yaml beside SOURCE.",
    )(command)


def from_options(options: dict[str, Any]) -> WaiverOptions | None:
    """Return the waiver fields, removed from `options`; None without --write-waivers.

    Raises:
        InputError: an option is there without it, or the reason is missing.
    """
    write, owner, reason, until = (options.pop(name) for name in OPTIONS)
    option_values = {"--owner": owner, "--reason": reason, "--until": until}
    if not write:
        unused = [name for name, value in option_values.items() if value is not None]
        if unused:
            message = f"{' and '.join(unused)} without --write-waivers"
            raise InputError([Problem(message=message, fix="add --write-waivers, or remove it")])
        return None
    if not reason:
        raise InputError(
            [missing_option("--reason", "why today's findings are accepted", "old stack")]
        )
    day = until.date() if isinstance(until, datetime) else None
    return WaiverOptions(reason=reason, owner=owner, until=day)


def missing_option(option: str, content: str, example: str) -> Problem:
    """Return the problem of a missing option that new waivers need."""
    return Problem(
        message=f"{option} is missing: {content}", fix=f'for example {option} "{example}"'
    )
