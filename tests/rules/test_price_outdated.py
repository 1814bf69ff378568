"""Prices that are outdated: how much of a month they are, and the command that fetches them."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.rules import Finding, judge
from gpuinfra.rules.price_outdated import ACCEPT
from tests.rules.cases.judging import TODAY, group, plan, quoted

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
