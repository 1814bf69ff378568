"""The OpenAPI document of an API may hand a control port to the internet."""

import json

import pytest

from tests.rules.cases.aws_fronts import (
    API,
    AUTHORIZER,
    BALANCER,
    INTEGRATED,
    LISTENER,
    REST,
    REST_LINK,
    TARGETS,
    policy,
    private,
)
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login_outcomes

SCHEMES = {
    "token": {"type": "oauth2", AUTHORIZER: {"type": "jwt"}},
    "signed": {"type": "apiKey", "x-amazon-apigateway-authtype": "awsSigv4"},
    "key": {"type": "apiKey", "name": "x-api-key", "in": "header"},
    "basic": {"type": "http", "scheme": "basic"},
    "openid": {"type": "openIdConnect", "openIdConnectUrl": "https://i.example"},
}


def documented(uri, **operation):
    integration = {"type": "http_proxy", "connectionType": "VPC_LINK", "uri": uri}
    return {"paths": {"/": {"any": {INTEGRATED: integration, **operation}}}}


def linked(program, nlb, **integration):
    """A document that reaches a balancer by a link."""
    link = program.add(REST_LINK, "link", targetArn=nlb.arn)
    document = documented("http://nlb.example/")
    own = {"connectionId": link.outputs["id"], **integration}
    document["paths"]["/"]["any"][INTEGRATED] |= own
    return document


def by_listener(operation=None, top=None):
    program, _, listener, _ = private()
    arn = f"arn:aws:any:us-east-1:1:{listener.outputs['id']}"
    document = {**documented(arn, **(operation or {})), **(top or {})}
    program.add(API, "front", body=json.dumps(document))
    return program


@pytest.mark.parametrize(
    ("operation", "expected"), [({}, ["violated"]), ({INTEGRATED: {"type": "http_proxy"}}, [])]
)
def test_a_document_has_integrations_too(operation, expected):
    assert login_outcomes(by_listener(operation)) == expected


@pytest.mark.parametrize("where", ["operation", "top"])
@pytest.mark.parametrize("place", ["components", "securityDefinitions"])
@pytest.mark.parametrize(
    ("security", "expected"),
    [
        ([{"token": []}], []),
        ([{"signed": []}], []),
        ([{"basic": [], "token": []}], []),
        ([{"key": []}], ["not-knowable"]),
        ([{"elsewhere": []}], ["not-knowable"]),
        ([{"token": []}, {}], ["not-knowable"]),
        ([{"basic": []}], ["violated"]),
        ([{"openid": []}], ["violated"]),
        ([{}], ["violated"]),
        ([], ["violated"]),
    ],
)
def test_only_schemes_that_the_gateway_enforces_ask_who_comes(security, expected, where, place):
    schemes = {"securitySchemes": SCHEMES} if place == "components" else SCHEMES
    stated = {"security": security}
    operation, top = (stated, {}) if where == "operation" else ({}, stated)

    assert login_outcomes(by_listener(operation, {place: schemes, **top})) == expected


def test_an_operation_may_need_less_than_the_document():
    top = {"security": [{"token": []}], "securityDefinitions": SCHEMES}

    assert login_outcomes(by_listener({}, top)) == []
    assert login_outcomes(by_listener({"security": []}, top)) == ["violated"]


@pytest.mark.parametrize(("kind", "expected"), [("AWS_IAM", []), ("none", ["violated"])])
def test_an_operation_may_need_a_signature(kind, expected):
    assert login_outcomes(by_listener({"x-amazon-apigateway-auth": {"type": kind}})) == expected


@pytest.mark.parametrize(
    ("stated", "expected"), [({}, ["violated"]), ({"Condition": {"Bool": {"a": "b"}}}, None)]
)
def test_a_document_may_have_a_policy(stated, expected):
    program, nlb, _, _ = private()
    principal = {} if expected else {"Principal": {"AWS": "arn:aws:iam::123456789012:root"}}
    rule = json.loads(policy(**stated, **principal))
    document = {**linked(program, nlb), "x-amazon-apigateway-policy": rule}
    program.add(REST, "front", body=json.dumps(document))

    assert login_outcomes(program) == (expected or [])


def test_a_document_names_a_link():
    program, nlb, _, _ = private()
    program.add(REST, "front", body=json.dumps(linked(program, nlb)))

    assert login_outcomes(program) == ["violated"]


def test_a_document_may_be_yaml():
    program, nlb, _, _ = private()
    link = program.add(REST_LINK, "link", targetArn=nlb.arn)
    lines = [
        "paths:",
        "  /:",
        "    get:",
        f"      {INTEGRATED}:",
        "        connectionType: VPC_LINK",
    ]
    lines.append(f"        connectionId: {link.outputs['id']}")
    program.add(REST, "front", body="\n".join(lines))

    assert login_outcomes(program) == ["violated"]


def test_a_document_may_name_its_balancer():
    program = Program()
    alb = program.add(BALANCER, "alb", internal=True)
    desk = program.add(TARGETS, "desk", port=8888, protocol="HTTP")
    forwards = [{"type": "forward", "targetGroupArn": desk.arn}]
    on = {"loadBalancerArn": alb.arn, "port": 80, "protocol": "HTTP"}
    program.add(LISTENER, "l", **on, defaultActions=forwards)
    document = documented("http://alb.example/")
    document["paths"]["/"]["any"][INTEGRATED]["integrationTarget"] = alb.outputs["arn"]
    program.add(REST, "front", body=json.dumps(document))

    assert login_outcomes(program) == ["violated"]


def test_operations_may_share_an_integration():
    program, nlb, _, _ = private()
    document = linked(program, nlb)
    operation = document["paths"]["/"]["any"]
    document["components"] = {"x-amazon-apigateway-integrations": {"a": operation[INTEGRATED]}}
    operation[INTEGRATED] = {"$ref": "#/components/x-amazon-apigateway-integrations/a"}
    program.add(REST, "front", body=json.dumps(document))

    assert login_outcomes(program) == ["violated"]


@pytest.mark.parametrize("named", ["listener", "balancer", "link", "directory"])
def test_an_unknown_document_may_serve_what_it_is_made_of(named):
    program, nlb, listener, _ = private()
    directory = program.add("aws:servicediscovery/service:Service", "d")
    registry = {"registryArn": directory.arn, "port": 8888}
    program.add("aws:ecs/service:Service", "t", serviceRegistries=registry)
    link = program.add(REST_LINK, "link", targetArn=nlb.arn)
    parts = {"listener": listener, "balancer": nlb, "link": link, "directory": directory}
    program.add(REST, "front", body=parts[named].arn)

    assert login_outcomes(program, "preview") == ["not-knowable"]


@pytest.mark.parametrize(
    ("stated", "created", "preview"),
    [
        ({}, ["violated"], ["not-knowable"]),
        ({"endpointConfiguration": {"types": "PRIVATE"}}, [], []),
    ],
)
def test_a_document_may_stand_alone(stated, created, preview):
    program, nlb, _, _ = private()
    document = linked(program, nlb)
    api = program.add(REST, "api", **stated)
    kind = "aws:apigateway/restApiPut:RestApiPut"
    front = program.add(kind, "front", restApiId=api.id, body=json.dumps(document))

    assert login_outcomes(program) == created

    program.change(front, body=nlb.arn)

    assert login_outcomes(program, "preview") == preview
