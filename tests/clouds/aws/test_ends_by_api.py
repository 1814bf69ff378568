"""A schedule that ends a machine by an API call shortens a month only where it surely can."""

import json
from datetime import timedelta

import pytest

from gpuinfra.clouds.aws.functions import source
from gpuinfra.model import UNKNOWN, Group, Usage
from gpuinfra.today import today
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Handle, Program

INSTANCE = "aws:ec2/instance:Instance"
SCHEDULE = "aws:scheduler/schedule:Schedule"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"

SOON = today() + timedelta(days=2)
both = pytest.mark.parametrize("moment", ["preview", "created"])


def document(*statements: dict[str, object]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(*actions: str, resource: object = "*", **more: object) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource, **more}


def deny(*actions: str, resource: object = "*", **more: object) -> dict[str, object]:
    return {**allow(*actions, resource=resource, **more), "Effect": "Deny"}


TRUST = document(
    {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "scheduler.amazonaws.com"},
    }
)
TERMINATE = allow("ec2:TerminateInstances")
STOP = allow("ec2:StopInstances")
LOGS = allow("logs:PutLogEvents")


def ended(
    *statements: dict[str, object],
    action: str = "terminateInstances",
    role: dict[str, object] | None = None,
    schedule: dict[str, object] | None = None,
    **machine: object,
) -> tuple[Program, Handle]:
    """A machine, a schedule that ends it, and its role with the statements as a policy."""
    program = Program()
    node = program.add(INSTANCE, "node", ami="ami-1", instanceType="p5.48xlarge", **machine)
    made = program.add(ROLE, "clock", assumeRolePolicy=TRUST, **(role or {}))
    if statements:
        program.add(ROLE_POLICY, "rights", role=made.id, policy=document(*statements))
    program.add(
        SCHEDULE,
        "end",
        scheduleExpression=f"at({SOON}T00:00:00)",
        target={
            "arn": f"arn:aws:scheduler:::aws-sdk:ec2:{action}",
            "roleArn": made.arn,
            "input": node.id,
        },
        **(schedule or {}),
    )
    return program, made


def kept(program: Program, moment: str = "preview") -> tuple[object, bool]:
    """Whether the machine ends, and whether that shortens a month.

    Once it is created, the schedule's input names it in quotes.
    """
    for handle in list(program.handles.values()):
        if moment == "created" and handle.type == SCHEDULE:
            (node,) = (each for each in program.handles.values() if each.type == INSTANCE)
            target = {**handle.inputs["target"], "input": f'{{"Ids": ["{node.outputs["id"]}"]}}'}
            program.change(handle, target=target)
    group = only(program, moment)
    return group.lifecycle.ends, group.lifecycle.ends_within is not None


def only(program: Program, moment: str) -> Group:
    usage = Usage(purpose={"node": "training"})
    (group,) = of_resources(program.resources(moment), usage=usage).groups
    return group


@both
def test_a_role_that_surely_may_ends_it(moment):
    program, _ = ended(TERMINATE)
    assert kept(program, moment) == (True, True)


@both
def test_a_role_that_may_not_does_not(moment):
    assert kept(ended(LOGS)[0], moment) == (False, False)
    assert kept(ended()[0], moment) == (False, False)


@both
@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("aws:iam/policyAttachment:PolicyAttachment", {"roles": UNKNOWN}),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {"role": UNKNOWN}),
    ],
)
def test_an_attachment_of_an_unknown_role_leaves_open_that_it_ends_and_shortens_no_month(
    token, inputs, moment
):
    program, _ = ended(LOGS)
    program.add(token, "beside", policyArn=READ_ONLY, **inputs)
    assert kept(program, moment) == (UNKNOWN, False)
    program, _ = ended(TERMINATE)
    program.add(token, "beside", policyArn=READ_ONLY, **inputs)
    assert kept(program, moment) == (True, True)


@both
def test_a_role_of_another_stack_is_taken_to_be_right(moment):
    program, made = ended()
    program.drop(made)
    (schedule,) = (each for each in program.handles.values() if each.type == SCHEDULE)
    target = {**schedule.inputs["target"], "roleArn": "arn:aws:iam::1:role/theirs"}
    program.change(schedule, target=target)
    assert kept(program, moment) == (True, True)


@both
@pytest.mark.parametrize(
    ("denied", "verdict"),
    [
        (deny("ec2:TerminateInstances"), (False, False)),
        (deny("*"), (False, False)),
        (
            deny("ec2:Terminate*", Condition={"Bool": {"aws:ViaAWSService": "false"}}),
            (UNKNOWN, False),
        ),
        ({"Effect": "Deny", "NotAction": "iam:*", "Resource": "*"}, (False, False)),
        (deny("ec2:StopInstances"), (True, True)),
    ],
)
def test_a_statement_that_denies_outweighs_what_allows(denied, verdict, moment):
    assert kept(ended(TERMINATE, denied)[0], moment) == verdict
    program, made = ended(TERMINATE)
    program.add(ROLE_POLICY, "second", role=made.id, policy=document(denied))
    assert kept(program, moment) == verdict


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


