"""A name says what it holds, and not that it is one, or was found, made, meant, said or asked."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parsing import parsed

ROOT = Path(__file__).parents[2]
EMPTY = {
    "asked",
    "found",
    "held",
    "it",
    "made",
    "meant",
    "one",
    "said",
    "spared",
    "spoken",
    "wanted",
}


def test_each_name_says_what_it_holds() -> None:
    files = list(ROOT.glob("gpuinfra/**/*.py"))

    empty = [
        f"{file.relative_to(ROOT)}:{line} {name}"
        for file in files
        for line, name in bound(parsed(file.read_text("utf-8")))
        if name in EMPTY
    ]

    assert len(files) > 500
    assert empty == []


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "found: int",
        "(found := 1)",
        "for number, found in (): ...",
        "[found for found in ()]",
        "f'{[found for found in ()]}'",
        "lambda found: 1",
        "def read(*, found=1): ...",
        "def found(): ...",
        "class found: ...",
        "self.found = 1",
        "import json as found",
        "from json import found",
        "try: ...\nexcept OSError as found: ...",
        "match 1:\n case [found]: ...",
        "match 1:\n case [*found]: ...",
        "match 1:\n case {**found}: ...",
    ],
)
def test_a_name_is_seen_wherever_it_is_bound(source: str) -> None:
    assert "found" in {name for _, name in bound(parsed(source))}


def test_a_name_that_is_only_used_is_not_bound() -> None:
    assert list(bound(parsed("print(found, of.said, key=asked)"))) == []


def bound(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names that a module binds, each with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.alias():
                yield node.lineno, node.asname or node.name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield node.lineno, name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield node.lineno, name
            case _:
                pass
