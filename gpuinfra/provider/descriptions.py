"""The descriptions of inputs and outputs, from the docstrings of the components."""

import ast
import inspect
import re
from collections.abc import Mapping
from itertools import pairwise
from textwrap import dedent
from typing import Any, Final

_SECTION: Final = re.compile(r"^(Attributes|Args):\n((?: .*\n?|\n)+)", re.MULTILINE)
_ENTRY: Final = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.MULTILINE)


def summary(kind: type) -> str:
    """Return the first paragraph of a class's docstring."""
    return _join_words((inspect.getdoc(kind) or "").partition("\n\n")[0])


def inputs(kind: type) -> Mapping[str, str]:
    """Return a class's descriptions of attributes or arguments by name, from its docstring."""
    return {
        name: _join_words(text)
        for _, section in _SECTION.findall(f"{inspect.getdoc(kind)}\n")
        for name, text in _ENTRY.findall(section)
    }


def outputs(kind: type) -> Mapping[str, str]:
    """Return the texts below the attributes of a class and of its base classes."""
    descriptions: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("gpuinfra.components"):
            descriptions |= _below_attributes(ast.parse(dedent(inspect.getsource(base))).body[0])
    return descriptions


def _below_attributes(defined: Any) -> dict[str, str]:
    body = defined.body
    return {
        statement.target.id: _join_words(next_statement.value.value)
        for statement, next_statement in pairwise(body)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(next_statement, ast.Expr)
        and isinstance(next_statement.value, ast.Constant)
        and isinstance(next_statement.value.value, str)
    }


def _join_words(text: str) -> str:
    return " ".join(text.split())
