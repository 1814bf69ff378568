"""What settles a finding of one workload is tried on the others that have the same."""

import pytest

WORKLOAD = "  w{}: {{instance: g6.xlarge, capacity: {}, duration: 24h, time_to_live: 30h}}\n"
HEAD = """\
name: many
owner: ml
budget: {{per_hour: {}}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-2]}}
training:
"""
NAMES = [f"w{number}" for number in range(10)]


def stack(cap: float, capacity: str) -> str:
    return HEAD.format(cap) + "".join(WORKLOAD.format(number, capacity) for number in range(10))


@pytest.mark.parametrize(("cap", "passes"), [(100, True), (0.5, False)])
def test_ten_spot_workloads_are_settled_in_a_hundred_odd_trials(propose, cap, passes):
    proposal = propose(stack(cap, "[spot, on-demand]"))

    fix = proposal.fixes[0]
    settled = [subject for rule, subject in fix.settled_findings if rule == "spot-checkpoints"]
    assert settled == [f"training.{name}" for name in NAMES]
    assert fix.passes_check is passes
    assert proposal.trial_count < 140


def test_every_workload_has_an_edit_of_its_warning(propose):
    proposal = propose(stack(100, "on-demand").replace(", time_to_live: 30h", ""))

    limits = [fix for fix in proposal.advisory_fixes if fix.rule == "time-limit"]
    assert [fix.subject for fix in limits] == [f"training.{name}" for name in NAMES]
    assert {fix.change.partition(".time_to_live")[2] for fix in limits} == {": 30h"}
