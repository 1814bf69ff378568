"""Rights that several statements, policies or groups give together, and none of them alone."""

import json
from typing import Any

import pytest

from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

TRUST = json.dumps(
    {
        "Statement": [
            {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.x"}}
        ]
    }
)
PASSING = ("iam:PassRole", "lambda:CreateFunction", "lambda:InvokeFunction")
RESTART = ("ec2:ModifyInstanceAttribute", "ec2:StopInstances", "ec2:StartInstances")


def document(*actions: str, resource: str = "*", effect: str = "Allow", **more: Any) -> str:
    statement = {"Effect": effect, "Action": list(actions), "Resource": resource, **more}
    return json.dumps({"Statement": [statement]})


def wrong(program: Program, moment: str) -> list[str]:
    plan = of_resources(program.resources(moment))
    found = verdicts(plan, "wildcard-policy")
    return [message for outcome, message in found if outcome == "violated"]


def role(program: Program, **inputs: Any) -> Any:
    return program.add("aws:iam/role:Role", "role", assumeRolePolicy=TRUST, **inputs)


def written(program: Program, holder: Any, *documents: str) -> None:
    for number, text in enumerate(documents):
        program.add("aws:iam/rolePolicy:RolePolicy", f"p{number}", role=holder, policy=text)


def attached(program: Program, holder: Any, *documents: str) -> None:
    for number, text in enumerate(documents):
        policy = program.add("aws:iam/policy:Policy", f"p{number}", policy=text)
        program.add(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"a{number}",
            role=holder,
            policyArn=policy.arn,
        )


@both
@pytest.mark.parametrize("give", [written, attached])
@pytest.mark.parametrize("actions", [PASSING, RESTART])
def test_policies_of_one_role_count_together(give, actions, moment):
    program = Program()
    give(program, role(program).out("name"), *map(document, actions))
    (message,) = wrong(program, moment)
    assert message.startswith(f"allows {actions[0]}")
    assert message.endswith("(all its policies taken together)")


@both
def test_what_a_policy_gives_alone_is_told_at_the_policy_alone(moment):
    program = Program()
    name = role(program).out("name")
    written(program, name, document(*RESTART), document("s3:ListBucket"))
    (message,) = wrong(program, moment)
    assert "together" not in message


@both
def test_a_denial_in_another_policy_takes_from_them_all(moment):
    program = Program()
    denied = document("iam:PassRole", effect="Deny")
    written(program, role(program).out("name"), *map(document, PASSING), denied)
    assert not wrong(program, moment)


@both
def test_policies_of_several_roles_are_not_together(moment):
    program = Program()
    for number, action in enumerate(PASSING):
        made = program.add("aws:iam/role:Role", f"r{number}", assumeRolePolicy=TRUST)
        program.add(
            "aws:iam/rolePolicy:RolePolicy",
            f"p{number}",
            role=made.out("name"),
            policy=document(action),
        )
    assert not wrong(program, moment)


@both
def test_a_narrow_or_conditioned_part_gives_nothing_with_others(moment):
    ours = "arn:aws:iam::123456789012:role/one"
    limited = {"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}}
    for passing in (
        document("iam:PassRole", resource=ours),
        document("iam:PassRole", Condition=limited),
    ):
        program = Program()
        written(program, role(program).out("name"), passing, *map(document, PASSING[1:]))
        assert not wrong(program, moment)


@both
def test_inline_policies_of_a_role_count_with_those_beside_it(moment):
    program = Program()
    inline = [{"name": "x", "policy": document(RESTART[0])}]
    name = role(program, inlinePolicies=inline).out("name")
    written(program, name, *map(document, RESTART[1:]))
    assert len(wrong(program, moment)) == 1


@both
def test_a_boundary_takes_away_what_they_give_together(moment):
    program = Program()
    boundary = program.add("aws:iam/policy:Policy", "b", policy=document("s3:ListBucket"))
    name = role(program, permissionsBoundary=boundary.arn).out("name")
    written(program, name, *map(document, PASSING))
    assert not wrong(program, moment)


@both
def test_policies_of_a_role_of_elsewhere_count_together_once(moment):
    program = Program()
    written(program, "made-elsewhere", *map(document, PASSING))
    assert len(wrong(program, moment)) == 1
    program = Program()
    for number, action in enumerate(PASSING):
        name, text = f"another-{number}", document(action)
        program.add("aws:iam/rolePolicy:RolePolicy", f"p{number}", role=name, policy=text)
    assert not wrong(program, moment)


@both
def test_policies_of_a_user_count_with_those_of_its_groups(moment):
    program = Program()
    user = program.add("aws:iam/user:User", "user")
    team = program.add("aws:iam/group:Group", "team")
    passing, running = map(document, PASSING[:2])
    program.add("aws:iam/userPolicy:UserPolicy", "own", user=user.out("name"), policy=passing)
    program.add(
        "aws:iam/groupPolicy:GroupPolicy", "shared", group=team.out("name"), policy=running
    )
    assert not wrong(program, moment)
    program.add(
        "aws:iam/groupMembership:GroupMembership",
        "in",
        group=team.out("name"),
        users=[user.out("name")],
    )
    (message,) = wrong(program, moment)
    assert "together" in message


@both
def test_policies_of_a_group_count_together(moment):
    program = Program()
    team = program.add("aws:iam/group:Group", "team")
    for number, action in enumerate(RESTART):
        program.add(
            "aws:iam/groupPolicy:GroupPolicy",
            f"p{number}",
            group=team.out("name"),
            policy=document(action),
        )
    assert len(wrong(program, moment)) == 1


@pytest.mark.parametrize(
    "actions",
    [
        RESTART,
        PASSING[:2],
        ("ec2:CreateLaunchTemplateVersion", "ec2:ModifyLaunchTemplate"),
        ("cloudformation:CreateChangeSet", "cloudformation:ExecuteChangeSet"),
    ],
)
def test_statements_of_one_policy_count_together(actions):
    statements = [{"Effect": "Allow", "Action": action, "Resource": "*"} for action in actions]
    for kept, number in ((statements, 1), (statements[:-1], 0)):
        program = Program()
        policy = json.dumps({"Statement": kept})
        program.add("aws:iam/policy:Policy", "p", policy=policy)
        assert len(wrong(program, "created")) == number
