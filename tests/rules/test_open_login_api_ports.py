"""An API may hand a control port of a private network to the internet."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.aws_fronts import (
    API,
    ATTACHMENT,
    INTEGRATION,
    JUPYTER,
    LISTENER,
    METHOD,
    OFFICE,
    REST_INTEGRATION,
    REST_LINK,
    ROUTE,
    called,
    policy,
    private,
    routed,
)
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_outcomes

DIRECTORY = "aws:servicediscovery/service:Service"
TASKS = "aws:ecs/service:Service"


@both
@pytest.mark.parametrize(
    ("port", "api", "route", "expected"),
    [
        (8888, {}, {}, ["violated"]),
        (8888, {}, {"authorizationType": "NONE"}, ["violated"]),
        (8888, {}, {"authorizationType": "JWT"}, []),
        (8888, {}, {"authorizationType": UNKNOWN}, ["not-knowable"]),
        (8888, {"disableExecuteApiEndpoint": True}, {}, ["not-knowable"]),
        (8080, {}, {}, []),
    ],
)
def test_an_http_api_hands_on_what_its_listener_serves(port, api, route, expected, moment):
    program, _, listener, _ = private(port)
    routed(program, listener.arn, api, route)

    assert login_outcomes(program, moment) == expected


def test_it_says_which_port_and_through_what():
    program, _, listener, _ = private()
    routed(program, listener.arn)

    assert login(program) == [("violated", JUPYTER.format("desk"))]


def test_an_integration_without_a_route_or_a_link_is_not_reachable():
    program, _, listener, _ = private()
    program.add(INTEGRATION, "front", connectionType="VPC_LINK", integrationUri=listener.arn)

    assert login_outcomes(program) == []


@pytest.mark.parametrize(
    ("mutual", "expected"), [({}, ["violated"]), ({"truststoreUri": "s3://t/t"}, [])]
)
def test_a_domain_may_demand_certificates_in_place_of_the_api(mutual, expected):
    program, _, listener, _ = private()
    api = routed(program, listener.arn, {"disableExecuteApiEndpoint": True})
    demands = {"mutualTlsAuthentication": mutual} if mutual else {}
    domain = program.add("aws:apigatewayv2/domainName:DomainName", "d", **demands)
    program.add("aws:apigatewayv2/apiMapping:ApiMapping", "m", apiId=api.id, domainName=domain.id)

    assert login_outcomes(program) == expected


@pytest.mark.parametrize(("kind", "expected"), [(None, ["violated"]), ("AWS_IAM", [])])
def test_a_websocket_api_asks_where_it_connects(kind, expected):
    program, nlb, _, _ = private()
    link = program.add(REST_LINK, "l2", targetArn=nlb.arn)
    api = program.add(API, "api", protocolType="WEBSOCKET")
    given = {"connectionType": "VPC_LINK", "connectionId": link.id, "apiId": api.id}
    front = program.add(INTEGRATION, "front", integrationUri="http://nlb.example:80", **given)
    program.add(ROUTE, "d", apiId=api.id, routeKey="$default", target=front.id)
    asks = {"authorizationType": kind} if kind else {}
    program.add(ROUTE, "c", apiId=api.id, routeKey="$connect", **asks)

    assert login_outcomes(program) == expected


@both
@pytest.mark.parametrize(
    ("registries", "expected"),
    [({"containerPort": 8888}, ["violated"]), ({"port": 8888}, ["violated"]), ({"port": 80}, [])],
)
def test_a_directory_names_the_ports_of_tasks(registries, expected, moment):
    program = Program()
    directory = program.add(DIRECTORY, "d")
    program.add(TASKS, "t", serviceRegistries={"registryArn": directory.arn, **registries})
    routed(program, directory.arn)

    assert [each for each in login_outcomes(program, moment) if each] == expected


def test_a_directory_names_the_ports_of_members():
    program = Program()
    directory = program.add(DIRECTORY, "d")
    attributes = {"AWS_INSTANCE_IPV4": "10.0.0.9", "AWS_INSTANCE_PORT": "8888"}
    program.add(
        "aws:servicediscovery/instance:Instance",
        "m",
        serviceId=directory.id,
        attributes=attributes,
    )
    routed(program, directory.arn)

    assert login(program) == [("violated", JUPYTER.format("d"))]


FROM_OFFICE = {"IpAddress": {"aws:SourceIp": OFFICE}}


@both
@pytest.mark.parametrize(
    ("api", "method", "expected"),
    [
        ({}, {}, ["violated"]),
        ({}, {"authorization": "AWS_IAM"}, []),
        ({}, {"authorization": "CUSTOM"}, []),
        ({}, {"apiKeyRequired": True}, ["not-knowable"]),
        ({}, {"httpMethod": "POST"}, []),
        ({"endpointConfiguration": {"types": "PRIVATE"}}, {}, []),
        ({"endpointConfiguration": {"types": "REGIONAL"}}, {}, ["violated"]),
        ({"policy": policy()}, {}, ["violated"]),
        ({"policy": policy(Condition=FROM_OFFICE)}, {}, []),
        ({"policy": policy(Principal={"AWS": "arn:aws:iam::123456789012:root"})}, {}, []),
        ({"policy": policy(Effect="Deny")}, {}, ["not-knowable"]),
    ],
)
def test_a_rest_api_hands_on_what_the_balancer_of_its_link_serves(api, method, expected, moment):
    program, nlb, _, _ = private()
    called(program, nlb, api, method)

    assert login_outcomes(program, moment) == expected


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("http://nlb.example:9000/", []),
        ("https://nlb.example/", []),
        (UNKNOWN, ["not-knowable"]),
    ],
)
def test_the_uri_says_which_listener_answers(uri, expected):
    program, nlb, _, _ = private()
    program.add(LISTENER, "web", loadBalancerArn=nlb.arn, port=9000, protocol="TCP")
    called(program, nlb, uri=uri)

    assert login_outcomes(program) == expected


def test_a_rest_api_may_name_its_balancer():
    program, nlb, _, _ = private()
    place = {"restApi": "a", "resourceId": "r", "httpMethod": "ANY"}
    program.add(METHOD, "m", **place, authorization="NONE")
    to = {"connectionType": "VPC_LINK", "integrationTarget": nlb.arn, "uri": "http://x.example/"}
    program.add(REST_INTEGRATION, "front", **place, **to)

    assert login_outcomes(program) == ["violated"]


def test_tasks_have_a_port_of_their_own():
    program, _, listener, targets = private(80)
    balancers = [{"targetGroupArn": targets.arn, "containerName": "c", "containerPort": 8888}]
    program.add(TASKS, "t", loadBalancers=balancers)
    program.add(ATTACHMENT, "a", targetGroupArn=targets.arn, targetId="10.0.0.9", port=8080)
    routed(program, listener.arn)

    assert login(program) == [("violated", JUPYTER.format("desk"))]


STAGE = "aws:apigateway/stage:Stage"


@both
@pytest.mark.parametrize(
    ("kind", "held", "expected"),
    [
        (STAGE, ("variables",), "violated"),
        (STAGE, ("canarySettings", "stageVariableOverrides"), "violated"),
        ("aws:apigateway/deployment:Deployment", ("variables",), "violated"),
        (STAGE, ("tags",), "not-knowable"),
    ],
)
def test_a_stage_may_name_the_link(kind, held, expected, moment):
    program, nlb, _, _ = private()
    rest, link = called(program, nlb, link_id="${stageVariables.link}")
    variables = {"link": link.id}
    stated = {held[0]: {held[1]: variables} if len(held) > 1 else variables}
    program.add(kind, "stage", restApi=rest.id, **stated)

    assert login_outcomes(program, moment) == [expected]


@pytest.mark.parametrize(("port", "expected"), [("80", ["violated"]), ("81", [])])
def test_a_stage_may_name_the_port(port, expected):
    program, nlb, _, _ = private()
    rest, _ = called(program, nlb, uri="http://nlb.example:${stageVariables.port}/")
    program.add(STAGE, "stage", restApi=rest.id, variables={"port": port})

    assert login_outcomes(program) == expected


@both
def test_a_stage_may_name_the_listener(moment):
    program, _, listener, _ = private()
    api = routed(program, "${stageVariables.listener}")
    variables = {"listener": listener.arn}
    program.add("aws:apigatewayv2/stage:Stage", "s", apiId=api.id, stageVariables=variables)

    assert login_outcomes(program, moment) == ["violated"]
