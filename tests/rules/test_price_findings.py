"""What findings say of a price's origin, and of a cap that is too low."""

from dataclasses import replace
from decimal import Decimal

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import Caps
from gpuinfra.rules import LockedTotals, judge
from tests.rules.cases.judging import TODAY, findings, group, plan


def priced(rule: str, judged, **changes):
    quote = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    marked = tuple(replace(line, **changes) for line in quote.lines)
    old = tuple(replace(line, **changes) for line in quote.outdated)
    whole = replace(quote, lines=marked, outdated=(*old, *quote.outdated))
    locked = LockedTotals(per_hour=None, per_month=None, per_run=None)
    (finding,) = judge(judged, whole, {}, (), TODAY, only={rule}, locked_totals=locked).findings
    return finding


def test_a_price_of_one_s_own_is_named():
    assert priced("price-unknown", plan(group()), origin="user").message == (
        "every price is known; your own prices: p5.48xlarge"
    )
    assert priced("price-unknown", plan(group())).message == "every price is known"


def test_an_old_price_of_a_lock_is_taken_over_by_the_lock():
    finding = priced("price-outdated", plan(group()), origin="lock")
    fetch = "run `gpuinfra catalog refresh --cloud aws --region us-east-1 --only prices`"
    then = "then `gpuinfra lock SOURCE --update`, or set prices: {accept_outdated: true}"
    assert finding.fix == f"{fetch}, {then}"
    assert priced("price-outdated", plan(group())).fix.startswith("run `gpuinfra catalog refresh ")


def test_an_old_price_of_a_machine_is_fetched_by_a_command_that_runs_as_it_is():
    both = plan(group(), group(cloud="gcp", machine="g2-standard-8", region="us-central1"))
    for each in (group(), group(name="other")):
        both = replace(both, groups=(*both.groups, each))
    refresh = "`gpuinfra catalog refresh --cloud"
    assert priced("price-outdated", both).fix == (
        f"run {refresh} aws --region us-east-1 --only prices` and {refresh} gcp --region "
        "us-central1 --only prices`, or set prices: {accept_outdated: true}"
    )


def test_a_cap_that_is_too_low_is_told_what_it_would_have_to_be():
    short = group(hours=Decimal("1.5"))
    judged = plan(short, caps=Caps(per_hour=Decimal(1), per_run=Decimal(2), per_month=Decimal(3)))

    for rule, end in (
        ("cap-per-hour", "raise budget.per_hour to 55.04"),
        ("cap-per-month", "raise budget.per_month to 40179.20"),
        ("cap-per-run", "raise budget.per_run to 82.56"),
    ):
        assert findings(judged, rule)[0].fix.endswith(end)
    old = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    (doubled,) = judge(judged, old, {}, (), TODAY, only={"cap-per-hour"}).findings
    room = (
        "(covers outdated prices that double; 55.04 is enough with "
        "prices: {accept_outdated: true})"
    )
    assert doubled.fix.endswith(f"raise budget.per_hour to 110.08 {room}")
    (own,) = findings(plan(group()), "cap-per-workload", {"per_hour": "55.035"})
    assert own.fix.endswith("in the settings of this rule: per_hour to 55.04")
