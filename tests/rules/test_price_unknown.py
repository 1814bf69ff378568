"""Prices that are unknown, counted at a bound, or may not exist, in the words of the rule."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.cost import Quote
from gpuinfra.model import UNKNOWN, NotJudged
from gpuinfra.rules import judge
from tests.rules.cases.budgets import disk, hour
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan, quoted

PLAN = plan(group())


QUOTE = quoted(PLAN)


(LINE,) = QUOTE.lines


def judged(quote: Quote | None) -> list[tuple[Any, ...]]:
    verdict = judge(PLAN, quote, {}, (), TODAY)
    return [
        (it.outcome, it.subject, it.message, it.level)
        for it in verdict.findings
        if it.rule == "price-unknown"
    ]


def test_known_prices_are_fine() -> None:
    assert judged(QUOTE) == [("fine", "shop", "every price is known", "mandatory")]


def test_without_a_quote_nothing_is_known() -> None:
    assert judged(None) == [
        ("not-knowable", "shop", "no quote was made for this plan", "mandatory")
    ]


def test_own_prices_are_named() -> None:
    own = replace(QUOTE, lines=(replace(LINE, origin="user"),))

    assert judged(own)[0][2] == "every price is known; your own prices: p5.48xlarge"


def test_bounds_are_an_advice() -> None:
    bound = replace(QUOTE, bounded=(replace(LINE, region="mars-1"),))

    ((outcome, subject, message, level),) = judged(bound)

    assert (outcome, subject, level) == ("violated", "shop", "advisory")
    assert message.startswith("counted at a bound, ")
    assert message.endswith("× the highest known price: p5.48xlarge in mars-1")


def test_a_price_that_no_line_names_is_the_stack_s() -> None:
    reasons = replace(QUOTE, unpriced=("the plan has no price", "nor that"))

    assert judged(reasons) == [
        ("violated", "shop", "the plan has no price", "mandatory"),
        ("violated", "shop", "nor that", "mandatory"),
    ]


def test_a_price_of_a_line_is_of_its_resource() -> None:
    line = replace(LINE, subject="urn:trainer", status="unpriced", note="no price for it")
    reasons = replace(QUOTE, lines=(line,), unpriced=("trainer: no price for it", "nor that"))

    assert [found[:3] for found in judged(reasons)] == [
        ("violated", "urn:trainer", "no price for it"),
        ("violated", "shop", "nor that"),
    ]


def test_what_may_have_no_price_is_not_known() -> None:
    row = NotJudged(subject="urn:hidden", type="aws:a/b:C", reason="its type is not known yet")

    assert judged(replace(QUOTE, undecided=(row,))) == [
        ("not-knowable", "urn:hidden", "its type is not known yet", "mandatory")
    ]


@pytest.mark.parametrize(
    "unpriced",
    [
        {"groups": (group("p9.48xlarge"),)},
        {"groups": (group(region="unknown"),)},
        {"groups": (group(maximum=UNKNOWN),)},
        {"not_judged": (NotJudged(subject="u", type="aws:rds/instance:Instance", reason="r"),)},
    ],
    ids=["machine", "region", "count", "type"],
)
def test_what_has_no_price_fails_closed(unpriced):
    groups = unpriced.pop("groups", ())
    judged = plan(*groups, caps=hour("1000"), **unpriced)
    assert outcomes(judged, "price-unknown") == ["violated"]
    assert outcomes(judged, "cap-per-hour") == ["not-knowable"]


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        ("aws:rds/*", "fine"),
        ("aws:rds/instance:Instance", "fine"),
        ("aws:rds/cluster:Cluster", "violated"),
        ("aws:rd/*", "violated"),
        ("aws:rds:*", "violated"),
        ("aws:redshift/*", "violated"),
    ],
)
def test_a_service_may_be_left_out_of_the_caps(entry, outcome):
    database = NotJudged(subject="u", type="aws:rds/instance:Instance", reason="no table has it")
    stack = plan(not_judged=(database,))
    assert outcomes(stack, "price-unknown", not_counted=(entry,)) == [outcome]


def test_a_type_that_is_not_counted_is_let_through():
    missing = NotJudged(subject="u", type="aws:rds/instance:Instance", reason="r")
    judged = plan(not_judged=(missing,))
    counted = {"not_counted": ("aws:rds/instance:Instance",)}
    assert outcomes(judged, "price-unknown", **counted) == ["fine"]


def test_what_has_no_price_is_named_by_its_subject():
    known, other = group(), group("p9.48xlarge", name="other", subject="training.other")
    (finding,) = findings(plan(known, other), "price-unknown")
    assert finding.subject == "training.other"
    assert "p9.48xlarge" in finding.message


def test_a_machine_type_that_no_table_has_is_called_unknown():
    (finding,) = findings(plan(group("p4d.25xlarge")), "price-unknown")
    assert finding.message.startswith("no on-demand price for p4d.25xlarge in ")
    assert finding.message.endswith(
        ": no table of aws has this machine type; did you mean p4d.24xlarge?"
    )
    (other,) = findings(plan(group("mac2.metal")), "price-unknown")
    assert other.message.endswith("no table of aws has this machine type")
    assert finding.fix.startswith(
        "correct the machine type to p4d.24xlarge; if it exists, add its price to prices.yaml"
    )
    assert "not_counted" not in finding.fix
    (known,) = findings(plan(group("p5.48xlarge", region="eu-west-3")), "price-unknown")
    assert known.message == "no on-demand price for p5.48xlarge in eu-west-3"
    assert known.fix.endswith("not_counted does not apply to machines of a known type")


def test_what_stands_alone_without_a_price_is_named_by_its_own_subject():
    loose = disk("loose", UNKNOWN, group=None, per_machine=False, region="us-east-1")
    (finding,) = findings(plan(group(), items=(loose,)), "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", "loose")


def test_to_state_the_level_of_a_firm_rule_changes_nothing() -> None:
    bounded = replace(QUOTE, bounded=(LINE,))
    for level in ({}, {"level": "mandatory"}):
        verdict = judge(PLAN, bounded, {"price-unknown": level}, (), TODAY, only=["price-unknown"])
        assert [(it.outcome, it.level) for it in verdict.findings] == [("violated", "advisory")]