@both
@pytest.mark.parametrize(
    ("boundary", "ends"),
    [(READ_ONLY, False), ("arn:aws:iam::aws:policy/PowerUserAccess", UNKNOWN), (UNKNOWN, UNKNOWN)],
)
def test_a_permissions_boundary_leaves_open_what_a_role_may(boundary, ends, moment):
    program, _ = ended(TERMINATE, role={"permissionsBoundary": boundary})
    assert kept(program, moment) == (ends, False)
    program, _ = ended(LOGS, role={"permissionsBoundary": boundary})
    assert kept(program, moment) == (False, False)


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


def arn(tail: str, region: str = "us-east-1", service: str = "ec2") -> str:
    return f"arn:aws:{service}:{region}:123456789012:{tail}"


IN_PREVIEW = [
    ([arn("instance/*")], True),
    ([arn("*", region="*")], True),
    ([arn("instance/*", region="us-west-2")], False),
    ([arn("instance/*", region="us-west-*")], False),
    ([arn("instance/i-0other")], False),
    ([arn("volume/*")], False),
    ([arn("instance/*", service="s3")], False),
    ([arn("instance/i-0*")], UNKNOWN),
    ([arn("instance/${aws:PrincipalTag/node}")], UNKNOWN),
    ([UNKNOWN], UNKNOWN),
    ([arn("instance/i-0other"), arn("instance/*")], True),
]
CREATED = [
    ([arn("instance/node-1a2b3c")], True),
    ([arn("instance/node-*")], True),
    ([arn("instance/i-0other")], False),
    ([arn("instance/i-0*")], False),
    ([arn("instance/node-1a2b3c", region="us-west-2")], False),
]


@pytest.mark.parametrize(
    ("resource", "verdict", "moment"),
    [
        *((resource, verdict, "preview") for resource, verdict in IN_PREVIEW),
        *((resource, verdict, "created") for resource, verdict in CREATED),
    ],
)
def test_a_role_may_end_the_machines_that_its_statement_names(resource, verdict, moment):
    policy = {"Statement": [allow("ec2:TerminateInstances", resource=resource)]}
    assert kept(with_policy(policy), moment) == (verdict, verdict is True)
    denied = {**policy["Statement"][0], "Effect": "Deny"}
    both_ways = {"Statement": [TERMINATE, denied]}
    outcome = UNKNOWN if verdict is UNKNOWN else not verdict
    assert kept(with_policy(both_ways), moment) == (outcome, outcome is True)


def with_policy(policy: object) -> Program:
    program, made = ended()
    program.add(ROLE_POLICY, "rights", role=made.id, policy=policy)
    return program


@both
def test_a_statement_about_all_but_some_resources_is_about_the_rest(moment):
    but = {"Effect": "Allow", "Action": "ec2:*"}
    assert kept(ended({**but, "NotResource": arn("volume/*")})[0], moment) == (True, True)
    assert kept(ended({**but, "NotResource": arn("instance/*")})[0], moment) == (False, False)


@both
def test_a_condition_leaves_open_what_a_role_may(moment):
    tagged = {"StringEquals": {"aws:ResourceTag/x": "y"}}
    program, _ = ended(allow("ec2:TerminateInstances", Condition=tagged))
    assert kept(program, moment) == (UNKNOWN, False)


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


@both
@pytest.mark.parametrize(
    ("token", "role_key", "policy_key"),
    [
        ("rolePolicyAttachment:RolePolicyAttachment", "role", "policyArn"),
        ("policyAttachment:PolicyAttachment", "roles", "policyArn"),
        (
            "rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
            "roleName",
            "policyArns",
        ),
        ("", "", "managedPolicyArns"),
    ],
)
@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (document(LOGS), (False, False)),
        (document(TERMINATE), (True, True)),
        (document(TERMINATE, deny("ec2:*")), (False, False)),
        (UNKNOWN, (UNKNOWN, False)),
        (None, (UNKNOWN, False)),
    ],
)
def test_a_policy_of_the_stack_that_is_attached_is_read(
    token, role_key, policy_key, policy, verdict, moment
):
    program, made = ended()
    named: object = READ_ONLY
    if policy is not None:
        named = program.add("aws:iam/policy:Policy", "rights", policy=policy).arn
    named = [named] if policy_key.endswith("s") else named
    if token:
        of_role = [made.out("name")] if role_key == "roles" else made.out("name")
        program.add(f"aws:iam/{token}", "given", **{role_key: of_role, policy_key: named})
    else:
        program.change(made, **{policy_key: named})
    assert kept(program, moment) == verdict
