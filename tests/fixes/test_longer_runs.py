"""A fix with slower machines counts the run at the length that it then has."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra import cost, planning, rules
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.longer_runs import duration_edits, longer_runs, with_longer_runs
from gpuinfra.fixes.tradeoffs import plan_requests
from gpuinfra.fixes.trials import outcome
from gpuinfra.model import Caps
from tests.fixes.conftest import proposed
from tests.fixes.resources import DAY, Judged
from tests.rules.cases.cluster import cluster

RUN = """\
version: 1
name: demo
owner: ml
budget: {per_hour: 100%s}
prices: {accept_outdated: true}
where: {cloud: %s, regions: [%s]}
training:
  tune: {gpu: H100:8, duration: 48h%s}
"""

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


def stack(more="", work="", cloud="aws"):
    return RUN % (more, cloud, REGIONS[cloud], work)


def durations(proposal):
    return {
        edit.after
        for fix in proposal.fixes
        for edit in fix.edits
        if edit.path == ("training", "tune", "duration")
    }


def is_slower(fix):
    return any("of the speed per GPU" in words for words in fix.effect.losses)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_cap_of_a_run_is_not_met_by_machines_that_take_longer(cloud):
    """Half as fast at 60% of the price: the run costs more, not less."""
    proposal = proposed(stack(", per_run: 2000", cloud=cloud), thorough=False)

    assert [str(fix) for fix in proposal.fixes if is_slower(fix)] == []


def test_a_slower_machine_for_the_hour_comes_with_the_length_of_its_run():
    proposal = proposed(stack().replace("per_hour: 100", "per_hour: 35"), thorough=False)

    fix = proposal.complete_fix
    assert fix is not None
    assert is_slower(fix)
    assert durations(proposal) != {}
    run = fix.effect.per_run
    hour = fix.effect.per_hour
    assert run.after > hour.after * 48 * Decimal("1.1")
    assert "at its speed 48 h of work take about " in str(fix)


def test_no_machine_ends_before_its_run_does():
    over = stack(work=", time_to_live: 60h").replace("per_hour: 100", "per_hour: 35")

    proposal = proposed(over, thorough=False)

    assert [str(fix) for fix in proposal.fixes if is_slower(fix)] == []


def test_a_speed_that_is_unknown_meets_no_cap_of_a_run():
    proposal = proposed(stack(", per_run: 2000"), thorough=False)

    unknown = [fix for fix in proposal.fixes if "unknown amount" in str(fix)]
    assert unknown == []


HOURS = Decimal(48)


def judged(resources, per_run):
    caps = Caps(per_hour=Decimal(1000), per_run=per_run)
    plan = planning.from_resources(resources, name="foreign", caps=caps)
    groups = tuple(
        replace(group, needs=replace(group.needs, hours=HOURS)) for group in plan.groups
    )
    plan = replace(plan, groups=groups)
    quote = cost.estimate(plan, cost.PricingTerms(as_of=DAY, accept_outdated=True))
    return Judged(plan, quote, rules.judge(plan, quote, {}, (), DAY))


def twice_as_fast(plan):
    return {
        subject: replace(request, tflops=request.tflops * 2)
        for subject, request in plan_requests(plan).items()
    }


@pytest.mark.parametrize(("share", "refuses"), [("0.5", True), ("3", False)])
def test_resources_count_the_longer_run_too(share, refuses):
    resources = cluster().program.resources()
    first = judged(resources, None)
    assert first.quote.per_run is not None
    most = first.quote.per_run.ceiling
    now = outcome(judged(resources, most * Decimal(share)))

    longer = with_longer_runs(now, twice_as_fast(first.plan))

    keys = {rule for rule, _ in longer.refusing_findings}
    assert ("cap-per-run" in keys) == refuses
    assert longer.judged.quote.per_run.ceiling == most * 2
    assert {group.needs.hours for group in longer.judged.plan.groups} == {HOURS * 2}


def test_faster_machines_change_no_length():
    plan = judged(cluster().program.resources(), None).plan
    slow = {
        subject: replace(request, tflops=request.tflops / 2)
        for subject, request in plan_requests(plan).items()
    }

    assert longer_runs(slow, plan) == {}
    assert duration_edits(slow, plan, {}) == ()


def test_a_length_is_written_as_a_stack_file_has_it():
    plan = judged(cluster().program.resources(), None).plan
    (group,) = plan.groups
    value = {"training": {group.name: {"duration": "48h"}}}

    edits = duration_edits(twice_as_fast(plan), plan, value)

    path = ("training", group.name, "duration")
    assert edits == (Edit(path=path, before="48h", after="4d"),)
