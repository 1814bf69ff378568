"""What schedules, rules and alarms start is no resource, so it is said to be not judged."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.starts import FUNCTION, ROLE, reasons
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

SCHEDULE = "aws:scheduler/schedule:Schedule"
EVENT_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def sdk(action: str) -> str:
    return f"arn:aws:scheduler:::aws-sdk:{action}"


def scheduled(action: str, target_input: Any = None, **more: Any) -> Program:
    """A schedule that calls an API, beside a group of at most four machines."""
    program = Program()
    template = program.add(TEMPLATE, "t", instanceType="g6.xlarge")
    group = program.add(GROUP, "workers", maxSize=4, launchTemplate={"id": template.id})
    program.change(group, name="workers")
    text = json.dumps(target_input) if isinstance(target_input, dict) else target_input
    target = {"arn": sdk(action), "roleArn": "arn:aws:iam::123456789012:role/r", "input": text}
    program.add(SCHEDULE, "nightly", target=target, **more)
    return program


@both
@pytest.mark.parametrize(
    ("action", "target_input"),
    [
        ("ec2:runInstances", {"InstanceType": "p5.48xlarge", "MinCount": 1, "MaxCount": 8}),
        ("ec2:runInstances", UNKNOWN),
        ("ec2:createFleet", {}),
        ("ec2:requestSpotFleet", {}),
        ("ec2:modifyInstanceAttribute", {}),
        ("ec2:createCapacityReservation", {}),
        ("autoscaling:updateAutoScalingGroup", {"AutoScalingGroupName": "workers", "MaxSize": 64}),
        ("autoscaling:updateAutoScalingGroup", {"AutoScalingGroupName": "others", "MaxSize": 1}),
        ("autoscaling:updateAutoScalingGroup", {"LaunchTemplate": {}, "MaxSize": 0}),
        ("autoscaling:updateAutoScalingGroup", "no JSON"),
        ("autoscaling:updateAutoScalingGroup", UNKNOWN),
        ("autoscaling:putScheduledUpdateGroupAction", {}),
        ("autoscaling:detachInstances", {"ShouldDecrementDesiredCapacity": False}),
        ("autoscaling:enterStandby", {}),
        ("eks:updateNodegroupConfig", {}),
        ("eks:updateNodegroupConfig", {"ScalingConfig": {"DesiredSize": 0, "MaxSize": 9}}),
        ("ecs:updateService", {"Service": "s", "DesiredCount": 9}),
        ("ecs:updateService", {"Service": "s", "DesiredCount": 0, "TaskDefinition": "t"}),
        ("batch:submitJob", {}),
        ("sagemaker:createTrainingJob", {}),
        ("ssm:startAutomationExecution", {}),
        ("someday:somethingNew", {}),
    ],
)
def test_a_schedule_that_starts_machines_is_not_judged(moment, action, target_input):
    program = scheduled(action, target_input)
    (reason,) = reasons(program, moment)

    assert action in reason
    assert "violated" in outcomes(of_resources(program.resources(moment)), "price-unknown")


@both
@pytest.mark.parametrize(
    ("action", "target_input"),
    [
        ("ec2:stopInstances", {}),
        ("ec2:terminateInstances", UNKNOWN),
        ("ec2:describeInstances", {}),
        ("autoscaling:setDesiredCapacity", {"DesiredCapacity": 64}),
        ("autoscaling:updateAutoScalingGroup", {"AutoScalingGroupName": "x", "MaxSize": 0}),
        ("autoscaling:updateAutoScalingGroup", {"AutoScalingGroupName": "workers", "MaxSize": 4}),
        ("autoscaling:updateAutoScalingGroup", {"AutoScalingGroupName": "x", "MinSize": 0}),
        ("eks:deleteNodegroup", {}),
        ("sqs:sendMessage", {}),
        ("lambda:invoke", {}),
        ("s3:putObject", {}),
        ("ecs:updateService", {"Cluster": "c", "Service": "s", "DesiredCount": 0}),
        ("eks:updateNodegroupConfig", {"ScalingConfig": {"DesiredSize": 0, "MinSize": 0}}),
    ],
)
def test_a_schedule_that_starts_nothing_new_is_fine(moment, action, target_input):
    assert not reasons(scheduled(action, target_input), moment)


def test_a_schedule_that_is_off_starts_nothing():
    assert not reasons(scheduled("ec2:runInstances", {}, state="DISABLED"))


def test_a_target_that_comes_from_no_resource_is_not_known():
    program = Program()
    program.add(SCHEDULE, "nightly", target={"arn": UNKNOWN})
    (schedule,) = program.resources()
    other = replace(schedule, relations={"groupName": ("urn:pulumi:dev::shop::a:b:C::c",)})
    role = replace(schedule, relations={"target": (f"urn:pulumi:dev::shop::{ROLE}::r",)})

    for unknown in (other, role, replace(schedule, relations={})):
        assert [row.reason for row in observe([unknown]).not_judged] == [
            "the target that it calls is not known yet"
        ]


@pytest.mark.parametrize(
    ("token", "runs"),
    [
        (FUNCTION, False),
        ("aws:sns/topic:Topic", False),
        ("my:index:Component$aws:sqs/queue:Queue", False),
        ("aws:ssm/document:Document", True),
        ("aws:batch/jobQueue:JobQueue", True),
        ("aws:ecs/cluster:Cluster", True),
        ("pulumi:pulumi:StackReference", True),
    ],
)
@pytest.mark.parametrize("kind", [SCHEDULE, EVENT_TARGET])
def test_a_target_that_is_not_known_yet_is_judged_by_what_it_comes_from(kind, token, runs):
    program = Program()
    target = {"arn": UNKNOWN} if kind == EVENT_TARGET else {"target": {"arn": UNKNOWN}}
    program.add(kind, "nightly", **target)
    (made,) = program.resources()
    comes_from = (f"urn:pulumi:dev::shop::{token}::x", f"urn:pulumi:dev::shop::{ROLE}::r")
    related = replace(made, relations={next(iter(target)): comes_from})

    assert [token in row.reason for row in observe([related]).not_judged] == [True] * runs


@pytest.mark.parametrize(
    ("target", "runs"),
    [
        ({"arn": "arn:aws:ssm:us-east-1:123456789012:automation-definition/Start:1"}, True),
        ({"arn": "arn:aws:ssm:us-east-1::automation-definition/AWS-StopEC2Instance"}, False),
        ({"arn": "arn:aws:ssm:us-east-1::automation-definition/AWS-StopRdsInstance:1"}, False),
        ({"arn": "arn:aws:batch:us-east-1:123456789012:job-queue/q"}, True),
        ({"arn": "arn:aws:states:us-east-1:123456789012:stateMachine:s"}, True),
        ({"arn": "arn:aws:codepipeline:us-east-1:123456789012:p"}, True),
        ({"arn": "arn:aws:glue:us-east-1:123456789012:workflow/w"}, True),
        ({"arn": "arn:aws:ssm-incidents::123456789012:response-plan/p"}, True),
        ({"arn": "arn:aws:events:us-east-1:123456789012:api-destination/d/1"}, True),
        ({"arn": "arn:aws:ecs:us-east-1:123456789012:cluster/c"}, True),
        ({"arn": "arn:aws:events:us-east-1:123456789012:event-bus/b"}, False),
        (
            {"arn": "arn:aws:ecs:us-east-1:123456789012:cluster/c", "ecsTarget": {"taskCount": 9}},
            True,
        ),
        ({"arn": "arn:aws:sns:us-east-1:123456789012:topic"}, False),
        ({"arn": "arn:aws:lambda:us-east-1:123456789012:function:f"}, False),
        ({"arn": "arn:aws:logs:us-east-1:123456789012:log-group:/aws/events"}, False),
    ],
)
def test_what_a_rule_runs_is_not_judged(target, runs):
    program = Program()
    program.add(EVENT_TARGET, "t", rule="nightly", **target)
    judged = of_resources(program.resources())

    assert bool(reasons(program)) is runs
    assert outcomes(judged, "price-unknown") == (["violated"] if runs else ["fine"])
    assert ("not-knowable" in outcomes(judged, "cap-per-hour")) is runs


PUBLIC = {"networkConfiguration": {"subnets": ["subnet-1"], "assignPublicIp": True}}
STATE = {"Type": "Task", "Resource": "arn:aws:states:::ecs:runTask.sync", "End": True}


def state_machine(**parameters: Any) -> str:
    task = {**STATE, "Parameters": parameters}
    return json.dumps({"StartAt": "Run", "States": {"Run": task}})


@pytest.mark.parametrize(
    ("launch", "starts"),
    [
        ({"launchType": "EC2"}, False),
        ({"launchType": "EXTERNAL"}, False),
        ({"launchType": "FARGATE", **PUBLIC}, True),
        ({"launchType": UNKNOWN}, True),
        ({"taskCount": 9}, True),
        ({"launchType": "EC2", "capacityProviderStrategies": [{"capacityProvider": "m"}]}, True),
        ({"launchType": "EC2", "volumeConfigurations": [{"name": "v"}]}, True),
    ],
)
def test_a_task_on_machines_that_stand_starts_none(launch, starts):
    cluster = "arn:aws:ecs:us-east-1:123456789012:cluster/c"
    kinds: dict[str, dict[str, Any]] = {
        EVENT_TARGET: {"arn": cluster, "ecsTarget": launch},
        SCHEDULE: {"target": {"arn": cluster, "ecsParameters": launch}},
        "aws:pipes/pipe:Pipe": {
            "target": cluster,
            "targetParameters": {"ecsTaskParameters": launch},
        },
    }
    if UNKNOWN not in launch.values():
        spelled = {f"{key[:1].upper()}{key[1:]}": value for key, value in launch.items()}
        kinds["aws:sfn/stateMachine:StateMachine"] = {"definition": state_machine(**spelled)}
    for token, inputs in kinds.items():
        program = Program()
        program.add(token, "it", **inputs)
        told = outcomes(of_resources(program.resources()), "price-unknown")
        assert told == (["violated"] if starts else ["fine"]), token


@pytest.mark.parametrize(
    ("arn", "runs"),
    [
        ("arn:aws:scheduler:::sagemaker:startPipelineExecution", True),
        ("arn:aws:scheduler:::ecs:runTask", True),
        ("arn:aws:scheduler:::states:startExecution", True),
        ("arn:aws:scheduler:::sqs:sendMessage", False),
        ("arn:aws:scheduler:::lambda:invoke", False),
    ],
)
def test_a_templated_target_of_a_schedule_is_judged_by_its_service(arn, runs):
    program = Program()
    program.add(SCHEDULE, "nightly", target={"arn": arn})

    assert outcomes(of_resources(program.resources()), "price-unknown") == (
        ["violated"] if runs else ["fine"]
    )


@pytest.mark.parametrize("kind", ["metricAlarm:MetricAlarm", "compositeAlarm:CompositeAlarm"])
@pytest.mark.parametrize(
    ("action", "runs"),
    [
        ("arn:aws:ssm-incidents::123456789012:response-plan/start", True),
        ("arn:aws:automate:us-east-1:ec2:stop", False),
        ("arn:aws:sns:us-east-1:123456789012:topic", False),
    ],
)
def test_an_alarm_that_opens_an_incident_runs_its_automation(action, runs, kind):
    program = Program()
    program.add(f"aws:cloudwatch/{kind}", "a", okActions=[action])

    assert any("response plan" in reason for reason in reasons(program)) is runs


@both
@pytest.mark.parametrize(
    ("url", "runs"),
    [
        ("https://events.pagerduty.com/v2/enqueue", False),
        ("https://example.com/start", True),
        (UNKNOWN, True),
    ],
)
def test_a_rule_that_calls_a_notification_service_only_tells_people(moment, url, runs):
    program = Program()
    called = program.add(
        "aws:cloudwatch/eventApiDestination:EventApiDestination",
        "called",
        httpMethod="POST",
        connectionArn="arn:aws:events:us-east-1:123456789012:connection/c/1",
        invocationEndpoint=url,
    )
    program.add(EVENT_TARGET, "t", rule="nightly", arn=called.arn)

    assert any("may start machines" in reason for reason in reasons(program, moment)) is runs
