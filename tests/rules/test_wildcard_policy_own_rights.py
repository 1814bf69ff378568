"""An identity that may change its own rights may do everything."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

ACCOUNT = "arn:aws:iam::123456789012"
TRUST = json.dumps(
    {
        "Statement": [
            {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.x"}}
        ]
    }
)


def document(action: Any, resource: Any, **more: Any) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource, **more}
    return json.dumps({"Statement": [statement]})


def wrong(program: Program) -> list[str]:
    found = verdicts(of_resources(program.resources("preview")), "wildcard-policy")
    return [message for outcome, message in found if outcome == "violated"]


def with_role(text: str, **inputs: Any) -> Program:
    program = Program()
    stated = {"name": "ml", "assumeRolePolicy": TRUST, **inputs}
    role = program.add("aws:iam/role:Role", "role", **stated)
    program.add("aws:iam/rolePolicy:RolePolicy", "p", role=role.out("name"), policy=text)
    return program


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("iam:PutRolePolicy", f"{ACCOUNT}:role/ml"),
        ("iam:putrolepolicy", ["arn:aws:s3:::data", "arn:aws:iam::*:role/m?"]),
        (["s3:GetObject", "iam:AttachRolePolicy"], f"{ACCOUNT}:role/ml*"),
        ("iam:*RolePolicy", f"{ACCOUNT}:role/ml"),
    ],
)
def test_a_role_that_may_change_its_own_rights_may_do_everything(action, resource):
    (message,) = wrong(with_role(document(action, resource)))
    assert "on itself, with which it can grant itself every permission" in message


@pytest.mark.parametrize(
    ("action", "resource", "more"),
    [
        ("iam:PutRolePolicy", f"{ACCOUNT}:role/other", {}),
        ("iam:PutRolePolicy", f"{ACCOUNT}:role/team/ml", {}),
        ("iam:PutRolePolicy", f"{ACCOUNT}:user/ml", {}),
        ("iam:PutUserPolicy", f"{ACCOUNT}:role/ml", {}),
        (["iam:GetRole", "iam:TagRole"], f"{ACCOUNT}:role/ml", {}),
        (
            "iam:AttachRolePolicy",
            f"{ACCOUNT}:role/ml",
            {"Condition": {"ArnEquals": {"iam:PolicyARN": f"{ACCOUNT}:policy/reads"}}},
        ),
        ("iam:PutRolePolicy", f"{ACCOUNT}:role/ml", {"Effect": "Deny"}),
    ],
)
def test_a_role_may_change_others_or_itself_within_a_condition(action, resource, more):
    assert wrong(with_role(document(action, resource, **more))) == []


def test_a_role_in_a_path_is_named_with_it():
    text = document("iam:PutRolePolicy", f"{ACCOUNT}:role/team/ml")
    assert wrong(with_role(text, path="/team/"))


def test_a_role_that_is_denied_to_change_itself_does_not():
    program = with_role(document("iam:PutRolePolicy", f"{ACCOUNT}:role/ml"))
    name = next(iter(program.handles.values())).out("name")
    denied = document("iam:Put*", "*", Effect="Deny")
    program.add("aws:iam/rolePolicy:RolePolicy", "denial", role=name, policy=denied)
    assert wrong(program) == []


@pytest.mark.parametrize(("name", "bad"), [("own", True), ("other", False)])
def test_a_role_that_may_write_a_policy_of_its_own_may_do_everything(name, bad):
    program = Program()
    role = program.add("aws:iam/role:Role", "role", assumeRolePolicy=TRUST)
    text = document("iam:CreatePolicyVersion", f"{ACCOUNT}:policy/{name}")
    policy = program.add("aws:iam/policy:Policy", "rights", name="own", policy=text)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=role.out("name"),
        policyArn=policy.arn,
    )
    assert ["on its policy rights" in message for message in wrong(program)] == [True] * bad


@pytest.mark.parametrize("name", ["${aws:username}", "ann"])
def test_a_user_that_may_change_its_own_rights_may_do_everything(name):
    program = Program()
    user = program.add("aws:iam/user:User", "user", name="ann")
    text = document("iam:PutUserPolicy", f"{ACCOUNT}:user/{name}")
    program.add("aws:iam/userPolicy:UserPolicy", "p", user=user.out("name"), policy=text)
    (message,) = wrong(program)
    assert "iam:PutUserPolicy on itself" in message


def test_users_may_manage_their_own_credentials():
    program = Program()
    user = program.add("aws:iam/user:User", "user", name="ann")
    own = f"{ACCOUNT}:user/${{aws:username}}"
    text = document(["iam:CreateAccessKey", "iam:UpdateLoginProfile", "iam:EnableMFADevice"], own)
    program.add("aws:iam/userPolicy:UserPolicy", "p", user=user.out("name"), policy=text)
    assert wrong(program) == []


def test_a_group_that_may_change_its_own_rights_may_do_everything():
    program = Program()
    group = program.add("aws:iam/group:Group", "team", name="team")
    text = document("iam:AttachGroupPolicy", f"{ACCOUNT}:group/team")
    program.add("aws:iam/groupPolicy:GroupPolicy", "p", group=group.out("name"), policy=text)
    (message,) = wrong(program)
    assert "iam:AttachGroupPolicy on itself" in message


@pytest.mark.parametrize(
    ("name", "resource", "bad"),
    [
        ("ml", f"{ACCOUNT}:role/ml", True),
        ("ml", "arn:aws:iam::*:role/m*", True),
        ("ml", f"{ACCOUNT}:role/other", False),
        ("ml", f"{ACCOUNT}:user/ml", False),
        (UNKNOWN, f"{ACCOUNT}:role/ml", False),
    ],
)
def test_a_role_of_elsewhere_is_known_by_its_name(name, resource, bad):
    program = Program()
    for number, action in enumerate(("s3:GetObject", "iam:PutRolePolicy")):
        text = document(action, resource)
        program.add("aws:iam/rolePolicy:RolePolicy", f"p{number}", role=name, policy=text)
    assert ["on itself" in message for message in wrong(program)] == [True] * bad
