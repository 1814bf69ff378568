"""Services of machines and containers of Azure that open control ports by themselves."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import OPENS_PORTS
from gpuinfra.clouds.azure.observe.exposure import service_ports
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment
from tests.rules.cases.verdicts import applicable, login

POOL, COMPUTE = "azure-native:batch:Pool", "azure-native:machinelearningservices:Compute"
APP, GROUP = "azure-native:app:ContainerApp", "azure-native:containerinstance:ContainerGroup"
SSH = [("violated", "TCP 22 (SSH) of it is open to the internet")]
JUPYTER = [("violated", "TCP 8888 (Jupyter) of it is open to the internet")]
UNCERTAIN = ["not-knowable"]


def told(kind: str, moment: Moment = "created", **inputs: Any) -> list[tuple[str, str]]:
    program = AzureProgram()
    program.add(kind, "it", **inputs)
    return login(program, moment)


def inbound(*rules: Any, port: Any = 22) -> dict[str, Any]:
    way: dict[str, Any] = {"name": "w", "protocol": "TCP", "backendPort": port}
    if rules:
        way["networkSecurityGroupRules"] = list(rules)
    return {"networkConfiguration": {"endpointConfiguration": {"inboundNatPools": [way]}}}


ANYONE = {"priority": 150, "access": "Allow", "sourceAddressPrefix": "*"}
OFFICE = {"priority": 150, "access": "Allow", "sourceAddressPrefix": "203.0.113.0/24"}


@both
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (inbound(), SSH),
        (inbound(ANYONE), SSH),
        (inbound(OFFICE), []),
        (inbound({**ANYONE, "access": "Deny"}), []),
        (inbound(port=8000), []),
        ({}, []),
    ],
)
def test_nodes_of_batch_let_in_whom_their_pool_says(inputs, expected, moment):
    assert told(POOL, moment, **inputs) == expected


def compute(kind: str, **settings: Any) -> dict[str, Any]:
    return {"properties": {"computeType": kind, "properties": settings}}


OPEN = {"sshSettings": {"sshPublicAccess": "Enabled"}}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (compute("AmlCompute", remoteLoginPortPublicAccess="Enabled"), SSH),
        (compute("AmlCompute"), SSH),
        (compute("amlCompute", remoteLoginPortPublicAccess="enabled"), SSH),
        (compute("AmlCompute", subnet={"id": "s"}), []),
        (compute("AmlCompute", enableNodePublicIp=False), []),
        (compute("AmlCompute", remoteLoginPortPublicAccess="Disabled"), []),
        (compute("ComputeInstance", **OPEN), SSH),
        (compute("ComputeInstance", sshSettings={"sshPublicAccess": "enabled"}), SSH),
        (compute("ComputeInstance", **OPEN, enableNodePublicIp=False), []),
        (compute("ComputeInstance"), []),
        (compute("Kubernetes"), []),
    ],
)
def test_machines_of_azure_machine_learning_let_nobody_log_in_from_outside(inputs, expected):
    assert told(COMPUTE, **inputs) == expected


def test_what_a_network_lets_in_to_a_single_machine_is_not_known():
    found = told(COMPUTE, **compute("ComputeInstance", **OPEN, subnet={"id": "s"}))
    assert [outcome for outcome, _ in found] == UNCERTAIN


def app(*, internal: Any = None, login: Any = None, **ingress: Any) -> AzureProgram:
    program = AzureProgram()
    network = {} if internal is None else {"vnetConfiguration": {"internal": internal}}
    around = program.add("azure-native:app:ManagedEnvironment", "env", **network)
    inputs = {"environmentId": around.id, "configuration": {"ingress": ingress}}
    made = program.add(APP, "it", containerAppName="it", **inputs)
    if login is not None:
        kind = "azure-native:app:ContainerAppsAuthConfig"
        program.add(kind, "l", **{"containerAppName": made.out("name"), **login})
    return program


WORLD = {"external": True, "targetPort": 8888}


def allow(addresses: Any) -> dict[str, Any]:
    return {"action": "Allow", "ipAddressRange": addresses}


def required(action: str, *, enabled: Any = True, **more: Any) -> dict[str, Any]:
    validation = {"unauthenticatedClientAction": action, **more}
    return {"platform": {"enabled": enabled}, "globalValidation": validation}


@both
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (WORLD, JUPYTER),
        ({**WORLD, "external": False}, []),
        ({**WORLD, "targetPort": 8000}, []),
        ({**WORLD, "targetPort": 9000}, []),
        ({**WORLD, "internal": True}, []),
        ({**WORLD, "clientCertificateMode": "Accept"}, JUPYTER),
        ({**WORLD, "ipSecurityRestrictions": [allow("203.0.113.9/32")]}, []),
        ({**WORLD, "ipSecurityRestrictions": [allow("0.0.0.0/0")]}, JUPYTER),
        ({**WORLD, "login": required("RedirectToLoginPage")}, []),
        ({**WORLD, "login": required("Return401")}, []),
        ({**WORLD, "login": required("AllowAnonymous")}, JUPYTER),
        ({**WORLD, "login": required("Return401", enabled=False)}, JUPYTER),
        ({**WORLD, "login": {**required("Return401"), "containerAppName": "other"}}, JUPYTER),
        ({**WORLD, "login": required("Return401"), "transport": "tcp"}, JUPYTER),
        ({"external": True, "targetPort": 22, "transport": "Tcp"}, SSH),
        (
            {
                "external": True,
                "targetPort": 8000,
                "additionalPortMappings": [{"external": True, "targetPort": 22}],
            },
            SSH,
        ),
    ],
)
def test_a_container_app_forwards_no_control_port_from_the_internet(given, expected, moment):
    assert login(app(**given), moment) == expected


@pytest.mark.parametrize(
    "given",
    [
        {"ipSecurityRestrictions": [allow(UNKNOWN)]},
        {"ipSecurityRestrictions": [{"action": "Deny", "ipAddressRange": "203.0.113.0/24"}]},
        {"ipSecurityRestrictions": UNKNOWN},
        {"login": {}},
        {"login": {**required("Return401"), "containerAppName": UNKNOWN}},
        {"login": required("Return401", enabled=UNKNOWN)},
        {"login": required("Return401", excludedPaths=["/open"])},
        {"internal": UNKNOWN},
    ],
)
def test_what_may_keep_requests_from_a_container_app_is_in_doubt(given):
    found = login(app(**WORLD, **given))
    assert [outcome for outcome, _ in found] == UNCERTAIN


def test_a_container_app_redirects_plain_requests():
    plain = app(external=True, targetPort=8000, allowInsecure=True)
    redirected = app(external=True, targetPort=8000)
    assert [outcome for outcome, _ in applicable(plain, "front-tls")] == ["violated"]
    assert [outcome for outcome, _ in applicable(redirected, "front-tls")] == ["fine"]


HTTP, HTTPS = {"port": 80, "protocol": "TCP"}, {"port": 443}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"type": "Public", "ports": [HTTP]}, ["violated"]),
        ({"type": "public", "ports": [HTTP]}, ["violated"]),
        ({"type": "Public", "ports": [HTTP, HTTPS]}, UNCERTAIN),
        ({"type": "Public", "ports": [{"port": 8000}]}, UNCERTAIN),
        ({"type": "Public", "ports": UNKNOWN}, UNCERTAIN),
        ({"type": UNKNOWN, "ports": [HTTP]}, UNCERTAIN),
        ({"type": "Public", "ports": [{"port": 53, "protocol": "UDP"}]}, []),
        ({"type": "Private", "ports": [HTTP]}, []),
        (None, []),
    ],
)
def test_a_group_of_containers_serves_no_plain_http_to_the_internet(address, expected):
    program = AzureProgram()
    program.add(GROUP, "it", ipAddress=address)

    assert [outcome for outcome, _ in applicable(program, "front-tls")] == expected


@pytest.mark.parametrize(("port", "expected"), [(80, ["violated"]), (9000, UNCERTAIN)])
def test_a_container_app_passes_tcp_on_as_it_comes(port, expected):
    passing = app(external=True, targetPort=8000, transport="tcp", exposedPort=port)

    assert [outcome for outcome, _ in applicable(passing, "front-tls")] == expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("Public", JUPYTER), ("public", JUPYTER), ("Private", [])]
)
def test_a_group_of_containers_opens_the_ports_of_its_address(kind, expected):
    address = {"type": kind, "ports": [{"port": 8888, "protocol": "TCP"}, {"port": 8000}]}
    assert told(GROUP, ipAddress=address) == expected


@pytest.mark.parametrize(
    ("port", "protocol", "expected"),
    [
        (161, "UDP", [("violated", "UDP 161 (SNMP) of it is open to the internet")]),
        (161, "TCP", []),
        (161, None, []),
        (22, "UDP", []),
    ],
)
def test_a_port_of_a_group_is_of_its_protocol(port, protocol, expected):
    address = {"type": "Public", "ports": [{"port": port, "protocol": protocol}]}
    assert told(GROUP, ipAddress=address) == expected


def test_a_port_of_a_group_may_be_of_either_protocol():
    address = {"type": "Public", "ports": [{"port": 161, "protocol": UNKNOWN}]}
    assert [outcome for outcome, _ in told(GROUP, ipAddress=address)] == UNCERTAIN


def test_every_type_that_is_read_is_looked_for():
    assert set(service_ports._READERS) == set(OPENS_PORTS)


@pytest.mark.parametrize("mode", ["Require", "require", UNKNOWN])
def test_a_certificate_of_any_client_leaves_it_to_the_container(mode):
    program = app(**WORLD, clientCertificateMode=mode)

    assert outcomes(of_resources(program.resources()), "open-login") == ["not-knowable"]
