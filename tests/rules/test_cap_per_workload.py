"""The cap of a workload: what it counts, and what may not be known."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN, Caps
from gpuinfra.rules import judge
from tests.rules.cases.budgets import disk
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan

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


def test_a_small_excess_shows_the_decimals_by_which_it_differs():
    (finding,) = findings(plan(group()), OWN, {"per_hour": P5 - Decimal("0.0001")})
    assert finding.message.endswith("up to $55.0400 per hour, above its cap of $55.0399")


def test_a_workload_s_cap_counts_its_own_disks_and_nothing_shared():
    alone = group()
    shared = disk("trainer", per_machine=False)
    others = disk("other")
    (line,) = estimate(plan(alone, items=(disk("trainer"),)), PricingTerms(as_of=TODAY)).lines[1:]
    assert line.per_hour
    rich = {"per_hour": P5}
    assert outcomes(plan(alone, items=(shared, others)), OWN, rich) == ["fine"]
    assert outcomes(plan(alone, items=(disk("trainer"),)), OWN, rich) == ["violated"]
    enough = {"per_hour": P5 + line.per_hour * 2}  # its price is outdated
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


HOUR = Decimal("55.04")


MONTH = HOUR * 730


def test_the_fix_of_a_workload_raises_the_caps_that_are_exceeded() -> None:
    caps = {"per_hour": HOUR - 1, "per_month": MONTH}

    (finding,) = findings(plan(group()), "cap-per-workload", caps)

    assert finding.outcome == "violated"
    assert finding.fix.endswith("in the settings of this rule: per_hour to 55.04")


@pytest.mark.parametrize(("cap", "outcome"), [(HOUR * 2, "fine"), (HOUR * 2 - 1, "violated")])
def test_a_cap_of_a_workload_holds_with_outdated_prices_that_doubled(cap, outcome):
    """As the stack's cap does, where the setting for one workload is the cap, too."""
    other = group(name="chat", subject="inference.chat")
    settings = {"workloads": {"trainer": {"per_hour": cap}}}
    judged = plan(group(), other)
    by_subject = {
        each.subject: each for each in findings(judged, OWN, settings, outdated_after_days=5)
    }
    found = by_subject["training.trainer"]

    assert (found.outcome, found.level) == (outcome, "mandatory")
    if outcome == "violated":
        words = "up to $110.08 per hour if outdated prices had doubled, above its cap of $109.08"
        assert words in found.message
        assert "prices: {accept_outdated: true}" in found.fix
        assert found.fix.endswith("in the settings of this rule: per_hour to 110.08")
    (month, _) = findings(judged, OWN, {"per_month": cap * 730}, outdated_after_days=5)
    assert month.outcome == outcome


def test_a_raised_cap_of_a_workload_leaves_room_for_prices_that_double() -> None:
    (found,) = findings(plan(group()), OWN, {"per_hour": 1}, outdated_after_days=5)
    assert "above its cap" in found.message
    assert "doubled" not in found.message
    assert found.fix.endswith("per_hour to 110.08")


def test_accepted_and_recent_prices_of_a_workload_count_once() -> None:
    outdated = PricingTerms(as_of=TODAY, outdated_after_days=5)
    accepted = estimate(plan(group()), replace(outdated, accept_outdated=True))
    assert accepted.outdated
    (found,) = judge(
        plan(group()), accepted, {OWN: {"per_hour": HOUR}}, (), TODAY, only={OWN}
    ).findings
    assert found.outcome == "fine"
