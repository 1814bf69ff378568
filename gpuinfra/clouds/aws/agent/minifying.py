"""Removes docstrings, comments and blank lines, since a start-up script has to be small.

It reads tokens and no syntax tree: Pulumi runs programs on several threads, and CPython 3.11 makes
trees on one at a time only (https://github.com/python/cpython/issues/106905).
"""

import io
from collections.abc import Iterator
from tokenize import COMMENT, DEDENT, INDENT, NEWLINE, NL, STRING, TokenInfo, generate_tokens
from typing import Final

_LEADING_TOKENS: Final = frozenset({NEWLINE, INDENT, DEDENT})
"""The tokens before the first token of a statement."""


def minified(source: str) -> str:
    """Return the source without docstrings, comments on lines of their own, and blank lines.

    Every other line stays as it is, so that the text does not change with the Python version that
    runs an update. A string of several lines is only dropped, never kept: it could contain such
    lines itself.

    Raises:
        ValueError: a string that is no docstring spans several lines.
    """
    lines = source.splitlines()
    for token, alone in _texts(source):
        (first, column), (last, _) = token.start, token.end
        lines[first - 1] = " " * column + ('""' if alone else "")
        lines[first:last] = [""] * (last - first)
    text = "\n".join(line for line in lines if line.strip() and line.lstrip()[0] != "#")
    if '"""' in text or "'''" in text:
        raise ValueError("a string that is no docstring spans several lines")
    return f"{text}\n"


def _texts(source: str) -> Iterator[tuple[TokenInfo, bool]]:
    """Yield each statement that is a string, and whether it is the only one of its block."""
    tokens = [
        token
        for token in generate_tokens(io.StringIO(source).readline)
        if token.type not in {COMMENT, NL}
    ]
    for index, token in enumerate(tokens):
        if token.type != STRING or tokens[index + 1].type != NEWLINE:
            continue
        before = tokens[index - 1].type if index else NEWLINE
        if before in _LEADING_TOKENS:
            yield token, before == INDENT and tokens[index + 2].type == DEDENT
