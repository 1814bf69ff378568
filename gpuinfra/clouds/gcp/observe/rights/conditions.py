"""The conditions of grants, and whether they exclude anything.

A condition narrows a grant by what it says of the resource, of the request or of the permissions
that it gives on; one that every request meets narrows nothing:
https://docs.cloud.google.com/iam/docs/conditions-attribute-reference
"""

import re
from typing import Any, Final

from gpuinfra.clouds.observing.issuers import split_expression
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import UNKNOWN, Known, Unknown

_QUOTED_TEXT: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_ABOUT: Final = re.compile(r"\b(?:resource|request|destination|api|origin|principal)\s*\.")
"""Attributes that differ from request to request."""
_REQUEST_TIME: Final = re.compile(r"\brequest\.time\b")
_UNTIL: Final = re.compile(
    r"request\.time\s*<=?\s*timestamp\(|timestamp\([^)]*\)\s*>=?\s*request\."
)
_CALL: Final = re.compile(
    r"\.(?:startsWith|endsWith|contains|matches)\(\s*(?:'([^']*)'|\"([^\"]*)\")"
)
_ANY_RESOURCE: Final = re.compile(
    r"(?:\^?\.[*+]\$?)?|/|p(?:r(?:o(?:j(?:e(?:c(?:t(?:s(?:/[^/]*/?)?)?)?)?)?)?)?)?"
    r"|//[^/]*/?|(?:folders|organizations)/?[^/]*/?"
)
"""Texts with which every resource's name begins, ends or is."""


def excludes_resources(condition: Any) -> Known:
    """Return whether a condition excludes some of the grant's resources."""
    if isinstance(condition, Unknown):
        return UNKNOWN
    expression = text(at(condition, "expression")) if condition else None
    if isinstance(expression, Unknown):
        return UNKNOWN
    return expression is not None and _leaves_out(expression.strip())


def _leaves_out(expression: str) -> bool:
    either = list(split_expression(expression, "||"))
    if len(either) > 1:
        return all(map(_leaves_out, either))
    both = list(split_expression(expression, "&&"))
    if len(both) > 1:
        return any(map(_leaves_out, both))
    if expression.startswith("(") and expression.endswith(")"):
        return _leaves_out(expression[1:-1].strip())
    return _tests(expression)


def _tests(expression: str) -> bool:
    """Return whether a test names what it allows; a test that excludes allows the rest."""
    if expression.startswith("!") or not _is_about(expression):
        return False
    if any(len(list(split_expression(expression, sign))) > 1 for sign in ("!=", "?")):
        return False
    if _REQUEST_TIME.search(expression) and not re.search(r"\.get\w+\(", expression):
        return _UNTIL.search(expression) is not None
    sides = list(split_expression(expression, "=="))
    if len(sides) > 1:
        return sum(map(_is_about, sides)) == 1
    return not any(
        _ANY_RESOURCE.fullmatch(first or second) for first, second in _CALL.findall(expression)
    )


def _is_about(expression: str) -> bool:
    return _ABOUT.search(_QUOTED_TEXT.sub("''", expression)) is not None
