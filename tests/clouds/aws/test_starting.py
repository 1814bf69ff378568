"""What schedules, rules and functions start is no resource, so it is said to be not judged."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

SCHEDULE = "aws:scheduler/schedule:Schedule"
EVENT_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
FUNCTION = "aws:lambda/function:Function"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"

both = pytest.mark.parametrize("moment", ["preview", "created"])


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


def reasons(program: Program, moment: Any = "created") -> list[str]:
    return [row.reason for row in observe(program.resources(moment)).not_judged]


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
        ("ec2:startInstances", {"InstanceIds": ["i-1"]}),
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
        ("rds:startDBInstance", {"DbInstanceIdentifier": "x"}),
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


def function(statement: dict[str, Any] | None, **role: Any) -> Program:
    program = Program()
    made = program.add(ROLE, "r", assumeRolePolicy="{}", **role)
    if statement is not None:
        policy = json.dumps({"Statement": [{"Effect": "Allow", "Resource": "*"} | statement]})
        program.add(ROLE_POLICY, "p", role=made.id, policy=policy)
    program.add(FUNCTION, "f", role=made.arn)
    return program


TAGGED = {"StringEquals": {"aws:ResourceTag/team": "ml"}}


@both
@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "ec2:RunInstances"},
        {"Action": "ec2:Run*", "Condition": TAGGED},
        {"Action": ["logs:*", "ec2:*"]},
        {"Action": "*"},
        {"NotAction": "iam:*"},
        {"Action": "autoscaling:UpdateAutoScalingGroup"},
        {"Action": "batch:SubmitJob", "Resource": "arn:aws:batch:*:*:job-queue/q"},
    ],
)
def test_a_function_that_may_start_machines_is_not_judged(moment, statement):
    (reason,) = reasons(function(statement), moment)

    assert "its role may do" in reason


@both
@pytest.mark.parametrize(
    "statement",
    [
        {"Action": ["ec2:StopInstances", "ec2:Describe*", "ec2:StartInstances"]},
        {"Action": "autoscaling:UpdateAutoScalingGroup", "Condition": TAGGED},
        {"Action": "ec2:RunInstances", "Effect": "Deny"},
        {"Action": "s3:GetObject"},
        None,
    ],
)
def test_a_function_that_may_start_none_is_fine(moment, statement):
    assert not reasons(function(statement), moment)


def test_a_function_may_start_machines_by_a_policy_of_aws_or_of_the_stack():
    managed = function(None, managedPolicyArns=["arn:aws:iam::aws:policy/AmazonEC2FullAccess"])
    attached = function(None)
    role = next(handle for handle in attached.handles.values() if handle.type == ROLE)
    statement = {"Effect": "Allow", "Action": "ec2:CreateFleet", "Resource": "*"}
    policy = attached.add(
        "aws:iam/policy:Policy", "own", policy=json.dumps({"Statement": [statement]})
    )
    attached.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=role.id,
        policyArn=policy.arn,
    )

    assert "AmazonEC2FullAccess" in reasons(managed)[0]
    assert "ec2:CreateFleet" in reasons(attached)[0]


def bounded(boundary: Any, statement: dict[str, Any], **role: Any) -> Program:
    """A function whose role has a boundary: an ARN, or a statement of a policy of the stack."""
    program = function(statement)
    made = next(handle for handle in program.handles.values() if handle.type == ROLE)
    if isinstance(boundary, dict):
        own = json.dumps({"Statement": [{"Effect": "Allow", "Resource": "*"} | boundary]})
        boundary = program.add("aws:iam/policy:Policy", "boundary", policy=own).arn
    made.inputs["permissionsBoundary"] = boundary
    made.inputs.update(role)
    return program


EC2 = {"Action": "ec2:*"}
OF_AWS = "arn:aws:iam::aws:policy/"


@pytest.mark.parametrize(
    ("boundary", "left"),
    [
        (f"{OF_AWS}ReadOnlyAccess", False),
        (f"{OF_AWS}job-function/ViewOnlyAccess", False),
        (f"{OF_AWS}PowerUserAccess", True),
        (f"{OF_AWS}SomethingNew", True),
        ("arn:aws:iam::1:policy/ReadOnlyAccess", True),
        (UNKNOWN, True),
        ({"Action": "s3:*"}, False),
        ({"Action": ["s3:*", "ec2:Run*"]}, True),
        ({"NotAction": "ec2:*"}, False),
        ({"Action": "*"}, True),
    ],
)
def test_a_boundary_takes_away_what_it_does_not_allow(boundary, left):
    assert bool(reasons(bounded(boundary, EC2))) is left


def test_a_boundary_takes_away_what_policies_of_aws_allow():
    full = [f"{OF_AWS}AmazonEC2FullAccess"]
    nothing = {"Action": "logs:*"}

    assert not reasons(bounded({"Action": "s3:*"}, nothing, managedPolicyArns=full))
    assert reasons(bounded({"Action": "ec2:*"}, nothing, managedPolicyArns=full))


def test_a_function_may_start_machines_by_policies_that_its_role_alone_keeps():
    program = function(None)
    role = next(handle for handle in program.handles.values() if handle.type == ROLE)
    program.add(
        "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
        "a",
        roleName=role.id,
        policyArns=["arn:aws:iam::aws:policy/AmazonEC2FullAccess"],
    )

    assert "AmazonEC2FullAccess" in reasons(program)[0]


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


def trusting(**principal: Any) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    if "Federated" in principal:
        statement["Action"] = "sts:AssumeRoleWithWebIdentity"
    return json.dumps({"Statement": [statement]})


def held(
    trust: Any, *statements: dict[str, Any], program: Program | None = None, name: str = "held"
) -> Program:
    """A role with rights on everything, if a statement says no less, and a trust."""
    program = program or Program()
    role = program.add(ROLE, name, assumeRolePolicy=trust)
    rights = [{"Effect": "Allow", "Resource": "*"} | statement for statement in statements]
    program.add(
        ROLE_POLICY, f"{name}-rights", role=role.id, policy=json.dumps({"Statement": rights})
    )
    return program


RUNS = {"Action": ["ec2:CreateFleet", "iam:PassRole"]}
OF_PODS = "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-east-1.amazonaws.com/id/EX"


@both
@pytest.mark.parametrize(
    ("trust", "holder"),
    [
        (trusting(Service="ec2.amazonaws.com"), "machines"),
        (trusting(Service=["s3.amazonaws.com", "ec2.amazonaws.com.cn"]), "machines"),
        (trusting(Service="ecs-tasks.amazonaws.com"), "tasks of ECS"),
        (trusting(Service="pods.eks.amazonaws.com"), "pods"),
        (trusting(Federated=OF_PODS), "pods"),
    ],
)
def test_machines_tasks_and_pods_that_may_start_machines_are_not_judged(moment, trust, holder):
    program = held(trust, RUNS)
    (reason,) = reasons(program, moment)
    (row,) = observe(program.resources(moment)).not_judged
    judged = of_resources(program.resources(moment))

    assert reason.startswith(f"{holder} may do ec2:CreateFleet with it")
    assert row.type == ROLE
    assert outcomes(judged, "price-unknown") == ["violated"]


@pytest.mark.parametrize(
    "trust",
    [
        trusting(Service="codebuild.amazonaws.com"),
        trusting(AWS="arn:aws:iam::123456789012:root"),
        trusting(Federated="arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"),
        json.dumps({"Statement": [{"Effect": "Deny", "Principal": {"Service": "ec2"}}]}),
    ],
)
def test_a_role_of_persons_pipelines_or_services_is_not_asked(trust):
    assert not reasons(held(trust, RUNS))


def test_a_role_of_pods_is_known_before_its_cluster_is():
    program = held(UNKNOWN, RUNS)
    issuer = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
    for url, runs in ((UNKNOWN, True), ("https://gitlab.com", False)):
        made = Program()
        provider = made.add(issuer, "cluster", url=url)
        (other,) = made.resources()
        (role, policy) = program.resources()
        related = replace(role, relations={"assumeRolePolicy": (other.urn,)})

        assert bool(observe([other, related, policy]).not_judged) is runs
        assert provider


def test_what_a_role_is_denied_it_may_not_start():
    everything = {"Effect": "Deny", "Action": "ec2:CreateFleet"}
    trust = trusting(Service="ec2.amazonaws.com")

    assert not reasons(held(trust, RUNS, everything))
    assert reasons(held(trust, RUNS, everything | {"Condition": TAGGED}))


MACHINE_OF_STATES = "aws:sfn/stateMachine:StateMachine"


def test_what_runs_a_resource_of_the_stack_is_judged_at_that_resource():
    arns = []
    for resource in ("own", "*"):
        program = Program()
        states = program.add(MACHINE_OF_STATES, "s", definition="{}")
        program.change(states, arn="arn:aws:states:us-east-1:123456789012:stateMachine:s")
        arn = states.outputs["arn"] if resource == "own" else "*"
        held(
            trusting(Service="ec2.amazonaws.com"),
            {"Action": "states:StartExecution", "Resource": arn},
            program=program,
        )
        arns.append(["StartExecution" in reason for reason in reasons(program)])

    assert [any(own) for own in arns] == [False, True]


@pytest.mark.parametrize(
    ("trust", "resource", "runs"),
    [
        (trusting(AWS="arn:aws:iam::123456789012:root"), "*", True),
        (trusting(AWS="arn:aws:iam::123456789012:root"), "own", True),
        (trusting(AWS="arn:aws:iam::123456789012:root"), "arn:aws:iam::1:role/other", False),
        (trusting(Service="codebuild.amazonaws.com"), "*", False),
    ],
)
def test_a_function_may_start_machines_as_another_role_of_the_stack(trust, resource, runs):
    program = held(trust, RUNS, name="second")
    second = next(each for each in program.handles.values() if each.type == ROLE)
    program.change(second, arn="arn:aws:iam::123456789012:role/second-1a2b3c")
    arn = second.outputs["arn"] if resource == "own" else resource
    held("{}", {"Action": "sts:AssumeRole", "Resource": arn}, program=program, name="first")
    first = next(each for each in program.handles.values() if each.name == "first")
    program.add(FUNCTION, "f", role=first.arn)

    assert ["ec2:CreateFleet as second" in reason for reason in reasons(program)] == [True] * runs


OURS = "arn:aws:iam::123456789012:role/"


@pytest.mark.parametrize(
    ("named", "about", "runs"),
    [
        ({"name": "launcher"}, {"Resource": f"{OURS}launcher"}, True),
        ({"name": "launcher"}, {"Resource": f"{OURS}launch*"}, True),
        ({"name": "launcher"}, {"Resource": "arn:aws:iam::*:role/*"}, True),
        ({"name": "launcher"}, {"Resource": "*"}, True),
        ({"name": "launcher"}, {"Resource": f"{OURS}reader"}, False),
        ({"name": "launcher"}, {"Resource": "arn:aws:s3:::launcher"}, False),
        ({"name": "launcher"}, {"NotResource": f"{OURS}reader"}, True),
        ({"name": "launcher"}, {"NotResource": f"{OURS}launch*"}, False),
        ({"name": "launcher", "path": "/ml/"}, {"Resource": f"{OURS}ml/launcher"}, True),
        ({"name": "launcher", "path": "/ml/"}, {"Resource": f"{OURS}launcher"}, False),
        ({"namePrefix": "launch-"}, {"Resource": f"{OURS}launch-*"}, True),
        ({"namePrefix": "launch-"}, {"Resource": f"{OURS}other-*"}, False),
        ({"name": UNKNOWN}, {"Resource": f"{OURS}*"}, True),
        ({"name": UNKNOWN}, {"Resource": f"{OURS}launcher"}, False),
    ],
    ids=str,
)
def test_a_role_that_is_not_made_yet_is_found_by_the_arn_that_it_will_have(named, about, runs):
    trust = trusting(AWS="arn:aws:iam::123456789012:root")
    program = held(trust, RUNS, name="second")
    second = next(each for each in program.handles.values() if each.type == ROLE)
    program.change(second, **{"name": None, **named})
    held("{}", {"Action": "sts:AssumeRole", **about}, program=program, name="first")
    first = next(each for each in program.handles.values() if each.name == "first")
    program.add(FUNCTION, "f", role=first.arn)

    found = ["as second" in reason for reason in reasons(program, "preview")]
    assert found == [True] * runs


@pytest.mark.parametrize(
    "action",
    [
        *("sagemaker:CreateHyperParameterTuningJob", "sagemaker:CreateTransformJob"),
        *("sagemaker:CreateCluster", "sagemaker:StartPipelineExecution"),
        *("sagemaker:UpdateEndpoint", "ecs:CreateService", "ecs:UpdateService"),
        *("batch:UpdateComputeEnvironment", "rds:CreateDBInstance", "glue:StartJobRun"),
        *("codebuild:StartBuild", "states:StartExecution", "lightsail:CreateInstances"),
        *("elasticmapreduce:AddInstanceGroups", "cloudformation:ExecuteChangeSet"),
        "servicecatalog:ProvisionProduct",
    ],
)
def test_managed_services_start_machines_too(action):
    (reason,) = reasons(function({"Action": action}))

    assert action in reason


def test_rights_that_an_update_writes_are_not_decided_before_it():
    program = function(None)
    role = next(each for each in program.handles.values() if each.type == ROLE)
    program.add(ROLE_POLICY, "later", role=role.id, policy=UNKNOWN)
    rows = observe(program.resources("preview"))
    judged = of_resources(program.resources("preview"))

    assert not rows.not_judged
    assert [row.type for row in rows.undecided] == [FUNCTION]
    assert outcomes(judged, "price-unknown") == ["not-knowable"]

    certain = function({"Action": "ec2:RunInstances"})
    role = next(each for each in certain.handles.values() if each.type == ROLE)
    certain.add(ROLE_POLICY, "later", role=role.id, policy=UNKNOWN)
    assert not observe(certain.resources("preview")).undecided


ROLES = "arn:aws:iam::123456789012:role/team/"


@both
@pytest.mark.parametrize(("arn", "runs"), [(f"{ROLES}runner", True), (f"{ROLES}other", False)])
def test_a_role_is_found_by_the_arn_that_its_name_gives_it(moment, arn, runs):
    program = Program()
    made = program.add(ROLE, "r", name="runner", assumeRolePolicy="{}")
    statement = {"Effect": "Allow", "Resource": "*", "Action": "ec2:RunInstances"}
    policy = json.dumps({"Statement": [statement]})
    program.add(ROLE_POLICY, "p", role="runner", policy=policy)
    program.add(FUNCTION, "f", role=arn if moment == "preview" else made.arn if runs else arn)

    assert bool(reasons(program, moment)) is runs


def test_a_policy_is_found_by_the_arn_that_its_name_gives_it():
    program = Program()
    made = program.add(ROLE, "r", assumeRolePolicy="{}")
    statement = {"Effect": "Allow", "Resource": "*", "Action": "ec2:RunInstances"}
    text = json.dumps({"Statement": [statement]})
    program.add("aws:iam/policy:Policy", "p", name="run", policy=text)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=made.id,
        policyArn="arn:aws:iam::123456789012:policy/run",
    )
    program.add(FUNCTION, "f", role=made.arn)

    assert "ec2:RunInstances" in reasons(program, "preview")[0]
