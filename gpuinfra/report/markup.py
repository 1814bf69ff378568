"""Markdown with external text escaped: no markup, HTML, link or mention."""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Final

from gpuinfra.errors import printable

_SPECIAL: Final = re.compile(
    r"[\\`*\[\]<>|~$&@#]|(?<![a-z0-9])_|_(?![a-z0-9])|:(?=//)|(?<=www)\.", re.IGNORECASE
)
"""Characters that can be markup, a table's edge, HTML, a formula, a link or a mention inside of a
line.

A character reference never stands for structure: https://spec.commonmark.org/0.31.2/#entities
"""

_STARTS: Final = re.compile(r"[-+=]|\d+[.)](\s|$)")
"""The characters that start a list, a rule or a heading at the start of a line."""

_MAX_ANCHOR_LENGTH: Final = 64
"""The maximum length of a name in a marker."""

_CALLING: Final = "@#"
"""Text that mentions a user, a team or an issue, except within code."""


def text(outside: str) -> str:
    """Return text, some of it external, as Markdown that shows it literally."""
    plain_text = printable(outside).strip()
    if _STARTS.match(plain_text):
        return _reference(plain_text[0]) + _SPECIAL.sub(_code_reference, plain_text[1:])
    return _SPECIAL.sub(_code_reference, plain_text)


def prose(outside: str, span: Callable[[str], str] | None = None) -> str:
    """Return a sentence as `text` does, with what stands between backquotes as code spans."""
    parts = outside.split("`")
    if len(parts) % 2 == 0:
        return text(outside)
    show = (_with_spaces, span or code)
    return "".join(show[index % 2](part) for index, part in enumerate(parts))


def prose_cell(outside: str) -> str:
    """Return a sentence as `prose` does, for a table cell."""
    return prose(outside, cell)


def _with_spaces(spaced_text: str) -> str:
    """Return text with its surrounding spaces kept."""
    stripped_text = spaced_text.strip()
    start = spaced_text[: len(spaced_text) - len(spaced_text.lstrip())]
    return (
        f"{start}{text(stripped_text)}{spaced_text[len(start) + len(stripped_text) :]}"
        if stripped_text
        else spaced_text
    )


def code(text: str) -> str:
    """Return external text as a code span, in which nothing is Markdown, HTML or a mention.

    The fence is longer than any run of backticks inside:
    https://github.github.com/gfm/#code-spans
    """
    plain_text = printable(text).strip()
    if not plain_text:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", plain_text)), default=0))
    space = " " if plain_text[0] == "`" or plain_text[-1] == "`" else ""
    return f"{fence}{space}{plain_text}{space}{fence}"


def cell(text: str) -> str:
    """Return text as a code span for a table cell, with pipes escaped.

    https://github.github.com/gfm/#tables-extension-
    """
    return code(text.replace("|", "\\|"))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Return a table; its cells are Markdown, `right` names the right-aligned columns."""
    rule = ("---:" if column in right else "---" for column in columns)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, rule, *rows))


def wrap_paragraph(text: str, start: str = "") -> str:
    """Return a paragraph of Markdown wrapped at about a hundred characters.

    `start` precedes the first line, for example that of a list; the others are as far in. No
    line begins with what would start a list.
    """
    lines: list[str] = []
    for word in text.split():
        joins = _STARTS.match(word) or word[0] in _BEGINNINGS
        if lines and (joins or len(lines[-1]) + len(word) < _LINE_WIDTH):
            lines[-1] += f" {word}"
        else:
            lines.append(f"{' ' * len(start) if lines else start}{word}")
    return "\n".join(lines)


_LINE_WIDTH: Final = 100
_BEGINNINGS: Final = "*#>|"
"""What may start a list, a heading, a quotation or a table at the begin of a line."""


def marker(topic: str, name: str) -> str:
    """Return a hidden comment by which a bot finds its own comment to update it.

    A name that is not written in it as it is gets a digest, so that no other name has its marker.
    """
    plain_name = re.sub("[^a-z0-9]+", "-", name.lower())[:_MAX_ANCHOR_LENGTH]
    digest = (
        "" if plain_name == name else f"-{sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )
    return f"<!-- gpuinfra:{topic}:{plain_name}{digest} -->"


def _code_reference(match: re.Match[str]) -> str:
    reference = _reference(match[0])
    return f"<code>{reference}</code>" if match[0] in _CALLING else reference


def _reference(mark: str) -> str:
    return f"&#{ord(mark)};"
