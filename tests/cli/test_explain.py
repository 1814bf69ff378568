import json
from pathlib import Path

import pytest

from gpuinfra.report import pages
from gpuinfra.report.pages import EXPLAINED
from tests.cli.conftest import Run
from tests.cli.test_json import documented

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_a_rule_is_explained_with_why_settings_and_both_examples(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "spot-share")

    assert ran.code == 0
    for words in (
        "Too few GPUs on spot cost more than needed",
        ("setting: minimum: minimum share on spot; a share, for example 60%; default none"),
        "violated:\n  rules:",
        "fine:\n  rules:",
        "capacity: [on-demand]",
        "capacity: [spot]",
    ):
        assert words in ran.out


def test_without_a_rule_all_are_listed(gpuinfra: Run) -> None:
    ran = gpuinfra("explain")

    assert ran.code == 0
    for rule in EXPLAINED:
        assert rule.id in ran.out
        assert rule.title in ran.out


def test_a_misspelt_rule_gets_a_hint(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "metadat-v2")

    assert ran.code == 2
    assert "did you mean 'metadata-v2'" in ran.err


@pytest.mark.parametrize("arguments", [(), ("cap-per-hour",)])
def test_as_json_it_has_the_documented_keys(gpuinfra: Run, arguments: tuple[str, ...]) -> None:
    rules = json.loads(gpuinfra("explain", *arguments, "--json").out)

    assert len(rules) == (1 if arguments else len(EXPLAINED))
    assert all(set(rule) == documented()["explain"] for rule in rules)


def test_the_page_of_the_rules_is_generated(gpuinfra: Run) -> None:
    assert PAGE.read_text() == gpuinfra("explain", "--format", "markdown").out, "run make docs"


def test_the_page_begins_with_one_table_of_all_rules() -> None:
    lines = pages.page().split("\n")
    start = lines.index("| id | family | level | title |") + 2
    table = lines[start : start + len(EXPLAINED)]

    assert [row.split("](#")[1].split(")")[0] for row in table] == [rule.id for rule in EXPLAINED]
    assert not lines[start + len(EXPLAINED)]
