"""An application gateway may hand a control port of its machines to the internet."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login

GROUP = "azure-native:network:NetworkSecurityGroup"
JUPYTER = "TCP 8888 (Jupyter) behind desk is open to the internet through front"
BOTH = [{"name": "f", "publicIPAddress": {"id": "ip"}}, {"name": "g"}]


def to(name):
    return {"id": f"/subscriptions/s/x/backendHttpSettingsCollection/{name}"}


def gateway(port=8888, source=None, rule=None, inputs=None):
    program = AzureProgram()
    guard = {}
    if source:
        let = {"access": "Allow", "direction": "Inbound", "priority": 100, "protocol": "Tcp"}
        let |= {"sourceAddressPrefix": source, "sourcePortRange": "*"}
        let |= {"destinationAddressPrefix": "*", "destinationPortRange": "443"}
        group = program.add(GROUP, "guard", securityRules=[{"name": "r", **let}])
        guard = {"networkSecurityGroup": {"id": group.id}}
    program.add("azure-native:network:VirtualNetwork", "net", virtualNetworkName="net")
    subnet = program.add("azure-native:network:Subnet", "s", virtualNetworkName="net", **guard)
    stated = {
        "gatewayIPConfigurations": [{"name": "g", "subnet": {"id": subnet.id}}],
        "frontendIPConfigurations": [{"name": "f", "publicIPAddress": {"id": "ip"}}],
        "frontendPorts": [{"name": "p", "port": 443}],
        "httpListeners": [{"name": "l", "protocol": "Https"}],
        "backendHttpSettingsCollection": [{"name": "desk", "port": port, "protocol": "Http"}],
        "requestRoutingRules": [rule or {"name": "r", "backendHttpSettings": to("desk")}],
    }
    program.add("azure-native:network:ApplicationGateway", "front", **stated | (inputs or {}))
    return program


@both
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "violated"),
        ({"port": 8000}, None),
        ({"source": "Internet"}, "violated"),
        ({"source": "203.0.113.0/24"}, None),
        ({"rule": {"name": "r", "backendHttpSettings": to("web")}}, None),
        ({"rule": {"name": "r", "backendHttpSettings": {"id": UNKNOWN}}}, "not-knowable"),
        ({"inputs": {"firewallPolicy": {"id": "waf"}}}, "not-knowable"),
        ({"inputs": {"trustedClientCertificates": [{"name": "c"}]}}, "not-knowable"),
        ({"inputs": {"frontendIPConfigurations": [{"name": "f"}]}}, None),
        ({"inputs": {"frontendIPConfigurations": BOTH}}, "not-knowable"),
        ({"inputs": {"gatewayIPConfigurations": [{"subnet": {"id": "x"}}]}}, "not-knowable"),
    ],
)
def test_a_gateway_hands_on_the_port_of_its_settings(changes, expected, moment):
    found = [each for each in login(gateway(**changes), moment) if each[0] != "fine"]

    assert [outcome for outcome, _ in found] == ([expected] if expected else [])
    assert [words for outcome, words in found if outcome == "violated"] == (
        [JUPYTER] if expected == "violated" else []
    )


@both
@pytest.mark.parametrize(
    ("pool", "address", "served", "expected"),
    [
        ("inside", "10.0.1.10", 8888, True),
        ("inside", "10.0.1.10", 8000, False),
        ("inside", "10.0.1.11", 8888, False),
        ("other", "10.0.1.10", 8888, False),
    ],
)
def test_a_gateway_may_lead_to_an_internal_balancer(pool, address, served, expected, moment):
    leads = {"id": f"/subscriptions/s/x/backendAddressPools/{pool}"}
    rule = {"name": "r", "backendHttpSettings": to("desk"), "backendAddressPool": leads}
    pools = [{"name": "inside", "backendAddresses": [{"ipAddress": "10.0.1.10"}]}]
    program = gateway(port=80, rule=rule, inputs={"backendAddressPools": pools})
    program.add(
        "azure-native:network:LoadBalancer",
        "inner",
        frontendIPConfigurations=[{"name": "f", "privateIPAddress": address}],
        loadBalancingRules=[{"name": "r", "frontendPort": 80, "backendPort": served}],
    )
    words = "TCP 8888 (Jupyter) behind inner is open to the internet through front"
    found = [text for outcome, text in login(program, moment) if outcome == "violated"]
    assert found == ([words] if expected else [])


def test_a_path_may_lead_to_the_port():
    paths = [{"name": "m", "pathRules": [{"name": "a", "backendHttpSettings": to("desk")}]}]
    program = gateway(rule={"name": "r"}, inputs={"urlPathMaps": paths})

    assert ("violated", JUPYTER) in login(program)


@pytest.mark.parametrize(("name", "opens"), [("shell", True), ("other", False)])
def test_a_rule_of_layer_4_may_lead_to_a_port(name, opens):
    ways = {
        "listeners": [{"name": "t", "protocol": "Tcp"}],
        "backendSettingsCollection": [{"name": "shell", "port": 22, "protocol": "Tcp"}],
        "routingRules": [
            {"name": "t", "backendSettings": {"id": f"/s/x/backendSettingsCollection/{name}"}}
        ],
    }
    words = "TCP 22 (SSH) behind shell is open to the internet through front"
    assert (("violated", words) in login(gateway(port=8000, inputs=ways))) is opens
