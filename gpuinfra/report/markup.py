"""Markdown that no text from outside breaks out of: not as markup, HTML, link or mention."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from gpuinfra.errors import printable

_SPECIAL: Final = re.compile(
    r"[\\`*\[\]<>|~$&@#]|(?<![a-z0-9])_|_(?![a-z0-9])|:(?=//)|(?<=www)\.", re.IGNORECASE
)
"""What could be markup, a table's edge, HTML, a formula, a link or a mention inside of a line.

A character reference never stands for structure: https://spec.commonmark.org/0.31.2/#entities
"""

_CALLING: Final = "@#"
"""What calls a person, a team or an issue; within code it calls nobody."""


def text(outside: str) -> str:
    """Words, some of them from outside, as Markdown that shows just them."""
    plain = printable(outside).strip()
    if plain and not plain[0].isalpha() and not _SPECIAL.match(plain):
        # It may stand first in its line, where a digit or a dash starts a list.
        return _reference(plain[0]) + _SPECIAL.sub(_shown, plain[1:])
    return _SPECIAL.sub(_shown, plain)


def code(outside: str) -> str:
    """A name from outside, as code; unlike a code span it holds a pipe in a table, too."""
    plain = printable(outside).strip()
    escaped = re.sub("[^A-Za-z0-9 .,;/-]", lambda one: _reference(one[0]), plain)
    return f"<code>{escaped}</code>" if plain else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> str:
    """A table; its cells are Markdown, `right` names the right-aligned columns."""
    rule = ("---:" if column in right else "---" for column in columns)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, rule, *rows))


def marker(name: str) -> str:
    """A comment that nobody sees, by which a bot finds its own post again to renew it."""
    return f"<!-- gpuinfra:check:{re.sub('[^a-z0-9]+', '-', name.lower())} -->"


def _shown(found: re.Match[str]) -> str:
    reference = _reference(found[0])
    return f"<code>{reference}</code>" if found[0] in _CALLING else reference


def _reference(mark: str) -> str:
    return f"&#{ord(mark)};"
