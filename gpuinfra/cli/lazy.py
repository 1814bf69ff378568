"""A command group that imports each command when it is called."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

import click

from gpuinfra.errors import PROGRAM
from gpuinfra.similar_words import nearest

OTHER_COMMANDS: Final = {
    **dict.fromkeys(
        ("rules", "rule", "docs"), f"`{PROGRAM} explain` lists the rules, and explains one"
    ),
    **dict.fromkeys(("validate", "lint", "test"), f"`{PROGRAM} check` judges a stack"),
    **dict.fromkeys(("apply", "deploy", "create", "launch"), f"`{PROGRAM} up` builds a stack"),
    **dict.fromkeys(("delete", "down", "remove", "rm"), f"`{PROGRAM} destroy` deletes a stack"),
    **dict.fromkeys(("price", "prices", "gpus"), f"`{PROGRAM} catalog` has prices and GPUs"),
    **dict.fromkeys(("outputs", "output", "show"), f"`{PROGRAM} status` shows what is deployed"),
}
"""Commands by what other tools call them, each with ours."""

_HELP_LENGTH_LIMIT: Final = 1000
"""More letters than the first sentence of a command's help has."""


_WHOLE_HYPHEN: Final = "\N{NON-BREAKING HYPHEN}"


class UnknownCommandError(click.UsageError):
    """A command that a group lacks, with a similar one or one for the same purpose."""

    def __init__(self, name: str, suggestion: str, fix: str, ctx: click.Context) -> None:
        self.suggestion, self.fix = suggestion, fix
        super().__init__(f"unknown command {name}", ctx)


class HelpFormatter(click.HelpFormatter):
    """The formatter of help, which wraps at spaces only: a broken name can't be copied."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write a line of usage."""
        super().write_usage(prog, _with_whole_words(args), prefix)

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        click.HelpFormatter.write_text(self, _with_whole_words(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], *limits: Any, **more: Any) -> None:
        """Write a list of options or commands."""
        super().write_dl([(name, _with_whole_words(text)) for name, text in rows], *limits, **more)

    def getvalue(self) -> str:
        """Return what was written."""
        return super().getvalue().replace(_WHOLE_HYPHEN, "-")


click.Context.formatter_class = HelpFormatter


def _with_whole_words(text: str) -> str:
    return text.replace("-", _WHOLE_HYPHEN)


class FullHelpGroup(click.Group):
    """A command group whose help shows the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to the help; long sentences are wrapped."""
        members = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, member.get_short_help_str(_HELP_LENGTH_LIMIT))
            for name, member in members
            if member
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(click.Group):
    """A command group that imports a command's module when the command is called.

    Args:
        members: every command with its line of help, in the order a newcomer meets them.
        module: where a command lives, with {} for its name; the module has `command`.
        sections: the titles of the sections of the help, by the first command of each.
    """

    def __init__(
        self,
        *arguments: Any,
        members: Sequence[tuple[str, str]],
        module: str,
        sections: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self._members = dict(members)
        self._module = module
        self._sections = sections or {members[0][0]: "Commands"}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order in which a new user needs them."""
        return list(self._members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command; None if there is none of that name."""
        if cmd_name not in self._members:
            return None
        command: click.Command = import_module(self._module.format(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command, or fail with a suggestion for a misspelt one."""
        if args and args[0] not in self._members and not args[0].startswith("-"):
            nearest_command = nearest(args[0], self._members)
            other = OTHER_COMMANDS.get(args[0], "") if ctx.parent is None else ""
            raise UnknownCommandError(args[0], "" if other else nearest_command, other, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands to the help without importing them."""
        width = max(map(len, self._members))
        rows: dict[str, list[tuple[str, str]]] = {}
        title = ""
        for name, text in self._members.items():
            title = self._sections.get(name, title)
            rows.setdefault(title, []).append((name.ljust(width), text))
        for section, section_rows in rows.items():
            with formatter.section(section):
                formatter.write_dl(section_rows)
