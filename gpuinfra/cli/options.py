"""The options that many commands share and that need nothing loaded."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def format_options(command: Command) -> Command:
    """Add --format table|json and --json."""
    return formats("table", "json")(command)


def formats(*allowed: str) -> Callable[[Command], Command]:
    """Add --format with these choices, the first of them the default, and --json."""

    def add(command: Command) -> Command:
        command = click.option(
            "--json", "format_", flag_value="json", help="Short for --format json."
        )(command)
        return click.option(
            "--format",
            "format_",
            type=click.Choice(allowed),
            default=allowed[0],
            show_default=True,
            help="Output format.",
        )(command)

    return add
