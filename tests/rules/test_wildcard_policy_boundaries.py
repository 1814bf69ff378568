"""Permissions boundaries and denials, which take away what a policy allows too widely."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

S3_FULL = "arn:aws:iam::aws:policy/AmazonS3FullAccess"
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
FINE, VIOLATED = "fine", "violated"


def statement(effect: str, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": effect, "Resource": resource, **more}


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


NARROW = document(statement("Allow", "arn:aws:s3:::a/*", Action="s3:GetObject"))
WIDE = document(statement("Allow", Action=["ec2:*", "s3:*"]))
TRUST = document({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "x"}})


def outcomes(program: Program, moment: str) -> list[str]:
    plan = of_resources(program.resources(moment))
    return [outcome for outcome, _ in verdicts(plan, "wildcard-policy")]


def bounded(boundary: str, **role: Any) -> tuple[Program, Any, Any]:
    program = Program()
    policy = program.add("aws:iam/policy:Policy", "boundary", policy=boundary)
    limits = {"permissionsBoundary": policy.arn}
    made = program.add("aws:iam/role:Role", "role", assumeRolePolicy=TRUST, **limits, **role)
    return program, policy, made


@both
def test_a_policy_that_is_a_boundary_alone_gives_nothing(moment):
    program, _, _ = bounded(WIDE)
    assert outcomes(program, moment) == [FINE, FINE]


@both
def test_a_boundary_that_is_attached_too_gives_what_it_allows(moment):
    program, policy, role = bounded(WIDE)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "held",
        role=role.out("name"),
        policyArn=policy.arn,
    )
    assert outcomes(program, moment)[0] == VIOLATED


def test_a_boundary_that_may_be_attached_is_judged():
    program, _, role = bounded(WIDE)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "held",
        role=role.out("name"),
        policyArn=UNKNOWN,
    )
    assert outcomes(program, "created")[0] == VIOLATED


def test_a_policy_that_bounds_nothing_is_judged():
    program = Program()
    program.add("aws:iam/policy:Policy", "boundary", policy=WIDE)
    assert outcomes(program, "created") == [VIOLATED]


@both
@pytest.mark.parametrize(
    ("boundary", "outcome"), [(NARROW, FINE), (WIDE, VIOLATED), (UNKNOWN, VIOLATED)]
)
def test_a_boundary_takes_away_what_a_role_holds(boundary, outcome, moment):
    own = [{"name": "all", "policy": document(statement("Allow", Action="iam:*"))}]
    for role in ({"managedPolicyArns": [S3_FULL]}, {"inlinePolicies": own}):
        program, _, _ = bounded(boundary, **role)
        assert outcomes(program, moment)[1] == outcome


@both
@pytest.mark.parametrize(("boundary", "outcome"), [(NARROW, FINE), (WIDE, VIOLATED)])
def test_a_boundary_takes_away_what_is_written_into_or_attached_to_a_role(
    boundary, outcome, moment
):
    program, _, role = bounded(boundary)
    everything = document(statement("Allow", Action="*"))
    program.add("aws:iam/rolePolicy:RolePolicy", "own", role=role.out("name"), policy=everything)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "managed",
        role=role.out("name"),
        policyArn=S3_FULL,
    )
    shared = program.add("aws:iam/policy:Policy", "shared", policy=everything)
    program.add(
        "aws:iam/policyAttachment:PolicyAttachment",
        "shares",
        roles=[role.out("name")],
        policyArn=shared.arn,
    )
    assert outcomes(program, moment)[2:5] == [outcome] * 3


def test_a_group_that_holds_it_too_has_no_boundary():
    program, _, role = bounded(NARROW)
    program.add(
        "aws:iam/policyAttachment:PolicyAttachment",
        "shares",
        roles=[role.out("name")],
        groups=["team"],
        policyArn=S3_FULL,
    )
    assert outcomes(program, "created")[2] == VIOLATED


@pytest.mark.parametrize(
    ("arn", "outcome"),
    [
        ("arn:aws:iam::aws:policy/ReadOnlyAccess", FINE),
        ("arn:aws:iam::aws:policy/PowerUserAccess", VIOLATED),
        ("arn:aws:iam::123456789012:policy/of-another-stack", VIOLATED),
    ],
)
def test_a_boundary_of_aws_is_known_by_its_name_and_one_of_elsewhere_is_not(arn, outcome):
    program = Program()
    program.add(
        "aws:iam/role:Role",
        "role",
        assumeRolePolicy=TRUST,
        permissionsBoundary=arn,
        managedPolicyArns=[S3_FULL],
    )
    assert outcomes(program, "created") == [outcome]


def test_a_boundary_does_not_change_whom_a_role_trusts():
    program = Program()
    program.add(
        "aws:iam/role:Role",
        "role",
        assumeRolePolicy=TRUST.replace('{"Service": "x"}', '"*"'),
        permissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess",
    )
    assert outcomes(program, "created") == [VIOLATED]


@both
@pytest.mark.parametrize(
    ("boundary", "outcome"),
    [(NARROW, FINE), (WIDE, FINE), (document(statement("Allow", Action="*")), VIOLATED)],
)
def test_a_machine_is_no_administrator_within_a_boundary(boundary, outcome, moment):
    program, _, role = bounded(boundary, managedPolicyArns=[ADMINISTRATOR])
    profile = program.add("aws:iam/instanceProfile:InstanceProfile", "p", role=role.out("name"))
    program.add(
        "aws:ec2/instance:Instance",
        "box",
        ami="ami-1",
        instanceType="g6.xlarge",
        iamInstanceProfile=profile.out("name"),
    )
    plan = of_resources(program.resources(moment))
    assert [shown for shown, _ in verdicts(plan, "administrator-role")] == [outcome]


@pytest.mark.parametrize(
    ("allowed", "denied", "outcome"),
    [
        ({"Action": "s3:*"}, {"NotAction": ["s3:GetBucketAcl", "s3:ListBucket"]}, FINE),
        ({"Action": "*"}, {"NotAction": ["s3:GetBucketAcl", "s3:ListBucket"]}, FINE),
        ({"NotAction": "iam:*"}, {"NotAction": "s3:ListBucket"}, FINE),
        ({"Action": "*"}, {"NotAction": "s3:*"}, VIOLATED),
        ({"Action": ["s3:*", "s3:GetObject"]}, {"Action": "S3:*"}, FINE),
        ({"Action": "s3:*"}, {"Action": "s3:DeleteBucket"}, VIOLATED),
        ({"Action": "s3:List*"}, {"NotAction": "iam:*"}, FINE),
        ({"Action": "s3:*Object"}, {"NotAction": "s3:List*"}, FINE),
        ({"Action": "iam:AttachRolePolicy"}, {"Action": "iam:*Policy"}, FINE),
        ({"Action": "iam:AttachRolePolicy"}, {"Action": "iam:PutRolePolicy"}, VIOLATED),
        ({"Action": "s3:*"}, {"NotAction": "s3:Get", "Resource": "arn:aws:s3:::a"}, VIOLATED),
        (
            {"Action": "s3:*"},
            {"NotAction": "s3:Get", "Condition": {"Bool": {"aws:SecureTransport": "false"}}},
            VIOLATED,
        ),
    ],
)
def test_a_denial_in_the_same_policy_is_taken_from_what_it_allows(allowed, denied, outcome):
    program = Program()
    policy = document(statement("Allow", **allowed), {"Resource": "*", "Effect": "Deny", **denied})
    program.add("aws:iam/policy:Policy", "p", policy=policy)
    assert outcomes(program, "created") == [outcome]
