"""Prices that are unknown, counted at a bound, or may not exist, in the words of the rule."""

from dataclasses import replace
from typing import Any

from gpuinfra.cost import Quote
from gpuinfra.model import NotJudged
from gpuinfra.rules import judge
from tests.rules.cases.judging import TODAY, group, plan, quoted

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
