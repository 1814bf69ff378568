"""The page of AWS is the code's own: current, whole, and refused where it says so."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from gpuinfra.cli.pages import aws_facts, cases, effects, grammar
from gpuinfra.clouds.aws.account import (
    identity_checks,
    image_checks,
    network_checks,
    place_checks,
    quota_checks,
    service_checks,
)
from gpuinfra.rules import RULES
from tests.cli.conftest import Run
from tests.parsing import parsed
from tests.rules.cases import static_checks

PAGE = Path(__file__).parents[3] / "docs" / "aws.md"
LINK = re.compile(r"\]\(\S+?\)")
CASES = [case for section in cases.sections() for case in section.cases]


def case_of(path: str) -> cases.KeyCase:
    (case,) = [case for case in CASES if case.path == path]
    return case


@pytest.mark.timeout(120)
def test_the_page_is_generated(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "--cloud", "aws", "--format", "markdown")

    assert ran.code == 0
    assert ran.out == PAGE.read_text(), "run make docs"


@pytest.mark.parametrize("page", ["aws", "keys", "rules", "prices-by-region"])
def test_no_line_of_a_generated_page_is_too_long_to_read(page: str) -> None:
    """In a table a line is a row: it counts without the addresses of links, which none sees."""
    text = PAGE.with_name(f"{page}.md").read_text()

    assert [line for line in text.splitlines() if len(LINK.sub("]", line)) > 200] == []


def test_the_page_says_nothing_twice() -> None:
    text = PAGE.read_text()

    assert len(text.splitlines()) <= 1_500
    assert text.split("\n## ")[1:] == list(dict.fromkeys(text.split("\n## ")[1:]))


def test_every_word_of_the_grammar_is_shown_or_says_where_else() -> None:
    shown = {case.path for case in CASES}
    told = cases.omitted_keys()

    def known(word: str) -> bool:
        inside = any(path.startswith(f"{word}.") for path in shown)
        aside = any(word == prefix or word.startswith(f"{prefix}.") for prefix in told)
        return word in shown or inside or aside

    assert [word for word in grammar.key_descriptions() if not known(word)] == [], (
        "write an example of each in gpuinfra/cli/pages/aws_keys.yaml"
    )


def test_every_shown_word_is_one_of_the_grammar() -> None:
    assert {case.path for case in CASES} <= set(grammar.key_descriptions())
    assert set(cases.omitted_keys()) <= set(grammar.key_descriptions())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)
def test_what_is_shown_as_refused_is_refused_and_the_example_is_not(case: cases.KeyCase) -> None:
    taken = [written for written, problems in cases.refusals(case) if not problems]

    assert taken == []
    cases.stack_of(case.base, case.parent_path, case.write)


def test_a_word_shows_what_it_creates_and_costs() -> None:
    effect = effects.effect(case_of("buckets.encryption"))

    assert effect is not None
    assert [name for _, name in effect.creates] == ["data-key-alias", "data-key"]
    assert ("kms-key", "priced") in [(line.item, line.status) for line in effect.costs]
    assert not effect.drops


def test_a_word_shows_what_it_changes() -> None:
    effect = effects.effect(case_of("training.capacity.max_price"))

    assert effect is not None
    assert {name: inputs for (_, name), inputs in effect.changes.items()} == {
        "trainer-launch-template": ("instanceMarketOptions",)
    }
    assert not effect.creates


def test_each_static_check_names_the_rules_that_refuse_its_cases() -> None:
    keepers = defaultdict(set)
    for name, case in static_checks.cases():
        keepers[name.split("-")[0].upper()].add(case.rule)
    listed = aws_facts.checks()

    assert list(listed) == [f"A{number}" for number in range(1, 14)]
    assert {rule for rules in listed.values() for rule in rules} <= {rule.id for rule in RULES}
    assert [check for check, rules in keepers.items() if not rules <= set(listed[check])] == []


def test_the_account_checks_are_those_of_the_doctor() -> None:
    assert set(aws_facts.doctor()) == {
        *(identity_checks.CALLER, identity_checks.RIGHT, identity_checks.PROVIDER),
        *(place_checks.OFFER_CHECK, place_checks.RESERVATION),
        *(service_checks.CONTAINER, service_checks.CERTIFICATE),
        *(service_checks.KEY, service_checks.QUEUE),
        *(image_checks.MACHINE, image_checks.DISK, network_checks.NAME, quota_checks.NAME),
    }


def test_the_trainers_example_is_python_that_uses_the_agents_names() -> None:
    saving, program = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)

    parsed(saving)
    parsed(program)
    assert "CHECKPOINT_URI" in saving
    assert "GPUINFRA_REGION" in saving
    assert "all_reduce" in program
    assert "GPUINFRA_SAVED" in program


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("spot-share", "--cloud", "aws"), "not a rule"),
        (("--cloud", "aws", "--json"), "--format markdown"),
    ],
)
def test_the_page_of_a_cloud_is_markdown_and_nothing_else(
    gpuinfra: Run, given: tuple[str, ...], message: str
) -> None:
    ran = gpuinfra("explain", *given)

    assert ran.code == 2
    assert message in ran.err
