"""Growth of a stack's cost against its lock."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.cost import plan_on_active_rungs
from gpuinfra.rules import LockedTotals, judge
from tests.rules.cases.judging import TODAY, group, plan, quoted

P5 = Decimal("55.04")


GROWTH = "cost-growth"


def grown(locked: LockedTotals | None, settings=None, judged=None):
    ten = Decimal(10)
    judged = plan(group(hours=ten, ends_after=ten)) if judged is None else judged
    quote = quoted(judged)
    given = {GROWTH: settings} if settings else {}
    verdict = judge(
        plan_on_active_rungs(judged, quote),
        quote,
        given,
        (),
        TODAY,
        only={GROWTH},
        locked_totals=locked,
    )
    (finding,) = verdict.findings
    return finding


def lock(hour=None, month=None, run=None, today=None) -> LockedTotals:
    sums = (None if amount is None else Decimal(amount) for amount in (hour, month, run))
    return LockedTotals(
        **dict(zip(("per_hour", "per_month", "per_run"), sums, strict=True)), quote_today=today
    )


@pytest.mark.parametrize(
    ("locked", "settings", "outcome"),
    [
        (lock("55.04"), None, "fine"),
        (lock(P5 / Decimal("1.1")), {"maximum": "10%"}, "fine"),
        (lock("50"), None, "violated"),
        (lock("50"), {"maximum": "10.08%"}, "fine"),
        (lock("50"), {"maximum": "10.07%"}, "violated"),
        (lock("100", "550.40", "550.40"), {"maximum": "0%"}, "fine"),
        (lock("100", "550.39", "550.40"), {"maximum": "0%"}, "violated"),
        (lock("100", "550.40", "550.39"), {"maximum": "0%"}, "violated"),
        (lock("0"), None, "violated"),
    ],
)
def test_a_stack_grows_no_further_than_its_lock_allows(locked, settings, outcome):
    finding = grown(locked, settings)
    assert (finding.outcome, finding.subject) == (outcome, "shop")


def test_growth_is_told_by_its_span_and_share():
    finding = grown(lock("50", "400", "1000"))
    assert finding.message == (
        "up to $55.04 per hour, 10.1% more than the $50.00 of its lock; allowed: 10%; "
        "up to $550.40 per month, 37.6% more than the $400.00 of its lock; allowed: 10%"
    )
    assert grown(lock("0")).message.startswith("up to $55.04 per hour, more than the $0.00")
    assert finding.fix.endswith(": `gpuinfra lock SOURCE --update`")
    named = replace(lock("50"), update_command="gpuinfra lock shop --update")
    assert grown(named).fix.endswith(": `gpuinfra lock shop --update`")


def test_growth_is_counted_at_the_prices_of_today():
    dear = quoted(plan(group(maximum=2, minimum=2)))
    assert grown(lock("55.04", today=dear)).outcome == "violated"
    assert grown(lock("200", today=dear)).outcome == "fine"


def test_growth_without_a_lock_a_price_or_a_run():
    assert grown(None).outcome == "not-applicable"
    odd = plan(group("p9.48xlarge"))
    finding = grown(lock("55.04"), judged=odd)
    assert finding.outcome == "not-knowable"
    assert "p9.48xlarge" in finding.message
    endless = plan(group())
    assert grown(lock("55.04", run="1"), judged=endless).outcome == "fine"
    verdict = judge(endless, None, {}, (), TODAY, only={GROWTH}, locked_totals=lock("1"))
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]
