"""An end that cannot work, or that a start follows, shortens no month."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost.run_hours import month_hours
from gpuinfra.model import Caps, Group, Usage
from gpuinfra.today import today
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program

GROUP = "aws:autoscaling/group:Group"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
POLICY = "aws:autoscaling/policy:Policy"
INSTANCE = "aws:ec2/instance:Instance"
CALENDAR = "aws:scheduler/schedule:Schedule"
FLEET = "aws:ec2/fleet:Fleet"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
STATES = "aws:sfn/stateMachine:StateMachine"

FULL, SHORT = Decimal(730), Decimal(80)
NONE_LEFT = {"minSize": 0, "maxSize": 0, "desiredCapacity": 0}
DAILY = {"recurrence": "0 20 * * *"}


def day(days: int) -> str:
    return f"{today() + timedelta(days=days)}T00:00:00Z"


def told(program: Program, **more: Any) -> Group:
    """The only group, told to end after 80 hours."""
    usage = Usage(purpose={"it": "training"}, ends_after={"it": SHORT}, **more)
    (group,) = of_resources(program.resources("created"), usage=usage).groups
    return group


def scheduled(*schedules: dict[str, Any], least: int = 0, grows: bool = False) -> Program:
    """A group with schedules, and a scaling policy where it grows."""
    program = Program()
    template = program.add(TEMPLATE, "t", instanceType="p5.48xlarge")
    group = program.add(GROUP, "it", minSize=least, maxSize=2, launchTemplate={"id": template.id})
    for number, sizes in enumerate(schedules):
        program.add(SCHEDULE, f"s{number}", autoscalingGroupName=group.out("name"), **sizes)
    if grows:
        program.add(POLICY, "p", autoscalingGroupName=group.out("name"))
    return program


@pytest.mark.parametrize(
    ("schedules", "more", "hours"),
    [
        ([{**NONE_LEFT, "startTime": day(2)}], {}, SHORT),
        ([{"desiredCapacity": 0, "startTime": day(2)}], {}, SHORT),
        ([{"desiredCapacity": 0, "startTime": day(2)}], {"least": 1}, FULL),
        ([{"desiredCapacity": 0, "minSize": 0, "startTime": day(2)}], {"least": 1}, SHORT),
        ([{"desiredCapacity": 0, "minSize": 1, "startTime": day(2)}], {}, FULL),
        ([{"maxSize": 0, "minSize": -1, "startTime": day(2)}], {"least": 1}, FULL),
        ([{**NONE_LEFT, **DAILY}], {}, SHORT),
        ([{**NONE_LEFT, **DAILY}, {"desiredCapacity": 1, "recurrence": "0 8 * * *"}], {}, FULL),
        (
            [{**NONE_LEFT, "startTime": day(2)}, {"desiredCapacity": 1, "startTime": day(1)}],
            {},
            SHORT,
        ),
        (
            [{**NONE_LEFT, "startTime": day(1)}, {"desiredCapacity": 1, "startTime": day(2)}],
            {},
            FULL,
        ),
        ([{"desiredCapacity": 0, "startTime": day(2)}], {"grows": True}, FULL),
        ([{**NONE_LEFT, "startTime": day(2)}], {"grows": True}, SHORT),
        (
            [{**NONE_LEFT, "startTime": day(1)}, {"maxSize": 1, "startTime": day(2)}],
            {"grows": True},
            FULL,
        ),
    ],
)
def test_a_schedule_ends_a_group_where_it_stays_empty(schedules, more, hours):
    assert month_hours(told(scheduled(*schedules, **more))) == hours


def test_runs_that_are_told_are_believed_beside_a_start():
    program = scheduled({**NONE_LEFT, **DAILY}, {"minSize": 1, "recurrence": "0 8 * * *"})

    assert month_hours(told(program, runs={"it": Decimal(2)})) == 2 * SHORT


def test_a_month_that_a_start_makes_full_says_so():
    program = scheduled({**NONE_LEFT, **DAILY}, {"minSize": 1, "recurrence": "0 8 * * *"})
    usage = Usage(purpose={"it": "training"}, ends_after={"it": SHORT})
    plan = of_resources(program.resources("created"), Caps(per_month=Decimal(9)), usage)
    (finding,) = findings(plan, "cap-per-month")

    assert "the stack starts it again after it ends" in finding.message


def stopped(
    *calls: tuple[str, str, dict[str, Any]], more: dict[str, Any] | None = None
) -> Program:
    """A machine, schedules that call an API, each at an expression, and what stands beside."""
    program = Program()
    node = program.add(INSTANCE, "it", ami="ami-1", instanceType="p5.48xlarge")
    for number, (action, expression, payload) in enumerate(calls):
        program.add(
            CALENDAR,
            f"c{number}",
            scheduleExpression=expression,
            target={
                "arn": f"arn:aws:scheduler:::aws-sdk:ec2:{action}",
                "roleArn": "arn:aws:iam::1:role/elsewhere",
                "input": json.dumps({"InstanceIds": [node.outputs["id"]], **payload}),
            },
        )
    for token, inputs in (more or {}).items():
        program.add(token, "beside", **inputs)
    return program


STOP = ("stopInstances", "cron(0 20 * * ? *)", {})
START = {
    "States": {"S": {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:ec2:startInstances"}}
}


@pytest.mark.parametrize(
    ("calls", "more", "hours"),
    [
        ([STOP], {}, SHORT),
        ([("stopInstances", f"at({day(2)[:-1]})", {})], {}, SHORT),
        ([("stopInstances", f"at({day(2)[:-1]})", {"DryRun": True})], {}, FULL),
        ([("stopInstances", f"at({day(2)[:-1]})", {"DryRun": False})], {}, SHORT),
        ([STOP, ("startInstances", "cron(1 20 * * ? *)", {})], {}, FULL),
        ([STOP, ("startInstances", f"at({day(1)[:-1]})", {})], {}, SHORT),
        ([STOP], {STATES: {"definition": json.dumps(START)}}, FULL),
        ([STOP], {"aws:ssm/association:Association": {"name": "AWS-StartEC2Instance"}}, FULL),
        ([STOP], {"aws:ssm/association:Association": {"name": "AWS-RestartEC2Instance"}}, FULL),
        ([STOP], {"aws:ssm/association:Association": {"name": "AWS-StopEC2Instance"}}, SHORT),
        (
            [STOP],
            {
                "aws:cfg/remediationConfiguration:RemediationConfiguration": {
                    "targetId": "AWS-StartEC2Instance"
                }
            },
            FULL,
        ),
    ],
)
def test_a_call_stops_a_machine_where_none_starts_it(calls, more, hours):
    assert month_hours(told(stopped(*calls, more=more))) == hours


NIGHTS = ("stopInstances", "cron(0 19 ? * MON-FRI *)", {})
MORNINGS = ("startInstances", "cron(0 8 ? * MON-FRI *)", {})


@pytest.mark.parametrize(
    ("calls", "more", "hours"),
    [
        ([NIGHTS], {}, 2 * 72),
        ([NIGHTS, MORNINGS], {}, 72 + 11),
        ([NIGHTS, MORNINGS, ("startInstances", "cron(0 20 ? * SUN *)", {})], {}, 72 + 23),
        ([NIGHTS, MORNINGS, ("startInstances", "rate(1 day)", {})], {}, 2 * 72),
        ([NIGHTS, MORNINGS], {STATES: {"definition": json.dumps(START)}}, 2 * 72),
    ],
)
def test_the_runs_of_office_hours_last_from_their_start_to_the_next_stop(calls, more, hours):
    program = stopped(*calls, more=more)
    usage = Usage(ends_after={"it": Decimal(9)}, runs={"it": Decimal(2)})

    (group,) = of_resources(program.resources("created"), usage=usage).groups

    assert month_hours(group) == hours


def test_starts_in_another_time_zone_show_no_hours():
    program = stopped(NIGHTS, MORNINGS)
    start = next(handle for handle in program.handles.values() if handle.name == "c1")
    program.change(start, scheduleExpressionTimezone="Asia/Tokyo")

    assert told(program).lifecycle.restarts_within is None


@pytest.mark.parametrize(
    ("kind", "hours"), [("maintain", SHORT), ("request", SHORT), ("instant", FULL)]
)
def test_an_instant_fleet_does_not_expire(kind, hours):
    program = Program()
    template = program.add(TEMPLATE, "t", instanceType="p5.48xlarge")
    program.add(
        FLEET,
        "it",
        type=kind,
        validUntil=day(2),
        terminateInstancesWithExpiration=True,
        targetCapacitySpecification={
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 1,
        },
        launchTemplateConfigs=[{"launchTemplateSpecification": {"launchTemplateId": template.id}}],
    )

    assert month_hours(told(program)) == hours


@pytest.mark.parametrize(
    ("sizes", "least", "ends"),
    [
        ({"DesiredCapacity": 0}, 0, True),
        ({"DesiredCapacity": 0}, 1, False),
        ({"DesiredCapacity": 0, "MinSize": 0}, 1, True),
        ({"MaxSize": 0, "MinSize": 1}, 0, False),
    ],
)
def test_a_call_empties_a_group_that_may_be_empty(sizes, least, ends):
    program = scheduled(least=least)
    group = next(each for each in program.handles.values() if each.type == GROUP)
    name = {"AutoScalingGroupName": group.outputs["name"]}
    program.add(
        CALENDAR,
        "c",
        scheduleExpression=f"at({day(2)[:-1]})",
        target={
            "arn": "arn:aws:scheduler:::aws-sdk:autoscaling:updateAutoScalingGroup",
            "roleArn": "arn:aws:iam::1:role/elsewhere",
            "input": json.dumps({**name, **sizes}),
        },
    )

    assert told(program).lifecycle.ends is ends
