"""Each test that docs/evidence.md names is there."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.parsing import parsed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence.md"
NAMED = re.compile(r"`(?P<file>[\w/]+\.py)::(?P<function>\w+)`")


@cache
def _functions(file: str) -> frozenset[str]:
    """The names of a module's functions; none where it is gone."""
    path = ROOT / "tests" / file
    nodes = ast.walk(parsed(path.read_text("utf-8"))) if path.is_file() else ()
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def _is_there(file: str, function: str) -> bool:
    return function in _functions(file)


def test_the_page_names_tests_that_exist() -> None:
    named = NAMED.findall(PAGE.read_text("utf-8"))

    assert len(named) > 100
    assert [test for test in named if not _is_there(*test)] == []


def test_each_row_names_a_test() -> None:
    table = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    rows = [line for line in table if not line.endswith(("| test |", "| --- |"))]

    assert len(rows) > 50
    assert [row for row in rows if not NAMED.search(row)] == []


def test_a_test_that_is_gone_is_found() -> None:
    here = "readme/test_evidence.py"

    assert _is_there(here, "test_a_test_that_is_gone_is_found")
    assert not _is_there(here, "test_that_is_gone")
    assert not _is_there("readme/test_gone.py", "test_a_test_that_is_gone_is_found")
