"""The text of Firebase security rules, split where no bracket is open."""

import re
from collections.abc import Iterator
from typing import Final

_COMMENT_OR_STRING: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
_ALLOW: Final = re.compile(r"\ballow\s+(?P<acts>\w+(?:\s*,\s*\w+)*)\s*(?P<asks>:\s*(?:if\b)?)?")
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_MOST_AROUND: Final = 20
"""Brackets around an expression that are taken off."""


def mask_comments_and_strings(rules: str) -> str:
    """Return rules without comments, and with the text of each string as hex digits."""
    return _COMMENT_OR_STRING.sub(_mask_match, rules)


def _mask_match(skipped: re.Match[str]) -> str:
    text = skipped[0]
    return " " if text.startswith("/") else f'"{text[1:-1].encode().hex()}"'


def allow_statements(rules: str) -> Iterator[tuple[str, str]]:
    """Yield what each rule allows, and its condition: `true` where it has none."""
    for rule in _ALLOW.finditer(rules):
        condition = rules[rule.end() : _end(rules, rule.end())].strip()
        yield rule["acts"], condition or "true"


def _end(rules: str, start: int) -> int:
    """Return where the condition of a rule ends."""
    following = _ALLOW.search(rules, start)
    last = len(rules) if following is None else following.start()
    depth = 0
    for position in range(start, last):
        sign = rules[position]
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth < 0 or (sign == ";" and depth == 0):
            return position
    return last


def closing(text: str, start: int) -> int:
    """Return where the bracket at `start` is closed; the end of the text if it is not."""
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] in _OPENING) - (text[position] in _CLOSING)
        if depth == 0:
            return position
    return len(text)


def strip_brackets(text: str) -> str:
    """Return an expression without white space around it and brackets around all of it."""
    text = text.strip()
    for _ in range(_MOST_AROUND):
        if not text.startswith("(") or closing(text, 0) != len(text) - 1:
            break
        text = text[1:-1].strip()
    return text


def split_outside_brackets(text: str, sign: str) -> list[str]:
    """Return the parts of an expression between signs outside brackets."""
    parts, start = [], 0
    for position in _positions_outside_brackets(text):
        if position >= start and text.startswith(sign, position):
            parts.append(text[start:position])
            start = position + len(sign)
    return [*parts, text[start:]]


def split_choice(text: str) -> tuple[str, str, str] | None:
    """Return the three parts of `a ? b : c`, or None."""
    positions = [
        position for position in _positions_outside_brackets(text) if text[position] in "?:"
    ]
    signs = "".join(text[position] for position in positions)
    if not signs.startswith("?") or ":" not in signs:
        return None
    open_, second = 0, -1
    for position, sign in zip(positions, signs, strict=True):
        open_ += 1 if sign == "?" else -1
        if open_ == 0:
            second = position
            break
    if second < 0:
        return None
    return text[: positions[0]], text[positions[0] + 1 : second], text[second + 1 :]


def arguments_of(text: str) -> list[str]:
    """Return the arguments of a call."""
    return split_outside_brackets(text, ",") if text.strip() else []


def _positions_outside_brackets(text: str) -> Iterator[int]:
    """Yield the places that no bracket surrounds."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0 and sign not in _CLOSING:
            yield position
