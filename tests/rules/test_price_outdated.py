"""Prices that are outdated: how much of a month they are, and the command that fetches them."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import Caps, Item
from gpuinfra.rules import Finding, judge
from gpuinfra.rules.price_outdated import ACCEPT
from tests.rules.cases.budgets import hour
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan, quoted

PLAN = plan(group())
QUOTE = quoted(PLAN)
(LINE,) = QUOTE.lines
MONTH = "$40,179.20"


def judged(*outdated: Any, **changes: Any) -> Finding:
    quote = replace(QUOTE, outdated=outdated, oldest="2025-01-01", **changes)
    (finding,) = (
        it for it in judge(PLAN, quote, {}, (), TODAY).findings if it.rule == "price-outdated"
    )
    return finding


COMMAND = "`gpuinfra catalog refresh --cloud aws --region us-east-1 --only prices`"
OLD = replace(LINE, as_of="2025-01-01")


@pytest.mark.parametrize(
    ("amounts", "said"),
    [
        ((Decimal(100),), "; they make $100.00 of"),
        ((Decimal(100), Decimal(20)), "; they make $120.00 of"),
        ((Decimal(90_000),), f"; they make {MONTH} of"),
        ((None,), ""),
    ],
)
def test_the_outdated_part_of_a_month_is_said(amounts: tuple[Any, ...], said: str) -> None:
    finding = judged(*(replace(OLD, per_month=amount) for amount in amounts))

    of = f"{said} {MONTH} a month" if said else ""
    assert finding.message == f"outdated prices: p5.48xlarge (oldest: 2025-01-01){of}"


def test_outdated_prices_refuse_only_where_a_cap_may_be_exceeded() -> None:
    assert judged(OLD).level == "advisory"
    assert judged(OLD, at_risk=("per_hour may be exceeded",)).level == "mandatory"


@pytest.mark.parametrize(
    ("item", "region", "fix"),
    [
        (
            "p5.48xlarge",
            "us-east-1",
            f"run {COMMAND}, or {ACCEPT}",
        ),
        ("p5.48xlarge", "us-west-2", ACCEPT),
        ("nat-gateway", "us-east-1", ACCEPT),
    ],
)
def test_the_fix_fetches_what_is_outdated(item: str, region: str, fix: str) -> None:
    assert judged(replace(OLD, item=item, region=region)).fix == fix


def test_the_fix_fetches_prices_of_any_machine_of_a_group() -> None:
    mixed = plan(group(machines=("p4d.24xlarge",)))
    quote = replace(QUOTE, outdated=(replace(OLD, item="p4d.24xlarge"),), oldest="2025-01-01")

    findings = judge(mixed, quote, {}, (), TODAY).findings

    (fix,) = (it.fix for it in findings if it.rule == "price-outdated")
    assert "catalog refresh" in fix


P5 = Decimal("55.04")


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        (hour("110.07"), "up to $110.08 per hour if they had doubled, above the cap of $110.07"),
        (Caps(per_month=P5 * 1459), "per month if they had doubled"),
        (Caps(per_hour=P5 * 4, per_run=P5 * 19), "per run if they had doubled"),
    ],
)
def test_outdated_prices_refuse_where_a_cap_would_not_hold_had_they_doubled(caps, message):
    (finding,) = findings(
        plan(group(hours=Decimal(10)) if caps.per_run else group(), caps=caps),
        "price-outdated",
        outdated_after_days=5,
    )

    assert (finding.outcome, finding.level) == ("violated", "mandatory")
    assert message in finding.message


@pytest.mark.parametrize(
    "caps", [hour("110.08"), hour("50"), Caps(), Caps(per_hour=P5 * 2, per_run=P5 * 20)]
)
def test_outdated_prices_warn_where_they_change_no_verdict(caps):
    judged = plan(group(hours=Decimal(10)), caps=caps)
    (finding,) = findings(judged, "price-outdated", outdated_after_days=5)

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert not finding.refuses
    assert re.search(r"; they make \$[\d,.]+ of \$[\d,.]+ a month$", finding.message)


OLD_DISK = Item(
    name="disk",
    subject="u",
    kind="disk",
    cloud="aws",
    item="ebs-io2-iops-tier1",
    unit="IOPS-month",
    quantity=Decimal(730),
    region="us-east-1",
)


def test_only_the_outdated_part_is_doubled():
    for cap, level in (("55.17", "advisory"), ("55.169", "mandatory")):
        (finding,) = findings(plan(group(), caps=hour(cap), items=(OLD_DISK,)), "price-outdated")
        assert finding.level == level


def test_an_outdated_part_below_a_tenth_of_a_percent_is_only_noted():
    old = replace(OLD_DISK, quantity=Decimal(610))
    (finding,) = findings(plan(group(), items=(old,)), "price-outdated")
    assert finding.outcome == "fine"
    assert finding.message.endswith("they make $39.65 of $40,218.85 a month, too little to matter")

    larger = replace(OLD_DISK, quantity=Decimal(630))
    (finding,) = findings(plan(group(), items=(larger,)), "price-outdated")
    assert (finding.outcome, finding.level) == ("violated", "advisory")


def test_a_cap_that_a_negligible_rise_would_exceed_still_refuses():
    old = replace(OLD_DISK, quantity=Decimal(610))
    (finding,) = findings(plan(group(), caps=hour("55.1"), items=(old,)), "price-outdated")
    assert (finding.outcome, finding.level) == ("violated", "mandatory")


def test_outdated_prices_refuse_until_they_are_accepted():
    judged = plan(group(), caps=hour("100"))
    assert outcomes(judged, "price-outdated") == ["fine"]
    assert outcomes(judged, "price-outdated", outdated_after_days=5) == ["violated"]
    accepted = {"outdated_after_days": 5, "accept_outdated": True}
    (finding,) = findings(judged, "price-outdated", **accepted)
    assert finding.outcome == "fine"
    assert "2026-07-20), accepted" in finding.message


def test_of_a_day_before_all_prices_none_is_called_old():
    quote = estimate(plan(group()), PricingTerms(as_of=date(2020, 1, 1)))
    (finding,) = judge(
        plan(group()), quote, {}, (), date(2020, 1, 1), only={"price-outdated"}
    ).findings
    assert finding.message.startswith("no prices of 2020-01-01 are known: the earliest of these")
    assert finding.fix == "set prices: {accept_outdated: true}"
    assert any(words.startswith("no prices of 2020-01-01 are known") for words in quote.warnings)


def test_an_old_price_that_no_refresh_fetches_can_only_be_accepted():
    judged = plan(group())
    quote = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    services = tuple(replace(line, item="nat-gateway") for line in quote.outdated)
    (finding,) = judge(
        judged, replace(quote, outdated=services), {}, (), TODAY, only={"price-outdated"}
    ).findings
    assert finding.fix == "set prices: {accept_outdated: true}"


def test_what_has_no_price_has_no_age():
    (finding,) = findings(plan(group("p9.48xlarge")), "price-outdated")
    assert finding.outcome == "not-applicable"
    both = plan(group(), group("p9.48xlarge", name="other"))
    (finding,) = findings(both, "price-outdated", outdated_after_days=5)
    assert finding.outcome == "violated"


def test_without_a_quote_no_price_is_known_to_be_current():
    verdict = judge(PLAN, None, {}, (), TODAY, only={"price-outdated"})
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]
