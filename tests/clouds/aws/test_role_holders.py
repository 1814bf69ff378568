"""Roles that may start machines are reported, whichever resource of the stack holds them."""

import json

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.tables import TABLES
from tests.clouds import sdk_inputs
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ROLE, ROLE_POLICY = "aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy"
LOGINS = "aws:cognito/identityPoolRoleAttachment:IdentityPoolRoleAttachment"
POOL = "aws:cognito/identityPool:IdentityPool"
USERS, CLIENT = "aws:cognito/userPool:UserPool", "aws:cognito/userPoolClient:UserPoolClient"
HELD_BY = TABLES.table("may_start")["held_by"]
CLOSED = {"adminCreateUserConfig": {"allowAdminCreateUserOnly": True}}


def role(program, service="sagemaker.amazonaws.com", action="ec2:RunInstances"):
    allow = {"Effect": "Allow"}
    trust = {**allow, "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    own = program.add(ROLE, "r", assumeRolePolicy=json.dumps({"Statement": [trust]}))
    rights = json.dumps({"Statement": [{**allow, "Action": action, "Resource": "*"}]})
    program.add(ROLE_POLICY, "p", role=own.id, policy=rights)
    return own


def nested(path, value):
    first, _, rest = path.partition(".")
    return {first: nested(rest, value) if rest else value}


def told(program, moment="created"):
    rows = observe(program.resources(moment)).not_judged
    return [row.reason for row in rows if row.type == ROLE]


@both
@pytest.mark.parametrize(
    ("kind", "path"),
    [(kind, path) for kind, row in HELD_BY.items() for path in row["roles"].split()],
)
def test_what_names_a_role_holds_it(kind, path, moment):
    program = Program()
    own = role(program)
    program.add(kind, "holder", **nested(path, own.arn))

    (words,) = told(program, moment)

    assert f"{HELD_BY[kind]['who']} may do ec2:RunInstances with it" in words
    assert "violated" in outcomes(of_resources(program.resources(moment)), "price-unknown")


@both
def test_a_role_may_be_named_in_lists(moment):
    program = Program()
    own = role(program)
    rules = [{"claim": "c", "roleArn": own.arn}]
    mappings = [{"identityProvider": "p", "mappingRules": rules}]
    program.add(LOGINS, "l", identityPoolId="p", roles={}, roleMappings=mappings)

    assert len(told(program, moment)) == 1


def test_a_role_that_starts_nothing_may_be_held():
    program = Program()
    own = role(program, action="s3:GetObject")
    program.add("aws:sagemaker/notebookInstance:NotebookInstance", "n", roleArn=own.arn)

    assert told(program) == []


def test_what_only_does_what_it_declares_holds_nothing():
    program = Program()
    own = role(program, "glue.amazonaws.com")
    program.add("aws:glue/crawler:Crawler", "c", role=own.arn)

    assert told(program) == []


@pytest.mark.slow
def test_the_inputs_are_those_of_the_sdk():
    inputs = {token: names for token, names, _ in sdk_inputs.types_of("aws")}
    missing = [
        (kind, path)
        for kind, row in HELD_BY.items()
        for path in row["roles"].split()
        for leaf in [path.rpartition(".")[2]]
        if not path.startswith("roles.") and snake(leaf) not in inputs.get(kind, ())
    ]

    assert missing == []


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def signing_in(pool=None, users=None, providers=()):
    """An identity pool for the users of a user pool."""
    program = Program()
    own = role(program)
    kept = program.add(USERS, "u", **(users or {}))
    client = program.add(CLIENT, "c", userPoolId=kept.id)
    for kind in providers:
        name = f"p-{kind}"
        program.add(
            "aws:cognito/identityProvider:IdentityProvider",
            name,
            userPoolId=kept.id,
            providerType=kind,
        )
    of_users = [{"clientId": client.id}]
    given = {"cognitoIdentityProviders": of_users, **(pool or {})}
    identities = program.add(POOL, "i", **given)
    program.add(LOGINS, "l", identityPoolId=identities.id, roles={"authenticated": own.arn})
    return program


@both
@pytest.mark.parametrize(
    ("pool", "users", "providers", "open_to_all"),
    [
        ({}, {}, [], True),
        ({}, {"adminCreateUserConfig": {"allowAdminCreateUserOnly": False}}, [], True),
        ({}, CLOSED, [], False),
        ({}, CLOSED, ["SAML"], False),
        ({}, CLOSED, ["Google"], True),
        ({}, CLOSED, ["OIDC"], True),
        ({"openidConnectProviderArns": ["arn:aws:iam::1:oidc-provider/o"]}, CLOSED, [], True),
        ({"supportedLoginProviders": {"graph.facebook.com": "1"}}, CLOSED, [], True),
        ({"allowUnauthenticatedIdentities": True}, CLOSED, [], True),
        ({"cognitoIdentityProviders": [{"clientId": "elsewhere"}]}, CLOSED, [], True),
        ({"cognitoIdentityProviders": None, "samlProviderArns": ["a"]}, {}, [], False),
    ],
)
def test_users_who_sign_up_hold_the_role_of_an_identity_pool(
    pool, users, providers, open_to_all, moment
):
    assert bool(told(signing_in(pool, users, providers), moment)) is open_to_all
