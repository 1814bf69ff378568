"""Caps of workloads, growth against a lock, pools beyond their maximum, budgets, time limits."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.cost import PricingTerms, estimate, plan_on_active_rungs
from gpuinfra.model import UNKNOWN, Caps, Rung
from gpuinfra.rules import RULES, LockedTotals, judge
from tests.rules.cases.budgets import disk
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan, quoted

OWN = "cap-per-workload"

P5 = Decimal("55.04")


def test_the_cap_of_a_workload_holds_to_the_cent():
    two = group(minimum=2, maximum=2, ends_after=Decimal(10))
    at = {"per_hour": P5 * 2, "per_month": P5 * 20}
    (finding,) = findings(plan(two), OWN, at)
    assert (finding.outcome, finding.subject) == ("fine", "training.trainer")
    assert finding.message == (
        "its machines cost up to $110.08 per hour, within its cap of $110.08; its "
        "machines cost up to $1,100.80 per month, within its cap of $1,100.80"
    )
    (hour,) = findings(plan(two), OWN, {**at, "per_hour": "110.07"})
    assert (hour.outcome, hour.message) == (
        "violated",
        "its machines cost up to $110.08 per hour, above its cap of $110.07",
    )
    (month,) = findings(plan(two), OWN, {**at, "per_month": "1100.79"})
    assert month.outcome == "violated"
    assert "per month" in month.message
    assert "per hour" not in month.message
    (both,) = findings(plan(two), OWN, {"per_hour": 1, "per_month": 1})
    assert "per hour, above its cap of $1.00; its machines" in both.message


def test_a_workload_s_cap_counts_its_own_disks_and_nothing_shared():
    alone = group()
    shared = disk("trainer", per_machine=False)
    others = disk("other")
    (line,) = estimate(plan(alone, items=(disk("trainer"),)), PricingTerms(as_of=TODAY)).lines[1:]
    assert line.per_hour
    rich = {"per_hour": P5}
    assert outcomes(plan(alone, items=(shared, others)), OWN, rich) == ["fine"]
    assert outcomes(plan(alone, items=(disk("trainer"),)), OWN, rich) == ["violated"]
    enough = {"per_hour": P5 + line.per_hour}
    assert outcomes(plan(alone, items=(disk("trainer"),)), OWN, enough) == ["fine"]


def test_the_dearest_rung_that_is_left_counts():
    ladder = group(capacity="spot", max_price=Decimal(40))
    ladder = replace(ladder, rungs=(ladder.rung, group().rung))
    assert outcomes(plan(ladder), OWN, {"per_hour": 50}) == ["violated"]
    capped = plan(ladder, caps=Caps(per_hour=Decimal(50)))
    assert outcomes(capped, OWN, {"per_hour": 50}) == ["fine"]
    none_left = plan(ladder, caps=Caps(per_hour=Decimal(1)))
    assert outcomes(none_left, OWN, {"per_hour": 50}) == ["violated"]


def test_a_workload_without_a_price_is_not_known_unless_it_is_above_already():
    odd = group("p9.48xlarge")
    (finding,) = findings(plan(odd), OWN, {"per_hour": 1})
    assert finding.outcome == "not-knowable"
    assert "p9.48xlarge" in finding.message
    part = plan(group(), items=(disk("trainer", UNKNOWN),))
    assert outcomes(part, OWN, {"per_hour": 1}) == ["violated"]
    assert outcomes(part, OWN, {"per_hour": 100}) == ["not-knowable"]


def test_without_a_cap_or_a_quote_a_workload_s_cap_says_so():
    (finding,) = findings(plan(group()), OWN)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
    verdict = judge(plan(group()), None, {OWN: {"per_hour": 1}}, (), TODAY, only={OWN})
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]
    assert outcomes(plan(), OWN, {"per_month": 1}) == ["not-applicable"]


def test_one_workload_may_have_a_cap_of_its_own():
    chat = group(name="chat", subject="inference.chat")
    settings = {"per_hour": 10, "workloads": {"trainer": {"per_hour": 60}}}
    by_subject = {
        finding.subject: finding.outcome
        for finding in findings(plan(group(), chat), OWN, settings)
    }
    assert by_subject == {"training.trainer": "fine", "inference.chat": "violated"}


GROWTH = "cost-growth"


def grown(locked: LockedTotals | None, settings=None, judged=None):
    ten = Decimal(10)
    judged = plan(group(hours=ten, ends_after=ten)) if judged is None else judged
    quote = quoted(judged)
    given = {GROWTH: settings} if settings else {}
    verdict = judge(
        plan_on_active_rungs(judged, quote), quote, given, (), TODAY, only={GROWTH}, locked=locked
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
    assert "gpuinfra lock --update" in finding.fix


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
    verdict = judge(endless, None, {}, (), TODAY, only={GROWTH}, locked=lock("1"))
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({"maximum": 4}, "fine", "at most 4"),
        ({"maximum": UNKNOWN}, "not-knowable", "number of machines"),
        ({"faults": rule_faults("pool-maximum", ("one more",))}, "violated", "one more"),
        (
            {"faults": rule_faults("pool-maximum", ("a", "b")), "maximum": UNKNOWN},
            "violated",
            "a; b",
        ),
        ({"faults": rule_faults("pool-maximum", UNKNOWN)}, "not-knowable", "exceed its maximum"),
    ],
)
def test_no_pool_outgrows_what_the_caps_count(changes, outcome, words):
    (finding,) = findings(plan(group(**changes)), "pool-maximum")
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message
    assert outcomes(plan(), "pool-maximum") == ["not-applicable"]


@pytest.mark.parametrize(
    ("kept", "cap", "outcome", "words"),
    [
        (None, None, "violated", "no monthly budget in the cloud counts these machines"),
        (None, 100, "noted", "no monthly budget in the cloud counts these machines"),
        (UNKNOWN, 100, "not-knowable", "is unknown"),
        (100, 100, "fine", "the cloud's budget is $100.00 a month; its alerts arrive hours late"),
        (100, None, "fine", "budget is $100.00"),
        (101, 100, "violated", "of $101.00 a month is above the cap of $100.00"),
    ],
)
def test_a_budget_stands_in_the_cloud_itself(kept, cap, outcome, words):
    limit = Decimal(kept) if isinstance(kept, int) else kept
    caps = Caps(per_month=None if cap is None else Decimal(cap))
    (finding,) = findings(plan(group(), caps=caps, cloud_budget=limit), "cloud-budget")
    assert (finding.outcome, finding.level, finding.subject) == (outcome, "advisory", "shop")
    assert words in finding.message
    assert outcomes(plan(caps=caps, cloud_budget=limit), "cloud-budget") == ["not-applicable"]


@pytest.mark.parametrize(
    ("caps", "from_file", "outcome"),
    [
        (Caps(per_hour=Decimal(9)), True, "noted"),
        (Caps(per_run=Decimal(9)), True, "noted"),
        (Caps(), True, "violated"),
        (Caps(per_hour=Decimal(9)), False, "noted"),
        (Caps(), False, "violated"),
    ],
)
def test_a_missing_budget_is_only_noted_with_caps(caps, from_file, outcome):
    judged = plan(group(), caps=caps, from_file=from_file)
    assert outcomes(judged, "cloud-budget") == [outcome]


@pytest.mark.parametrize(
    ("purpose", "ends", "outcome"),
    [
        ("training", True, "fine"),
        ("training", False, "violated"),
        ("training", None, "violated"),
        ("training", UNKNOWN, "not-knowable"),
        ("unknown", True, "fine"),
        ("unknown", False, "not-knowable"),
        ("inference", False, "not-applicable"),
    ],
)
def test_training_ends_after_a_time(purpose, ends, outcome):
    (finding,) = findings(plan(group(purpose=purpose, ends=ends)), "time-limit")
    assert (finding.outcome, finding.level) == (outcome, "advisory")
    if outcome == "not-knowable":
        assert ("unknown whether it trains" in finding.message) is (purpose == "unknown")


@pytest.mark.parametrize(("end", "outcome"), [(12, "violated"), (24, "fine"), (None, "fine")])
def test_machines_that_end_before_their_run_are_told(end, outcome):
    within = None if end is None else Decimal(end)
    early = group(ends=True, ends_within=within, hours=Decimal(24))
    (finding,) = findings(plan(early), "time-limit")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message == "its machines end after 12 h, before its run of 24 h ends"


@pytest.mark.parametrize("stated", ["ends_after", "ends_claimed"])
def test_the_hours_that_are_left_of_a_run_are_not_its_length(stated):
    begun = group(ends=True, ends_within=Decimal("2.8"), hours=Decimal(4), **{stated: Decimal(5)})
    (finding,) = findings(plan(begun), "time-limit")
    assert finding.outcome == "fine"


def test_a_capacity_block_ends_its_machines():
    block = group(ends=False)
    rung = Rung(capacity="capacity-block", machine="p5.48xlarge", region="us-east-1", zones=())
    (finding,) = findings(plan(replace(block, rungs=(rung,))), "time-limit")
    assert (finding.outcome, finding.message) == (
        "fine",
        "its machines end with their capacity block",
    )


@pytest.mark.parametrize(
    ("rule", "firm"),
    [
        *((rule, True) for rule in ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run")),
        *(("price-unknown", True), ("price-outdated", True)),
        *((rule, False) for rule in (OWN, GROWTH, "pool-maximum", "cloud-budget", "time-limit")),
    ],
)
def test_the_caps_and_what_they_stand_on_can_t_be_waived(rule, firm):
    (judging,) = (candidate for candidate in RULES if candidate.id == rule)
    assert judging.firm is firm
