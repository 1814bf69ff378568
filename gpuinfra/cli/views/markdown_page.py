"""A page of Markdown, laid out for the terminal."""

import io
import re
from typing import Final

import click

from gpuinfra.cli.views.layout import PIPE_WIDTH, width

_CODE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
"""Code inside a line, which keeps its backquotes: they show where a command ends."""


def show_page(text: str) -> None:
    """Print a page of Markdown as text: tables as columns, links by their words."""
    from rich.console import Console
    from rich.markdown import Markdown

    page = io.StringIO()
    console = Console(file=page, width=width() or PIPE_WIDTH, no_color=True, highlight=False)
    console.print(Markdown(_CODE.sub(r"`` `\1` ``", text)))
    for line in page.getvalue().splitlines():
        click.echo(line.rstrip())
