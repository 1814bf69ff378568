"""Prices of one's own, old prices, and costs that are not known."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN, Caps, NotJudged
from gpuinfra.rules import judge
from tests.rules.cases.budgets import disk
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan


def priced(rule: str, judged, **changes):
    quote = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    marked = tuple(replace(line, **changes) for line in quote.lines)
    old = tuple(replace(line, **changes) for line in quote.outdated)
    whole = replace(quote, lines=marked, outdated=(*old, *quote.outdated))
    (finding,) = judge(judged, whole, {}, (), TODAY, only={rule}).findings
    return finding


def test_a_price_of_one_s_own_is_named():
    assert priced("price-unknown", plan(group()), origin="user").message == (
        "every price is known; your own prices: p5.48xlarge"
    )
    assert priced("price-unknown", plan(group())).message == "every price is known"


def test_an_old_price_of_a_lock_is_taken_over_by_the_lock():
    finding = priced("price-outdated", plan(group()), origin="lock")
    assert finding.fix.startswith("use current prices: `gpuinfra lock --update")
    assert priced("price-outdated", plan(group())).fix.startswith("run `gpuinfra catalog refresh ")


def test_of_a_day_before_all_prices_none_is_called_old():
    quote = estimate(plan(group()), PricingTerms(as_of=date(2020, 1, 1)))
    (finding,) = judge(
        plan(group()), quote, {}, (), date(2020, 1, 1), only={"price-outdated"}
    ).findings
    assert finding.message.startswith("no prices of 2020-01-01 are known: the earliest of these")
    assert finding.fix == "set prices: {accept_outdated: true}"
    assert any(words.startswith("no prices of 2020-01-01 are known") for words in quote.warnings)


def test_an_old_price_of_a_machine_is_fetched_by_a_command_that_runs_as_it_is():
    both = plan(group(), group(cloud="gcp", machine="g2-standard-8", region="us-central1"))
    for each in (group(), group(name="other")):
        both = replace(both, groups=(*both.groups, each))
    refresh = "`gpuinfra catalog refresh --cloud"
    assert priced("price-outdated", both).fix == (
        f"run {refresh} aws --region us-east-1 --only prices` and {refresh} gcp --region "
        "us-central1 --only prices`, or set prices: {accept_outdated: true}"
    )


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


def test_no_cap_is_named_while_a_price_is_unknown():
    judged = plan(group("p4d.25xlarge"), group(name="other"), caps=Caps(), from_file=True)

    assert findings(judged, "no-cap")[0].fix == "add budget: {per_hour: …}"
    assert "per_month: …" in findings(judged, "cloud-budget")[0].fix
    low = replace(judged, caps=Caps(per_hour=Decimal(1)))
    assert findings(low, "cap-per-hour")[0].fix.endswith("or raise budget.per_hour")


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


def test_what_stands_alone_without_a_price_is_named_by_its_own_subject():
    loose = disk("loose", UNKNOWN, group=None, per_machine=False, region="us-east-1")
    (finding,) = findings(plan(group(), items=(loose,)), "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", "loose")


DISK = disk("web", per_machine=False, group=None, region="us-east-1")


class TestNoCap:
    CPU = group("m6i.large", name="web", subject="web")

    @pytest.mark.parametrize(
        ("stack", "outcome"),
        [
            (plan(CPU, caps=Caps()), "not-applicable"),
            (plan(caps=Caps()), "not-applicable"),
            (plan(caps=Caps(), items=(DISK,)), "not-applicable"),
            (plan(group(), caps=Caps()), "violated"),
            (plan(CPU, group("g6.xlarge"), caps=Caps()), "violated"),
            (plan(group("m6i.large", capacity="reserved"), caps=Caps()), "violated"),
            (plan(CPU, caps=Caps(per_run=Decimal(1))), "violated"),
            (plan(CPU, caps=Caps(per_month=Decimal(1))), "fine"),
        ],
    )
    def test_it_speaks_where_a_gpu_or_a_reservation_is_there_or_a_budget_is_set(
        self, stack, outcome
    ):
        assert outcomes(stack, "no-cap") == [outcome]

    @pytest.mark.parametrize(
        "changes",
        [
            {"groups": (group("p9.48xlarge"),)},
            {"groups": (replace(CPU, machines=("m6i.large", "zz9.large")),)},
            {"groups": (replace(CPU, rungs=(CPU.rung, replace(CPU.rung, machine="zz9.large"))),)},
            {"not_judged": (NotJudged(subject="pod", type="runpod:index:Pod", reason="unknown"),)},
            {"items": (replace(DISK, quantity=UNKNOWN),)},
        ],
    )
    def test_what_no_table_knows_needs_a_cap(self, changes):
        assert outcomes(replace(plan(caps=Caps()), **changes), "no-cap") == ["violated"]

    def test_without_a_quote_every_stack_needs_a_cap(self):
        verdict = judge(plan(self.CPU, caps=Caps()), None, {}, (), TODAY, only={"no-cap"})
        assert [finding.outcome for finding in verdict.findings] == ["violated"]

    def test_machines_of_the_tables_with_gpus_are_not_among_those_without(self):
        for cloud in ("aws", "gcp", "azure"):
            cpu = provider_of(cloud).prices.cpu
            machines = provider_of(cloud).machines.all_machines()
            assert [machine.type for machine in machines if cpu.is_in_table(machine.type)] == []
