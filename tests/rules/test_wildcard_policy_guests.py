"""Guests of an identity pool have the rights of a role without a login."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

POOL = "aws:cognito/identityPool:IdentityPool"
OF_AWS, OF_CHINA = "cognito-identity.amazonaws.com", "cognito-identity.amazonaws.com.cn"
GUESTS = "lets everyone assume the role, as a guest of an identity pool without a login"


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"allowUnauthenticatedIdentities": True}, "violated"),
        ({"allowUnauthenticatedIdentities": "true"}, "violated"),
        ({"allowUnauthenticatedIdentities": UNKNOWN}, "not-knowable"),
        ({"allowUnauthenticatedIdentities": False}, "not-applicable"),
        ({}, "not-applicable"),
    ],
)
def test_a_pool_takes_no_guests(inputs, expected):
    program = Program()
    program.add(POOL, "p", identityPoolName="p", **inputs)

    assert outcomes(of_resources(program.resources()), "wildcard-policy") == [expected]


@pytest.mark.parametrize("issuer", [OF_AWS, OF_CHINA])
@pytest.mark.parametrize(
    ("amr", "words"),
    [
        ("unauthenticated", GUESTS),
        (["authenticated", "unauthenticated"], GUESTS),
        ("*authenticated", GUESTS),
        ("authenticated", ""),
        ("graph.facebook.com", ""),
    ],
)
def test_a_role_is_for_who_signed_in(issuer, amr, words):
    pool = {f"{issuer}:aud": "us-east-1:11111111-2222-3333-4444-555555555555"}
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": issuer},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {"StringEquals": pool, "ForAnyValue:StringLike": {f"{issuer}:amr": amr}},
    }
    program = Program()
    program.add("aws:iam/role:Role", "r", assumeRolePolicy={"Statement": [statement]})
    ((outcome, told),) = verdicts(of_resources(program.resources()), "wildcard-policy")

    assert (told if outcome == "violated" else "") == words
