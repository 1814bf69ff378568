"""A schedule that starts machines again, and one that starts machines of elsewhere."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.cost.run_hours import month_hours
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both

STOP = {"vmStopSchedule": {"schedule": "0 20 * * *"}}
START = {"vmStartSchedule": {"schedule": "0 8 * * *"}}
NEVER = {"vmStartSchedule": {"schedule": "0 0 30 2 *"}}
FULL, SHORT = Decimal(730), Decimal(80)
POLICY = "compute/resourcePolicy:ResourcePolicy"
ATTACHMENT = "compute/resourcePolicyAttachment:ResourcePolicyAttachment"


def box(program: GcpProgram, **inputs: Any) -> Any:
    place = {"machineType": "g2-standard-4", "zone": "us-central1-a"}
    return program.add("compute/instance:Instance", "box", **place, **inputs)


@both
@pytest.mark.parametrize("attached", [True, False])
@pytest.mark.parametrize(
    ("start", "hours"),
    [({}, SHORT), (START, FULL), (NEVER, SHORT), ({"vmStartSchedule": UNKNOWN}, FULL)],
)
def test_a_machine_that_a_schedule_starts_again_runs_all_month(start, hours, attached, moment):
    program = GcpProgram()
    stop = program.add(
        POLICY, "stop", instanceSchedulePolicy={**STOP, **({} if attached else start)}
    )
    made = box(program, resourcePolicies=stop.id)
    if attached:
        again = program.add(POLICY, "again", instanceSchedulePolicy=start)
        program.add(ATTACHMENT, "a", instance=made.out("name"), name=again.out("name"))
    usage = Usage(purpose={"box": "training"}, ends_after={"box": SHORT})
    (group,) = of_resources(program.resources(moment), usage=usage).groups
    assert month_hours(group) == hours


@both
@pytest.mark.parametrize(
    ("start", "hours"),
    [("0 8 * * *", 24 + 20 * 12), ("0 21 * * *", 24 + 20 * 23), ("0 8 1 * *", 504)],
)
def test_a_run_of_office_hours_lasts_from_its_start_to_the_next_stop(start, hours, moment):
    program = GcpProgram()
    schedules = {**STOP, "vmStartSchedule": {"schedule": start}}
    box(program, resourcePolicies=program.add(POLICY, "p", instanceSchedulePolicy=schedules).id)
    usage = Usage(ends_after={"box": Decimal(10)}, runs={"box": Decimal(21)})
    (group,) = of_resources(program.resources(moment), usage=usage).groups

    assert month_hours(group) == hours


@both
@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (START, "its schedule starts a machine that is not declared here"),
        (STOP, ""),
        (NEVER, ""),
        (None, "its policy, which is not declared here, may start a machine outside this stack"),
    ],
)
@pytest.mark.parametrize("here", [True, False])
def test_a_schedule_that_starts_a_machine_of_elsewhere_is_not_judged(here, policy, reason, moment):
    program = GcpProgram()
    name: Any = "theirs"
    if policy is not None:
        name = program.add(POLICY, "p", instanceSchedulePolicy=policy).out("name")
    machine = box(program).out("name") if here else "other"
    program.add(ATTACHMENT, "a", instance=machine, name=name)
    resources = program.resources(moment)
    words = "" if here else reason
    missing = [row for row in observe(resources).not_judged if row.may_start_machines]
    assert [row.reason for row in missing] == ([words] if words else [])
    if words:
        assert "violated" in outcomes(of_resources(resources), "price-unknown")
