"""What a role lets is not known while a policy of another kind may be attached to it."""

import json

import pytest

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights.machine_roles import role_lets
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN
from tests.rules.cases.program import Program

ALLOWED = {"Effect": "Allow", "Action": "autoscaling:*", "Resource": "*"}


@pytest.mark.parametrize(
    ("kind", "inputs", "verdict"),
    [
        ("rolePolicyAttachment:RolePolicyAttachment", {"role": UNKNOWN}, UNKNOWN),
        ("rolePolicyAttachment:RolePolicyAttachment", {"role": "of-another"}, False),
        ("policyAttachment:PolicyAttachment", {"roles": [UNKNOWN]}, UNKNOWN),
        ("policyAttachment:PolicyAttachment", {"users": ["a"]}, False),
        (
            "rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
            {"roleName": UNKNOWN},
            UNKNOWN,
        ),
        ("rolePolicy:RolePolicy", {"role": UNKNOWN, "policy": "{}"}, UNKNOWN),
    ],
)
def test_an_attachment_of_an_unknown_role_may_be_of_each(kind, inputs, verdict):
    program = Program()
    role = program.add("aws:iam/role:Role", "r", assumeRolePolicy="{}")
    program.add(f"aws:iam/{kind}", "a", policyArn="arn:aws:iam::1:policy/p", **inputs)
    index = Index(program.resources())
    (made,) = (each for each in index if each.urn == role.urn)

    assert role_lets(made, lambda statement: at(statement, "Effect") == "Allow", index) is verdict
    program.add(
        "aws:iam/rolePolicy:RolePolicy",
        "own",
        role=role.id,
        policy=json.dumps({"Statement": [ALLOWED]}),
    )
    index = Index(program.resources())
    assert role_lets(made, lambda statement: at(statement, "Effect") == "Allow", index) is True
