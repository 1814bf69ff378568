"""What ends machines by itself, on raw resources of strangers on three clouds."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Group, Usage
from gpuinfra.today import today
from tests.rules.cases import azure_stacks, gcp_stacks
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.raw_machines import (
    FLEET,
    GROUP,
    SPOT_FLEET,
    fleet,
    hidden,
    instance,
    machine,
    scaling,
)

NIGHT = {"vmStopSchedule": {"schedule": "0 20 * * *"}}
SOON = today() + timedelta(days=2)
TRAINS = Usage(purpose={"workers": "training"})
SCHEDULE = "aws:autoscaling/schedule:Schedule"
CALENDAR = "aws:scheduler/schedule:Schedule"


def only(program: Program, moment="created") -> Group:
    (group,) = of_resources(program.resources(moment), usage=TRAINS).groups
    return group


def time_limit(program: Program, moment="created") -> str:
    judged = of_resources(program.resources(moment), usage=TRAINS)
    return findings(judged, "time-limit")[0].outcome


@both
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"maxSize": 0, "minSize": 0, "desiredCapacity": 0}, "fine"),
        ({"minSize": 0, "desiredCapacity": 0, "recurrence": "0 20 * * *"}, "fine"),
        ({"desiredCapacity": 0, "recurrence": "0 20 * * *"}, "violated"),
        ({"maxSize": -1, "desiredCapacity": 2}, "violated"),
        ({"maxSize": "-1", "desiredCapacity": -1.0}, "violated"),
        ({"minSize": 0, "maxSize": -1, "desiredCapacity": UNKNOWN}, "not-knowable"),
        ({"minSize": UNKNOWN, "desiredCapacity": 0}, "not-knowable"),
    ],
)
def test_a_schedule_of_a_scaling_group_that_leaves_none_ends_it(inputs, outcome, moment):
    program = Program()
    group = scaling(program)
    assert time_limit(program, moment) == "violated"
    program.add(
        SCHEDULE,
        "night",
        autoscalingGroupName=group.out("name"),
        scheduledActionName="n",
        **inputs,
    )
    assert time_limit(program, moment) == outcome
    assert only(program, moment).maximum == 4


def sdk(action: str) -> str:
    return f"arn:aws:scheduler:::aws-sdk:{action}"


NAME = "workers-1a2b3c"


@pytest.mark.parametrize(
    ("target", "more", "outcome"),
    [
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": f'{{"A": "{NAME}"}}'},
            {},
            "fine",
        ),
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": f'{{"A": "{NAME}"}}'},
            {"state": "DISABLED"},
            "violated",
        ),
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": '{"A": "other"}'},
            {},
            "violated",
        ),
        (
            {
                "arn": sdk("autoscaling:updateAutoScalingGroup"),
                "input": json.dumps({"AutoScalingGroupName": NAME, "MaxSize": 0, "MinSize": 0}),
            },
            {},
            "fine",
        ),
        (
            {
                "arn": sdk("autoscaling:setDesiredCapacity"),
                "input": json.dumps({"AutoScalingGroupName": NAME, "DesiredCapacity": 3}),
            },
            {},
            "violated",
        ),
        (
            {"arn": sdk("autoscaling:setDesiredCapacity"), "input": f'"{NAME}" and no JSON'},
            {},
            "violated",
        ),
        ({"arn": sdk("ec2:startInstances"), "input": f'["{NAME}"]'}, {}, "violated"),
        ({"arn": sdk("ec2:stopInstances"), "input": UNKNOWN}, {}, "not-knowable"),
        ({"arn": "arn:aws:lambda:us-east-1:1:function:stop", "input": "{}"}, {}, "not-knowable"),
        ({"arn": "arn:aws:sqs:us-east-1:1:queue", "input": "{}"}, {}, "violated"),
        ({"arn": UNKNOWN}, {}, "not-knowable"),
    ],
)
def test_a_schedule_of_eventbridge_that_takes_the_machines_down_ends_them(target, more, outcome):
    program = Program()
    scaling(program)
    program.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target, **more)
    assert time_limit(program) == outcome


@pytest.mark.parametrize(
    ("action", "ends"),
    [("autoscaling:deleteAutoScalingGroup", True), ("autoscaling:setDesiredCapacity", UNKNOWN)],
)
def test_before_its_creation_a_group_is_found_by_what_the_schedule_depends_on(action, ends):
    program = Program()
    group = scaling(program)
    target = {"arn": sdk(action), "input": group.out("name")}
    program.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target)
    assert only(program, "preview").lifecycle.ends is ends
    other = Program()
    scaling(other)
    third = other.add(GROUP, "others", maxSize=0, launchTemplate={"id": "lt-1"})
    target = {"arn": sdk(action), "input": third.out("name")}
    other.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target)
    assert only(other, "preview").lifecycle.ends is UNKNOWN


@pytest.mark.parametrize("token", [FLEET, SPOT_FLEET])
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"validUntil": f"{SOON}T00:00:00Z", "terminateInstancesWithExpiration": True}, "fine"),
        ({"validUntil": f"{SOON}T00:00:00Z"}, "violated"),
        (
            {"validUntil": "2099-01-01T00:00:00Z", "terminateInstancesWithExpiration": True},
            "violated",
        ),
        ({"terminateInstancesWithExpiration": True}, "violated"),
        ({"validUntil": UNKNOWN, "terminateInstancesWithExpiration": True}, "not-knowable"),
        (
            {"validUntil": f"{SOON}T00:00:00Z", "terminateInstancesWithExpiration": UNKNOWN},
            "not-knowable",
        ),
    ],
)
def test_a_fleet_that_ends_its_machines_with_itself(inputs, outcome, token):
    program = Program()
    fleet(program, token, **inputs)
    assert time_limit(program) == outcome


@pytest.mark.parametrize(
    ("scheduling", "outcome"),
    [
        ({}, "violated"),
        ({"maxRunDuration": {"seconds": 3600}, "instanceTerminationAction": "STOP"}, "fine"),
        ({"maxRunDuration": {"seconds": UNKNOWN}}, "not-knowable"),
        ({"maxRunDuration": UNKNOWN}, "not-knowable"),
        ({"terminationTime": f"{SOON}T00:00:00Z"}, "fine"),
        ({"terminationTime": "2099-01-01T00:00:00Z"}, "violated"),
        ({"terminationTime": "2020-01-01T00:00:00Z"}, "violated"),
        ({"maxRunDuration": {"seconds": 121 * 86_400}}, "violated"),
        ({"provisioningModel": "RESERVATION_BOUND"}, "not-knowable"),
    ],
)
def test_a_machine_of_google_cloud_ends_by_its_scheduling(scheduling, outcome):
    assert time_limit(instance(**scheduling)) == outcome


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 20 * * *"}}}, "fine"),
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 0 30 2 *"}}}, "violated"),
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 0 28 2 *"}}}, "fine"),
        ({"instanceSchedulePolicy": {"vmStartSchedule": {"schedule": "0 8 * * *"}}}, "violated"),
        ({"instanceSchedulePolicy": {**NIGHT, "startTime": "2099-01-01T00:00:00Z"}}, "violated"),
        ({"instanceSchedulePolicy": {**NIGHT, "expirationTime": "2020-01-01T0:00Z"}}, "violated"),
        ({"groupPlacementPolicy": {"collocation": "COLLOCATED"}}, "violated"),
        ({"instanceSchedulePolicy": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_machine_of_google_cloud_ends_by_a_schedule(policy, outcome, moment):
    program = instance()
    made = program.add("compute/resourcePolicy:ResourcePolicy", "night", **policy)
    (machine,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.change(machine, resourcePolicies=made.id)
    assert time_limit(program, moment) == outcome


WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def of_a_run(program: Program, name: str = "workers") -> tuple[str, str]:
    usage = Usage(purpose={name: "training"}, hours={name: Decimal(72)})
    (finding,) = findings(of_resources(program.resources(), usage=usage), "time-limit")
    return finding.outcome, finding.message


@pytest.mark.parametrize(
    ("schedule", "scheduling", "outcome"),
    [
        (
            "0 20 * * *",
            {},
            ("violated", "its machines end after 24 h, before its run of 72 h ends"),
        ),
        ("0 20 * * FRI", {}, ("fine", "its runtime is limited")),
        (
            "0 20 * * FRI",
            {"maxRunDuration": {"seconds": 36_000}},
            ("violated", "its machines end after 10 h, before its run of 72 h ends"),
        ),
        (
            UNKNOWN,
            {},
            ("not-knowable", "it is unknown whether it ends before its run of 72 h ends"),
        ),
    ],
)
def test_a_schedule_of_google_cloud_may_end_a_run_early(schedule, scheduling, outcome):
    program = instance(**scheduling)
    policy = {"vmStopSchedule": {"schedule": schedule}}
    made = program.add(
        "compute/resourcePolicy:ResourcePolicy", "night", instanceSchedulePolicy=policy
    )
    (machine,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.change(machine, resourcePolicies=made.id)

    assert of_a_run(program) == outcome


@pytest.mark.parametrize(
    ("profile", "outcome"),
    [
        ({"recurrence": {"frequency": "Week", "schedule": {"days": WEEK}}}, "violated"),
        ({"recurrence": {"frequency": "Week", "schedule": {"days": ["Friday"]}}}, "fine"),
        ({"recurrence": {"frequency": "Week", "schedule": {"days": UNKNOWN}}}, "not-knowable"),
        ({"recurrence": {"frequency": "Week"}}, "not-knowable"),
        ({"fixedDate": {"start": f"{SOON}", "end": f"{SOON + timedelta(days=2)}"}}, "violated"),
    ],
)
def test_a_profile_of_azure_may_end_a_run_early(profile, outcome):
    program, scale_set, setting = azure_stacks.pool()
    none_left = {**profile, "capacity": {"maximum": "0"}}
    program.change(setting, profiles=[*setting.inputs["profiles"], none_left])

    assert of_a_run(program, scale_set.name)[0] == outcome


def test_a_schedule_from_elsewhere_may_end_it():
    program = instance()
    (machine,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.change(machine, resourcePolicies="projects/p/regions/r/resourcePolicies/theirs")
    assert time_limit(program) == "not-knowable"


@pytest.mark.parametrize(
    ("more", "outcome"), [({}, "not-knowable"), ({"maxRunDuration": "3600s"}, "fine")]
)
def test_nodes_of_gke_end_by_their_run_duration(more, outcome):
    node = {"machineType": "a2-highgpu-1g", **more}
    judged = of_resources(gcp_stacks.gke({"nodeConfig": node, "nodeCount": 1}).resources())
    assert outcomes(judged, "time-limit") == [outcome]


@both
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"taskType": "ComputeVmShutdownTask"}, "fine"),
        ({"taskType": "ComputeVmShutdownTask", "status": "Enabled"}, "fine"),
        ({"taskType": "ComputeVmShutdownTask", "status": "Disabled"}, "violated"),
        ({"taskType": "ComputeVmShutdownTask", "status": UNKNOWN}, "not-knowable"),
        ({"taskType": "LabVmsStartupTask"}, "violated"),
    ],
)
def test_a_machine_of_azure_ends_by_a_shutdown_schedule(inputs, outcome, moment):
    program = machine()
    assert time_limit(program, moment) == "violated"
    (own,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.add(
        "azure-native:devtestlab:GlobalSchedule", "night", targetResourceId=own.id, **inputs
    )
    assert time_limit(program, moment) == outcome
    assert of_resources(program.resources(moment)).not_judged == ()


@pytest.mark.parametrize(
    ("action", "outcome"), [("Deallocate", "not-knowable"), ("Start", "violated")]
)
def test_a_scheduled_action_may_be_for_any_machine(action, outcome):
    program = machine()
    program.add("azure-native:computeschedule:ScheduledAction", "night", actionType=action)
    assert time_limit(program) == outcome


@pytest.mark.parametrize(
    ("profile", "ends"),
    [
        ({"recurrence": {"frequency": "Week"}, "capacity": {"maximum": "0"}}, True),
        ({"fixedDate": {"end": f"{SOON}"}, "capacity": {"maximum": "0"}}, True),
        ({"fixedDate": {"end": "2020-01-01"}, "capacity": {"maximum": "0"}}, False),
        ({"fixedDate": {"start": "2099-01-01"}, "capacity": {"maximum": "0"}}, False),
        ({"recurrence": {"frequency": "Week"}, "capacity": {"maximum": "1"}}, False),
        ({"capacity": {"maximum": "0"}}, False),
        ({"recurrence": UNKNOWN, "capacity": {"maximum": "0"}}, UNKNOWN),
        ({"recurrence": {}, "capacity": {"maximum": UNKNOWN}}, UNKNOWN),
    ],
)
def test_a_scale_set_ends_by_a_profile_that_leaves_none(profile, ends):
    program, _, setting = azure_stacks.pool()
    assert of_resources(program.resources()).groups[0].lifecycle.ends is False
    program.change(setting, profiles=[*setting.inputs["profiles"], profile])
    assert of_resources(program.resources()).groups[0].lifecycle.ends is ends


def test_a_schedule_of_nobody_knows_which_group_may_end_any():
    program = Program()
    group = scaling(program)
    program.add(SCHEDULE, "night", autoscalingGroupName=group.out("name"), desiredCapacity=0)
    ends = {group.name: group.lifecycle.ends for group in of_resources(hidden(program)).groups}
    assert ends["workers"] is UNKNOWN


def test_a_shutdown_of_nobody_knows_which_machine_may_end_any():
    program = machine()
    (own,) = (handle for handle in program.handles.values() if handle.name == "workers")
    token = "azure-native:devtestlab:GlobalSchedule"
    program.add(token, "night", targetResourceId=own.id, taskType="ComputeVmShutdownTask")
    (seen,) = of_resources(hidden(program)).groups
    assert seen.lifecycle.ends is UNKNOWN
