"""Caps and prices together: what none of them knows, and which can't be waived."""

from decimal import Decimal

import pytest

from gpuinfra.model import Caps
from gpuinfra.rules import RULES, judge
from tests.rules.cases.judging import TODAY, group, plan


def test_without_a_quote_money_is_not_knowable():
    caps = Caps(per_hour=Decimal(1), per_run=Decimal(1), per_month=Decimal(1))
    verdict = judge(plan(group(), caps=caps), None, {}, (), TODAY)
    unknown = {finding.rule for finding in verdict.findings if finding.outcome == "not-knowable"}
    money = {"cap-per-hour", "cap-per-month", "cap-per-run", "price-unknown", "price-outdated"}
    assert money <= unknown


@pytest.mark.parametrize(
    ("rule", "firm"),
    [
        *((rule, True) for rule in ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run")),
        *(("price-unknown", True), ("price-outdated", True)),
        *((rule, False) for rule in ("cap-per-workload", "cost-growth", "pool-maximum")),
        *((rule, False) for rule in ("cloud-budget", "time-limit")),
    ],
)
def test_the_caps_and_what_they_stand_on_can_t_be_waived(rule, firm):
    (judging,) = (candidate for candidate in RULES if candidate.id == rule)
    assert judging.firm is firm
