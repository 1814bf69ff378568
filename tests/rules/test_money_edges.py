"""Money rules at their edges: whose prices, how old, what is meant where nobody says it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import NOWHERE, Caps, Item, NotJudged
from gpuinfra.rules import Finding, LockedTotals, judge
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan

LOCKED = LockedTotals(per_hour=None, per_month=None, per_run=None)


def findings_of(judged, quote, rule) -> list[Finding]:
    return [
        finding
        for finding in judge(judged, quote, {}, (), TODAY, locked_totals=LOCKED).findings
        if finding.rule == rule
    ]


def quoted(judged, **terms):
    return estimate(judged, PricingTerms(as_of=TODAY, **terms))


def of_origin(quote, origin, only=lambda line: True):
    changed = {
        name: tuple(
            replace(line, origin=origin) if only(line) else line for line in getattr(quote, name)
        )
        for name in ("lines", "outdated")
    }
    return replace(quote, **changed)


def test_prices_of_one_s_own_are_named_where_every_price_is_known():
    judged = plan(group())
    quote = quoted(judged)
    (plain,) = findings_of(judged, quote, "price-unknown")
    assert plain.message == "every price is known"
    (own,) = findings_of(judged, of_origin(quote, "user"), "price-unknown")
    assert own.message == "every price is known; your own prices: p5.48xlarge"


def test_where_a_lock_holds_old_prices_the_way_out_is_the_lock():
    two = plan(group(), group("g6.xlarge", name="chat", purpose="inference"))
    quote = quoted(two, outdated_after_days=5)
    (open_,) = findings_of(two, quote, "price-outdated")
    assert open_.fix.startswith("run `gpuinfra catalog refresh ")
    locked = of_origin(quote, "lock", lambda line: line.item == "g6.xlarge")
    (held,) = findings_of(two, locked, "price-outdated")
    assert held.fix == open_.fix.replace(", or ", ", then `gpuinfra lock SOURCE --update`, or ")


def test_an_unpriced_thing_of_no_group_is_named_by_its_subject():
    item = Item(
        name="log",
        subject="urn:log",
        kind="disk",
        cloud="aws",
        item="no-such-item",
        unit="GB",
        quantity=Decimal(1),
        region="us-east-1",
    )
    (finding,) = findings(plan(group(), items=(item,)), "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", "urn:log")
    (mine,) = findings(plan(group(), items=(replace(item, group="trainer"),)), "price-unknown")
    assert (mine.outcome, mine.subject) == ("violated", "urn:log")


def test_where_nothing_is_trained_a_cap_per_run_says_so():
    judged = plan(group(purpose="inference"), caps=Caps(per_run=Decimal(1)))
    assert findings(judged, "cap-per-run")[0].message == "nothing trains"
    uncapped = plan(group(), caps=Caps())
    assert findings(uncapped, "cap-per-run")[0].message == "no cap per run"


@pytest.mark.parametrize(
    ("purpose", "words"),
    [
        ("training", "the duration is unknown"),
        ("unknown", "the duration is unknown, and its purpose is unknown too"),
    ],
)
def test_a_run_without_an_end_says_what_is_missing(purpose, words):
    judged = plan(group(purpose=purpose), caps=Caps(per_run=Decimal(1)))
    assert findings(judged, "cap-per-run")[0].message == words


@pytest.mark.parametrize("stops", [True, False])
def test_a_development_machine_under_a_cap_per_run_is_told_the_way_out(stops):
    built = group(purpose="training")
    box = replace(built, lifecycle=replace(built.lifecycle, stops_idle=stops))
    declared = replace(plan(box, caps=Caps(per_run=Decimal(1))), from_file=True)
    (finding,) = findings(declared, "cap-per-run")

    assert finding.outcome == "not-knowable"  # an endless run never passes
    assert (
        finding.message == "no duration, so it counts as a development machine, which has no run"
    )
    assert "duration: 8h and runs: 20" in finding.fix


BLOCK = {"capacity": "capacity-block", "hours": Decimal(24)}


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        (None, "fine"),
        ("2026-08-02T11:30:00Z", "fine"),
        ("2026-08-01T12:00:00Z", "violated"),
    ],
)
def test_a_run_ends_before_its_capacity_block(ends, outcome):
    built = group(**BLOCK)
    rung = replace(built.rung, ends=ends)
    assert outcomes(plan(replace(built, rungs=(rung,))), "capacity-block") == [outcome]


def test_a_way_out_of_what_is_not_knowable_is_that_of_the_rule():
    (finding,) = findings(plan(group(), caps=Caps(per_hour=Decimal(1))), "cap-per-hour")
    assert "budget.per_hour" in finding.fix
    verdict = judge(plan(group(), caps=Caps(per_hour=Decimal(1))), None, {}, (), date.max)
    (hidden,) = [finding for finding in verdict.findings if finding.rule == "cap-per-hour"]
    assert hidden.outcome == "not-knowable"
    assert "budget.per_hour" in hidden.fix


def test_what_has_no_price_has_no_age_either():
    judged = plan(group("p9.48xlarge"))
    (finding,) = findings(judged, "price-outdated")
    assert (finding.outcome, finding.message) == (
        "not-applicable",
        "no list prices are used",
    )
    (recent,) = findings(plan(group()), "price-outdated")
    assert (recent.outcome, recent.message) == ("fine", "all list prices are recent")
    both = plan(group(), group("p9.48xlarge", name="other"))
    (old,) = findings(both, "price-outdated", outdated_after_days=5)
    assert old.outcome == "violated"


def test_no_share_is_demanded_by_itself():
    (finding,) = findings(plan(group(capacity="spot")), "spot-share")
    assert (finding.outcome, finding.message) == ("not-applicable", "no limit is set")


def test_a_resource_that_lacks_a_price_goes_by_its_own_name_and_one_without_a_region_is_told_so():
    urn = "urn:pulumi:dev::shop::acme:infra:Lab$aws:rds/instance:Instance::base"
    missing = NotJudged(
        subject=urn, type="aws:rds/instance:Instance", reason="unknown machine type it"
    )
    (finding,) = findings(plan(group(), not_judged=(missing,)), "cap-per-hour")
    assert "base: no price is known: unknown machine type it" in finding.message

    lost = group("p5.48xlarge", region=NOWHERE)
    (finding,) = findings(plan(lost), "price-unknown")
    assert "no on-demand price for p5.48xlarge in an unknown region" in finding.message
    assert finding.fix.startswith("set its region: in the provider")


def test_a_machine_that_no_table_prices_may_have_a_price_of_one_s_own_and_a_service_may_not():
    (finding,) = findings(plan(group("mac2.metal")), "price-unknown")
    assert finding.message == (
        "no on-demand price for mac2.metal in us-east-1: no table of aws has this machine type"
    )
    assert (
        "prices: [{cloud: aws, machine: mac2.metal, region: us-east-1, per_hour: …}]"
        in finding.fix
    )

    item = Item(
        name="door",
        subject="urn:door",
        kind="balancer",
        cloud="aws",
        item="alb-hour",
        unit="hour",
        quantity=Decimal(1),
        region="cn-north-1",
        group="trainer",
    )
    (finding,) = findings(plan(group(), items=(item,)), "price-unknown", accept_outdated=True)
    assert finding.message.startswith("trainer: no price for alb-hour in cn-north-1")
    assert "prices.yaml" not in finding.fix
