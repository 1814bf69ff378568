"""Markdown for a pull request: tables and code spans that no name from outside breaks out of."""

import re
from collections.abc import Iterable, Sequence

from gpuinfra.errors import printable


def code(text: str) -> str:
    """Text from outside as a code span: nothing in it is Markdown, HTML or a mention.

    The fence is longer than any run of backticks inside:
    https://github.github.com/gfm/#code-spans
    """
    plain = printable(text).strip()
    if not plain:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", plain)), default=0))
    space = " " if plain[0] == "`" or plain[-1] == "`" else ""
    return f"{fence}{space}{plain}{space}{fence}"


def cell(text: str) -> str:
    """The same for a table, where a pipe has to be escaped even in a code span.

    https://github.github.com/gfm/#tables-extension-
    """
    return code(text.replace("|", "\\|"))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str]) -> str:
    """A table; its cells are Markdown, `right` names the right-aligned columns."""
    rule = ("---:" if column in right else "---" for column in columns)
    lines = (columns, rule, *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def marker(name: str) -> str:
    """A comment that nobody sees, by which a bot finds its own post again to renew it."""
    return f"<!-- gpuinfra cost: {re.sub('[^a-z0-9]+', '-', name.lower())} -->"
