"""Options that many commands share and that import nothing else."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

import click

from gpuinfra.records import record

Command = Callable[..., Any]

Detail = Literal["quiet", "normal", "verbose", "all"]
"""The levels of detail: failures; problems and totals; also what passes; everything."""

_DETAILS: Final[dict[str, tuple[Detail, str]]] = {
    "--all": ("all", "Print everything, also checks that do not apply."),
    "--quiet": ("quiet", "Print only failures."),
    "--verbose": ("verbose", "Also print passed checks, with all figures and notes."),
}

EACH_RESOURCE: Final = "Also list the resources that stay as they are, and all outputs."
"""The help of --verbose for a command that runs the engine."""


class Day(click.DateTime):
    """The parameter type of a day: YYYY-MM-DD."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Return the start of the day; the error for other text shows the format."""
        try:
            day: datetime = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"{value!r} is not a date: write YYYY-MM-DD, for example 2026-11-21", param, ctx
            )
        return day

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the format for the help."""
        return "YYYY-MM-DD"


DAY: Final = Day()


class NumberedChoice(click.Choice[str]):
    """The parameter type of a numbered list: a number, a name or the start of a name.

    Args:
        choices: the names.
        other_spellings: other words for names.
    """

    def __init__(
        self, choices: Sequence[str], other_spellings: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(choices)
        self._others = other_spellings or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the chosen word; the error for other text lists the words."""
        choice_words = list(self.choices)
        if value.isdecimal() and 1 <= int(value) <= len(choice_words):
            return choice_words[int(value) - 1]
        word = self._others.get(value.lower(), value)
        if param is not None and word != value:
            click.echo(f"assumed: {param.opts[0]} {word}, for {value}", err=True)
        value = word
        begun = [
            choice_word for choice_word in choice_words if value and choice_word.startswith(value)
        ]
        return super().convert(begun[0] if len(begun) == 1 else value, param, ctx)


def details(*names: str, **helps: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the named ones of --verbose, --quiet and --all.

    `helps` has another help of a level, by its name.
    """

    def add(command: Command) -> Command:
        for name in names:
            detail, detail_help = _DETAILS[name]
            detail_help = helps.get(detail, detail_help)
            short = () if detail == "all" else (name[1:3],)
            command = click.option(
                *(*short, name), "detail", flag_value=detail, default="normal", help=detail_help
            )(command)
        return command

    return add


def format_options(command: Command) -> Command:
    """Add --format table|json and --json."""
    return formats("table", "json")(command)


def formats(*allowed: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --format (the first choice is the default) and --json."""

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


@record
class FixOptions:
    """The options of --fix.

    Attributes:
        yes: write without asking.
        partial: write without asking also where the check still refuses after it.
    """

    yes: bool = False
    partial: bool = False
