"""Commands that a text tells its reader to run, and whether gpuinfra takes them."""

import re
import shlex
from collections.abc import Iterator

import click

from gpuinfra.cli import COMMANDS, cli

NAMES = "|".join(name for name, _ in COMMANDS)

_WORD = r"(?:'\{[^'\n]*\}'|(?:[^\s:;,)\"`]|:(?=\S))+)"
HINT = re.compile(
    rf"(?<![\w/.'`-])(?<!Usage: )gpuinfra (?P<plain>(?:{NAMES})(?![\w.-])(?: {_WORD})*)"
    rf"|`gpuinfra (?P<quoted>(?:{NAMES})(?: [^`\n]*)?)`"
)
"""A command in a text: between backquotes, or up to the next punctuation or the line's end.

Not click's own: its line of usage, and the `--help` between quotes that it says to try."""


def hints_in(text: str) -> list[str]:
    """The commands of a text, each without the program's name."""
    return [hit["quoted"] or hit["plain"].rstrip(".") for hit in HINT.finditer(text)]


def takes(hint: str) -> None:
    """Fail unless the command line takes a hint: its command, options and arguments are there."""
    context, arguments = click.Context(cli, info_name="gpuinfra"), list(words(hint))
    while isinstance(context.command, click.Group) and arguments:
        name, *arguments = arguments
        command = context.command.get_command(context, name)
        assert command is not None, hint
        if not arguments and isinstance(command, click.Group):
            return  # a group by its name: `gpuinfra catalog`
        try:
            context = command.make_context(name, list(arguments), parent=context)
        except click.exceptions.Exit:
            return  # it is a command's --help
        except click.MissingParameter:
            assert not arguments, hint  # a command by its name: `gpuinfra schema`
            return
        except click.BadParameter as wrong:
            if "does not exist" not in wrong.message:
                raise
            return  # a file of the reader's


def words(hint: str) -> Iterator[str]:
    """A command's words up to what a shell takes for itself: a redirection, a pipe, a comment."""
    for word in shlex.split(hint, comments=True):
        if word in {"|", ">", ">>", "&&", "<", "||", "…"}:
            return
        # The notation of a usage line: what may be left out, and the first of several values.
        yield word.strip("[]").partition("|")[0]
