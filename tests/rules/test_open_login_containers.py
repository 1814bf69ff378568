"""Control ports of containers that services of AWS serve at public addresses by themselves."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe.detached_firewalls import CONTAINER_SERVICES
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login_of, login_outcomes

APP, LIGHTSAIL, EXPRESS = CONTAINER_SERVICES
FIREWALL = "aws:wafv2/webAclAssociation:WebAclAssociation"
JUPYTER = [("violated", "TCP 8888 (Jupyter) of it is open to the internet")]
UNCERTAIN = ["not-knowable"]


def image(port: Any = "8888", **more: Any) -> dict[str, Any]:
    repository = {"imageIdentifier": "i", "imageConfiguration": {"port": port}}
    return {"sourceConfiguration": {"imageRepository": repository}, **more}


def code(port: str) -> dict[str, Any]:
    values = {"codeConfigurationValues": {"runtime": "PYTHON_3", "port": port}}
    return {"sourceConfiguration": {"codeRepository": {"codeConfiguration": values}}}


def reached(public: Any) -> dict[str, Any]:
    return {"networkConfiguration": {"ingressConfiguration": {"isPubliclyAccessible": public}}}


def endpoint(port: Any) -> dict[str, Any]:
    return {"publicEndpoint": {"containerName": "c", "containerPort": port}}


def container(port: Any, **more: Any) -> dict[str, Any]:
    return {"primaryContainer": {"image": "i", "containerPort": port}, **more}


@both
@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        (APP, image(), JUPYTER),
        (APP, code("8888"), JUPYTER),
        (APP, image("9000"), []),
        (APP, image(**reached(public=True)), JUPYTER),
        (APP, image(**reached(public="false")), []),
        (APP, image("8080"), []),
        (APP, {}, []),
        (LIGHTSAIL, endpoint(8888), JUPYTER),
        (LIGHTSAIL, endpoint(80), []),
        (LIGHTSAIL, {"containers": [{"containerName": "c", "ports": {"8888": "HTTP"}}]}, []),
        (EXPRESS, container(8888), JUPYTER),
        (EXPRESS, container(80), []),
        (EXPRESS, {"primaryContainer": {"image": "i"}}, []),
    ],
)
def test_a_container_serves_no_control_port_to_the_internet(kind, inputs, expected, moment):
    assert login_of(kind, moment, **inputs) == expected


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        (APP, image(**reached(UNKNOWN))),
        (EXPRESS, container(8888, networkConfigurations=[{"subnets": ["subnet-1"]}])),
        (EXPRESS, container(8888, networkConfigurations=UNKNOWN)),
    ],
)
def test_of_whom_a_service_lets_in_may_not_be_known(kind, inputs):
    assert [outcome for outcome, _ in login_of(kind, **inputs)] == UNCERTAIN


@both
def test_a_web_firewall_may_limit_who_is_let_in(moment):
    program = Program()
    service = program.add(APP, "it", **image())
    program.add(FIREWALL, "wall", resourceArn=service.arn, webAclArn="arn:aws:wafv2:::a")
    assert login_outcomes(program, moment) == UNCERTAIN


def test_the_types_of_the_table_are_those_that_are_looked_for():
    rows = list(TABLES.rows("container_services"))
    assert tuple(row["type"] for row in rows) == CONTAINER_SERVICES
