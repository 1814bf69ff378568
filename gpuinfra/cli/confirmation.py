"""The confirmation prompt, and the result if the user declines."""

import click

from gpuinfra.cli.views.render import note

DECLINED_EXIT_CODE = 130
"""The exit code of a question that is answered with no, as where Ctrl-C answers it."""


def confirm(question: str, declined: str) -> None:
    """Ask for confirmation; any other answer than yes ends the command.

    Args:
        question: in lower case, with a question mark.
        declined: the outcome of a no: "nothing was built".
    """
    if not click.confirm(question):
        note(declined)
        raise click.exceptions.Exit(DECLINED_EXIT_CODE)
