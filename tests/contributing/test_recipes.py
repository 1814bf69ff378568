"""The recipes of docs/contributing.md do what the page says, in as many files as it says."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contributing.house import PACKAGE, ROOT, House

PAGE = (ROOT / "docs/contributing.md").read_text()
STACK = ROOT / "stacks/quickstart"
pytestmark = pytest.mark.slow
BLOCK = re.compile(
    r"^```(python|yaml|json|diff)\n# ((?:gpuinfra|tests)/\S+)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture
def follow(tmp_path: Path) -> Callable[[str], House]:
    """Follows a recipe of the page in a copy of the package, which the linter then accepts."""

    def followed(recipe: str) -> House:
        house = House.copied(tmp_path)
        section = PAGE.split(f"\n### {recipe}\n")[1].split("\n### ")[0]
        for kind, name, text in BLOCK.findall(section):
            if kind == "diff":
                house.patch(name, text)
            else:
                house.write(name, text)
        house.lint()
        return house

    return followed


def promised(recipe: str) -> int:
    match = re.search(rf"^\| {re.escape(recipe)} \| (\d+) \| .+ \|$", PAGE, re.MULTILINE)
    assert match
    return int(match[1])


def judged(house: House, rule: str) -> dict[str, str]:
    told = json.loads(house.cli("check", str(STACK), "--json", exits=1))
    return {
        finding["subject"]: finding["outcome"]
        for finding in told["findings"]
        if finding["rule"] == rule
    }


TABLES_OF_RULES = (
    *("tests/report/test_examples.py", "tests/rules/test_table_of_rules.py"),
    "tests/architecture/test_modules_of_rules.py",
)
ALL_RULES = "test_the_rules or test_every_rule"


def resources(house: House, stack: Path = STACK) -> list[dict[str, Any]]:
    return json.loads(house.cli("plan", str(stack), "--resources", "--json"))["resources"]


def test_a_rule_on_known_facts(follow: Callable[[str], House]) -> None:
    house = follow("a rule on known facts")

    assert judged(house, "small-groups") == {
        "training.trainer": "fine",
        "inference.chat": "violated",
    }
    assert len(house.counted) == promised("a rule on known facts")
    house.tests(
        *TABLES_OF_RULES, "tests/rules/test_small_groups.py", "-k", f"small or {ALL_RULES}"
    )


def test_a_fact_of_one_cloud_and_its_rule(follow: Callable[[str], House]) -> None:
    house = follow("a fact of one cloud and its rule")

    assert set(judged(house, "slow-figures").values()) == {"violated"}
    assert len(house.counted) == promised("a fact of one cloud and its rule")
    house.tests(*TABLES_OF_RULES, "tests/rules/test_slow_figures.py", "-k", f"slow or {ALL_RULES}")


def test_a_word_of_the_stack_file(follow: Callable[[str], House], tmp_path: Path) -> None:
    house = follow("a word of the stack file")
    stack = Path(shutil.copytree(STACK, tmp_path / "stack")) / "stack.yaml"
    port = "    port: 8000\n"
    stack.write_text(stack.read_text().replace(port, f"{port}    slow_start: 60s\n"))

    inputs = [resource["inputs"] for resource in resources(house, stack)]
    assert [given["slowStart"] for given in inputs if "slowStart" in given] == [60]
    assert "slow_start" in house.cli("explain", "--cloud", "all", "--format", "markdown")
    house.tests("tests/cli/pages/test_aws.py", "-k", "slow_start or word_of_the_grammar")
    assert len(house.counted) == promised("a word of the stack file")


def test_a_resource_of_aws(follow: Callable[[str], House]) -> None:
    house = follow("a resource of AWS")
    house.digests()

    assert "aws:autoscaling/notification:Notification" in {
        resource["type"] for resource in resources(house)
    }
    assert "PutNotificationConfiguration" in house.cli("iam", str(STACK))
    assert len(house.counted) == promised("a resource of AWS")


def test_a_machine_and_its_price(follow: Callable[[str], House]) -> None:
    house = follow("a machine and its price")
    house.digests()

    shown = house.cli("catalog", "show", "ecs.gn9.2xlarge", "--json")
    assert json.loads(shown)["machine"]["source"] == "https://example.com/machines"
    assert "https://example.com/prices" in shown
    assert len(house.counted) == promised("a machine and its price")


def test_the_tests_that_the_page_names_are_there() -> None:
    named = re.findall(r"^\| a .+ \| \d+ \| .*?`(.+?)`", PAGE, re.MULTILINE)
    paths = [path for line in named for path in line.partition(" -m ")[0].split()]

    assert len(named) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []


def with_tables(house: House) -> None:
    """Give the toy cloud the package and the tables of the shortest priced cloud."""
    for path in sorted((PACKAGE / "clouds/alibaba").glob("**/*.*")):
        name = f"gpuinfra/clouds/toycloud/{path.relative_to(PACKAGE / 'clouds/alibaba')}"
        if path.suffix in {".py", ".json"} and name not in house.touched:
            text = path.read_text().replace("clouds.alibaba", "clouds.toycloud")
            house.write(name, text.replace('"alibaba"', '"toycloud"'))
    house.digests()


def test_a_priced_cloud(follow: Callable[[str], House]) -> None:
    house = follow("a priced cloud")
    with_tables(house)

    told = json.loads(house.cli("choose", "A100:8", "--cloud", "toycloud", "--json"))
    assert told["winner"]["machine"]["cloud"] == "toycloud"
    assert len({path.split("/")[2] for path in house.counted}) == promised("a priced cloud")


BUCKETS = """\
version: 1
name: data
owner: ml
where: {cloud: toycloud, regions: [us-east-1]}
budget: {per_hour: 10, per_month: 100}
prices: {accept_outdated: true}
buckets:
  tokens: {size: 500GB}
"""


def test_a_built_cloud(follow: Callable[[str], House], tmp_path: Path) -> None:
    house = follow("a built cloud")
    with_tables(house)
    stack = tmp_path / "stack.yaml"
    stack.write_text(BUCKETS)

    assert [
        resource["inputs"]["versioned"]
        for resource in resources(house, stack)
        if resource["type"] == "toy:storage/bucket:Bucket"
    ] == [True]
    answer = json.loads(house.cli("check", str(stack), "--json"))
    outcomes = {finding["rule"]: finding["outcome"] for finding in answer["findings"]}
    assert outcomes["bucket-private"] == outcomes["price-unknown"] == "fine"
    assert "$8.00" in house.cli("cost", str(stack))
    assert len({path.split("/")[2] for path in house.counted}) == promised("a built cloud")
