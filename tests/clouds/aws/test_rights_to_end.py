"""What the policies of a schedule's role allow: only what it surely may shortens a month."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.aws.ends import (
    LOGS,
    READ_ONLY,
    ROLE_POLICY,
    SCHEDULE,
    TERMINATE,
    allow,
    arn,
    deny,
    document,
    ended,
    kept,
)
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


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
    ("boundary", "ends"),
    [(READ_ONLY, False), ("arn:aws:iam::aws:policy/PowerUserAccess", UNKNOWN), (UNKNOWN, UNKNOWN)],
)
def test_a_permissions_boundary_leaves_open_what_a_role_may(boundary, ends, moment):
    program, _ = ended(TERMINATE, role={"permissionsBoundary": boundary})
    assert kept(program, moment) == (ends, False)
    program, _ = ended(LOGS, role={"permissionsBoundary": boundary})
    assert kept(program, moment) == (False, False)


def with_policy(policy: object) -> Program:
    program, made = ended()
    program.add(ROLE_POLICY, "rights", role=made.id, policy=policy)
    return program


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
