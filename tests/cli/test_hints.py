"""Every command that gpuinfra or its pages tell a reader to run is one that gpuinfra takes."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from gpuinfra.cli import cli
from gpuinfra.cli.hints import RunningCommand, command_with, command_with_value
from tests.cli.hints import hints_in, takes

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gpuinfra"
PARTS = sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("**/*.py")})

PAGES = [
    ROOT / "README.md",
    ROOT / "policies/README.md",
    *sorted(path for path in ROOT.glob("docs/**/*.md") if path.name != "CHANGELOG.md"),
]
WORDS = {"cloud": "aws", "target": "sandbox"}
"""A word that stands for a variable whose value is one of a few."""

BLOCK = re.compile(r"^```(?:sh|bash|console|text)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"^(?:\$ )?gpuinfra (?P<words>[a-z].*)$", re.MULTILINE)


def texts(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings; a value that is filled in as one word."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    skipped = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield filled(node.values)
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            yield re.sub(r"\{\w*\}", "", str(node.value))


def filled(parts: Sequence[ast.expr]) -> str:
    """The text of an f-string, with a word in place of each value; options may be left out."""
    text = ""
    for part in parts:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif isinstance(part, ast.FormattedValue) and not text[-1:].isalnum():
            text += WORDS.get(ast.unparse(part.value), "1")
    return text


@pytest.mark.parametrize("part", PARTS)
def test_a_message_names_commands_that_are_there(part: str) -> None:
    """The pages of the documentation that code writes are read as pages."""
    place = PACKAGE / part
    for path in place.glob("**/*.py") if place.is_dir() else [place]:
        if "/cli/pages/" not in path.as_posix():
            for hint in (hint for text in texts(path) for hint in hints_in(text)):
                takes(hint)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_shows_commands_that_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("\\`", "`")
    shown = [
        line["words"] for block in BLOCK.finditer(text) for line in LINE.finditer(block["text"])
    ]

    for hint in (*shown, *hints_in(BLOCK.sub("", text))):
        takes(hint)


@pytest.mark.parametrize("hint", ["nope", "check --nope", "catalog nope", "lock a b", "up --rung"])
def test_a_command_that_is_not_there_is_found(hint: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        takes(hint)


def test_a_hint_leaves_out_the_options_of_one_run_with_their_values() -> None:
    waiving = ("--write-waivers", "--owner", "ml", "--reason=a -q", "--until", "2026-12-01", "-q")
    typed = ("check", "stack.yaml", *waiving, "--base", "main")
    root = click.Context(cli, obj=RunningCommand(arguments=typed))
    check = cli.get_command(root, "check")
    assert check is not None

    with click.Context(check, parent=root, info_name="check"):
        assert command_with("--fix") == "gpuinfra check stack.yaml --base main --fix"
        assert command_with_value("--base", "old") == "gpuinfra check stack.yaml --base old"
