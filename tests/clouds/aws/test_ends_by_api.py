"""Which machines and groups a schedule ends by an API call or by gpuinfra's own function."""

import json

import pytest

from gpuinfra.clouds.aws.functions import source
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.ends import (
    INSTANCE,
    LOGS,
    READ_ONLY,
    ROLE,
    ROLE_POLICY,
    SCHEDULE,
    SOON,
    STOP,
    TERMINATE,
    TRUST,
    allow,
    arn,
    document,
    ended,
    kept,
    only,
)
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@both
@pytest.mark.parametrize(
    ("action", "machine", "verdict"),
    [
        ("terminateInstances", {"disableApiTermination": True}, (False, False)),
        ("terminateInstances", {"disableApiStop": True}, (False, False)),
        ("terminateInstances", {"disableApiTermination": UNKNOWN}, (UNKNOWN, False)),
        ("terminateInstances", {"disableApiTermination": False}, (True, True)),
        ("stopInstances", {"disableApiStop": True}, (False, False)),
        ("stopInstances", {"disableApiTermination": True}, (True, True)),
    ],
)
def test_a_machine_that_is_protected_is_not_ended(action, machine, verdict, moment):
    program, _ = ended(TERMINATE, STOP, action=action, **machine)
    assert kept(program, moment) == verdict


@both
def test_a_machine_s_launch_template_may_protect_it(moment):
    program, _ = ended(TERMINATE)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", disableApiTermination=True
    )
    (node,) = (each for each in program.handles.values() if each.type == INSTANCE)
    program.change(node, launchTemplate={"id": template.id, "version": "$Latest"})
    assert kept(program, moment) == (False, False)


@both
@pytest.mark.parametrize(
    ("region", "verdict"), [("us-west-2", (False, False)), ("us-east-1", (True, True))]
)
def test_a_schedule_of_another_region_ends_nothing(region, verdict, moment):
    assert kept(ended(TERMINATE, schedule={"region": region})[0], moment) == verdict


@pytest.mark.parametrize(
    ("region", "verdict"), [(None, (True, True)), ("us-west-2", (UNKNOWN, False))]
)
def test_resources_of_one_provider_stand_in_one_region_though_it_is_not_known(region, verdict):
    named = {} if region is None else {"region": region}
    program, _ = ended(TERMINATE, schedule=named)
    program.region = None
    assert kept(program) == verdict


FUNCTION = "aws:lambda/function:Function"
INVOKE = allow("lambda:InvokeFunction")
BESIDE = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"


def ended_by_function(clock: object, hands: object, **role: object) -> Program:
    """A machine that gpuinfra's own function stops, and the policies of both roles."""
    program = Program()
    program.add(
        INSTANCE,
        "node",
        ami="ami-1",
        instanceType="p5.48xlarge",
        tags={"gpuinfra:workload": "trainer"},
    )
    stops = program.add(ROLE, "hands", assumeRolePolicy=TRUST, **role)
    program.add(ROLE_POLICY, "hands_rights", role=stops.id, policy=hands)
    code = {"assets": {"stop.py": {"text": source("stop")}}}
    function = program.add(FUNCTION, "stop", role=stops.arn, code=code)
    made = program.add(ROLE, "clock", assumeRolePolicy=TRUST, **role)
    program.add(ROLE_POLICY, "clock_rights", role=made.id, policy=clock)
    program.add(
        SCHEDULE,
        "end",
        scheduleExpression=f"at({SOON}T00:00:00)",
        target={
            "arn": function.arn,
            "roleArn": made.arn,
            "input": json.dumps({"workload": "trainer"}),
        },
    )
    return program


@both
@pytest.mark.parametrize(
    ("clock", "hands", "beside", "role", "shortened"),
    [
        (document(INVOKE), document(STOP), False, {}, True),
        (UNKNOWN, UNKNOWN, False, {}, True),
        (UNKNOWN, UNKNOWN, True, {}, True),
        (document(INVOKE), document(STOP), True, {}, True),
        (document(LOGS), document(STOP), True, {}, False),
        (document(INVOKE), document(LOGS), True, {}, False),
        (document(INVOKE), document(STOP), False, {"permissionsBoundary": READ_ONLY}, False),
        (UNKNOWN, UNKNOWN, False, {"permissionsBoundary": READ_ONLY}, False),
    ],
)
def test_gpuinfra_s_own_function_shortens_a_month_unless_a_role_may_be_short_of_a_right(
    clock, hands, beside, role, shortened, moment
):
    program = ended_by_function(clock, hands, **role)
    if beside:
        program.add(BESIDE, "beside", role=UNKNOWN, policyArn=READ_ONLY)
    assert (only(program, moment).lifecycle.ends_within is not None) is shortened


@pytest.mark.parametrize(
    ("tail", "verdict"),
    [
        ("autoScalingGroup:*:autoScalingGroupName/workers", True),
        ("autoScalingGroup:*:autoScalingGroupName/others", UNKNOWN),
        ("autoScalingGroup:*", True),
        ("launchConfiguration:*", False),
    ],
)
def test_a_group_is_found_by_its_name(tail, verdict):
    program, _ = ended(allow("autoscaling:*", resource=arn(tail, service="autoscaling")))
    (node,) = (each for each in program.handles.values() if each.type == INSTANCE)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", imageId="ami-1", instanceType="g6.xlarge"
    )
    group = program.add(
        "aws:autoscaling/group:Group",
        "workers",
        name="workers",
        maxSize=1,
        minSize=1,
        launchTemplate={"id": template.id},
    )
    (schedule,) = (each for each in program.handles.values() if each.type == SCHEDULE)
    action = "arn:aws:scheduler:::aws-sdk:autoscaling:deleteAutoScalingGroup"
    program.change(
        schedule, target={**schedule.inputs["target"], "arn": action, "input": group.id}
    )
    program.drop(node)
    assert only(program, "preview").lifecycle.ends is verdict
