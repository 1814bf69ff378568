"""A login is none where anyone may sign up for it."""

import json

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.aws_fronts import (
    AUTHORIZER,
    INTEGRATED,
    REST,
    called,
    fronted,
    private,
    routed,
)
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login_outcomes

USERS, CLIENT = "aws:cognito/userPool:UserPool", "aws:cognito/userPoolClient:UserPoolClient"
PROVIDER = "aws:cognito/identityProvider:IdentityProvider"
OPEN = {"autoVerifiedAttributes": ["email"]}
CLOSED = {**OPEN, "adminCreateUserConfig": {"allowAdminCreateUserOnly": True}}
LOGINS = pytest.mark.parametrize(
    ("pool", "expected"),
    [
        (OPEN, ["violated"]),
        ({**OPEN, "adminCreateUserConfig": {"allowAdminCreateUserOnly": False}}, ["violated"]),
        (CLOSED, []),
        ({**OPEN, "adminCreateUserConfig": UNKNOWN}, ["not-knowable"]),
        ({}, ["not-knowable"]),
        ({**OPEN, "lambdaConfig": {"preSignUp": "arn:f"}}, ["not-knowable"]),
    ],
)


def signed_in_with(pool, client=None):
    """A balancer before which users of a pool sign in."""
    program, targets, front = fronted(8888)
    users = program.add(USERS, "users", **pool)
    own = program.add(CLIENT, "c", userPoolId=users.id, generateSecret=True, **(client or {}))
    config = {"userPoolArn": users.arn, "userPoolClientId": own.id, "userPoolDomain": "d"}
    asks = {"type": "authenticate-cognito", "authenticateCognito": config}
    actions = [asks, {"type": "forward", "targetGroupArn": targets.arn}]
    program.change(front, defaultActions=actions)
    return program, users


@both
@LOGINS
def test_a_balancer_signs_in_who_signed_up(pool, expected, moment):
    program, _ = signed_in_with(pool)

    assert login_outcomes(program, moment) == expected


@pytest.mark.parametrize(
    ("shown", "expected"), [(["Okta"], []), (["Okta", "COGNITO"], ["violated"])]
)
def test_a_client_may_not_show_the_login_of_the_pool(shown, expected):
    program, _ = signed_in_with(OPEN, {"supportedIdentityProviders": shown})

    assert login_outcomes(program) == expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("SAML", []), ("OIDC", []), ("Facebook", ["not-knowable"])]
)
def test_others_may_keep_the_users(kind, expected):
    program, users = signed_in_with(CLOSED)
    program.add(PROVIDER, "p", userPoolId=users.id, providerType=kind, providerName="x")

    assert login_outcomes(program) == expected


@pytest.mark.parametrize(
    ("action", "key", "more"),
    [
        ("authenticate-oidc", "authenticateOidc", {}),
        ("jwt-validation", "jwtValidation", {"jwksEndpoint": "https://k.example"}),
    ],
)
def test_a_pool_may_be_named_as_an_issuer(action, key, more):
    program, targets, front = fronted(8888)
    users = program.add(USERS, "users", **OPEN)
    program.add(CLIENT, "c", userPoolId=users.id)
    issuer = f"https://cognito-idp.us-east-1.amazonaws.com/{users.outputs['id']}"
    asks = {"type": action, key: {"issuer": issuer, **more}}
    actions = [asks, {"type": "forward", "targetGroupArn": targets.arn}]
    program.change(front, defaultActions=actions)

    assert login_outcomes(program) == ["violated"]

    asks[key]["issuer"] = "https://issuer.example/"

    assert login_outcomes(program) == []


def authorized(pool, client=None, method=None):
    """A REST API whose methods take tokens of a user pool."""
    program, nlb, _, _ = private()
    users = program.add(USERS, "users", **pool)
    if client is not None:
        program.add(CLIENT, "c", userPoolId=users.id, **client)
    own = {"type": "COGNITO_USER_POOLS", "providerArns": [users.arn]}
    authorizer = program.add("aws:apigateway/authorizer:Authorizer", "a", **own)
    asks = {"authorization": "COGNITO_USER_POOLS", "authorizerId": authorizer.id}
    called(program, nlb, method={**asks, **(method or {})})
    return program


@both
@LOGINS
def test_a_rest_api_takes_the_tokens_of_who_signed_up(pool, expected, moment):
    assert login_outcomes(authorized(pool, {}), moment) == expected


@pytest.mark.parametrize(
    ("client", "method", "expected"),
    [
        (None, {}, ["not-knowable"]),
        ({"generateSecret": True}, {}, []),
        ({"generateSecret": True, "allowedOauthFlows": ["client_credentials"]}, {}, []),
        ({"generateSecret": True, "allowedOauthFlows": ["code"]}, {}, ["violated"]),
        ({}, {"authorizationScopes": ["desk/read"]}, ["not-knowable"]),
    ],
)
def test_tokens_are_for_who_may_use_a_client(client, method, expected):
    assert login_outcomes(authorized(OPEN, client, method)) == expected


@both
@pytest.mark.parametrize(("pool", "expected"), [(OPEN, ["violated"]), (CLOSED, [])])
def test_an_http_api_takes_the_tokens_of_who_signed_up(pool, expected, moment):
    program, _, listener, _ = private()
    users = program.add(USERS, "users", **pool)
    program.add(CLIENT, "c", userPoolId=users.id)
    issuer = f"https://cognito-idp.us-east-1.amazonaws.com/{users.outputs['id']}"
    stated = issuer if moment == "created" else users.out("endpoint")
    own = {"authorizerType": "JWT", "jwtConfiguration": {"issuer": stated}}
    authorizer = program.add("aws:apigatewayv2/authorizer:Authorizer", "a", **own)
    asks = {"authorizationType": "JWT", "authorizerId": authorizer.id}
    routed(program, listener.arn, route=asks)

    assert login_outcomes(program, moment) == expected


@pytest.mark.parametrize(("pool", "expected"), [(OPEN, ["violated"]), (CLOSED, [])])
def test_a_document_takes_the_tokens_of_who_signed_up(pool, expected):
    program, _, listener, _ = private()
    users = program.add(USERS, "users", **pool)
    program.add(CLIENT, "c", userPoolId=users.id)
    integration = {"connectionType": "VPC_LINK", "uri": listener.outputs["arn"]}
    operation = {INTEGRATED: integration, "security": [{"pool": []}]}
    own = {"type": "cognito_user_pools", "providerARNs": [users.outputs["arn"]]}
    schemes = {"pool": {"type": "apiKey", AUTHORIZER: own}}
    document = {"paths": {"/": {"get": operation}}, "securityDefinitions": schemes}
    program.add(REST, "front", body=json.dumps(document))

    assert login_outcomes(program) == expected
