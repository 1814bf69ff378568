"""Ports that give a machine away are as closed to the internet as login is, on every cloud."""

import pytest

from gpuinfra.clouds.observing.control_ports import PORTS, SOURCES, UDP_SOURCES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.program import Program

WORLD = "0.0.0.0/0"
GIVEN_AWAY = (
    21,
    22,
    139,
    513,
    988,
    2181,
    111,
    135,
    5601,
    9092,
    9300,
    15672,
    2375,
    2379,
    3306,
    3389,
    5432,
    5901,
    6006,
    6333,
    6379,
    8265,
    7474,
    7860,
    8787,
    8501,
    8888,
    8889,
    9000,
    9200,
    10001,
    10250,
    11434,
    19530,
    27017,
)
FOR_ALL = (80, 443, 5000, 8000, 8080, 30000)
"""Ports of servers that are made for the internet."""

RANGES = [
    *((port, port, "violated") for port in GIVEN_AWAY),
    *((port, port, "not-applicable") for port in FOR_ALL),
    (23, 3388, "violated"),
    (3390, 65535, "violated"),
    (1, 20, "not-applicable"),
]
ranges = pytest.mark.parametrize(("first", "last", "expected"), RANGES)


def on_aws(first, last, protocol="tcp"):
    program = Program()
    rule = {"protocol": protocol, "fromPort": first, "toPort": last, "cidrBlocks": [WORLD]}
    program.add("aws:ec2/securityGroup:SecurityGroup", "g", ingress=[rule])
    return program


def on_gcp(first, last, *denied):
    program = GcpProgram()
    program.add(
        "gcp:compute/firewall:Firewall",
        "g",
        network="default",
        sourceRanges=[WORLD],
        allows=[{"protocol": "tcp", "ports": [f"{first}-{last}"]}],
    )
    for number, port in enumerate(denied):
        program.add(
            "gcp:compute/firewall:Firewall",
            f"d{number}",
            network="default",
            priority=10,
            sourceRanges=[WORLD],
            denies=[{"protocol": "tcp", "ports": [str(port)]}],
        )
    return program


def policy_rule(program, token, first, last, **more):
    settings = {"priority": 1000, "action": "allow", "source": WORLD, **more}
    layer = {"ipProtocol": "tcp", "ports": [f"{first}-{last}"]}
    program.add(
        f"gcp:compute/{token[0].lower()}{token[1:]}:{token}",
        f"r{settings['priority']}",
        firewallPolicy="policy",
        direction="INGRESS",
        priority=settings["priority"],
        action=settings["action"],
        match={
            "srcIpRanges": [settings["source"]],
            "srcNetworkContext": settings.get("context"),
            "layer4Configs": [layer],
        },
    )
    return program


def azure_rule(first, last, access="Allow", priority=200):
    return {
        "name": f"{access}{first}",
        "priority": priority,
        "access": access,
        "direction": "Inbound",
        "protocol": "Tcp",
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": f"{first}-{last}",
    }


def on_azure(first, last, *denied):
    program = AzureProgram()
    rules = [azure_rule(port, port, "Deny", 100 + n) for n, port in enumerate(denied)]
    rules.append(azure_rule(first, last))
    program.add(
        "azure-native:network:NetworkSecurityGroup",
        "g",
        resourceGroupName="rg",
        securityRules=rules,
    )
    return program


def judged(program):
    return outcomes(of_resources(program.resources()), "open-login")


@ranges
@pytest.mark.parametrize("cloud", [on_aws, on_gcp, on_azure])
def test_a_port_that_gives_a_machine_away_is_open_or_it_is_not(cloud, first, last, expected):
    assert judged(cloud(first, last)) == [expected]


@pytest.mark.parametrize("cloud", [on_gcp, on_azure])
def test_a_denial_closes_its_own_port_alone(cloud):
    assert "violated" not in judged(cloud(22, 22, 22))
    assert "violated" in judged(cloud(1, 65535, 22, 3389))
    assert "violated" not in judged(cloud(2375, 2379, *range(2375, 2380)))


@ranges
@pytest.mark.parametrize(
    "token",
    ["NetworkFirewallPolicyRule", "RegionNetworkFirewallPolicyRule", "FirewallPolicyRule"],
)
def test_a_rule_of_a_firewall_policy_is_judged_as_a_firewall_is(token, first, last, expected):
    assert judged(policy_rule(GcpProgram(), token, first, last)) == [expected]


def test_a_rule_that_has_traffic_inspected_lets_it_in():
    inspects = policy_rule(
        GcpProgram(), "NetworkFirewallPolicyRule", 22, 22, action="apply_security_profile_group"
    )
    assert judged(inspects) == ["violated"]


@pytest.mark.parametrize(
    "narrowed",
    [
        {"action": "goto_next"},
        {"action": "deny"},
        {"source": "203.0.113.0/24"},
        {"context": "INTRA_VPC"},
    ],
)
def test_a_rule_of_a_firewall_policy_that_lets_few_in_is_closed(narrowed):
    rule = policy_rule(GcpProgram(), "NetworkFirewallPolicyRule", 22, 22, **narrowed)
    assert judged(rule) == ["not-applicable"]


@pytest.mark.parametrize(
    ("stronger", "expected"),
    [({}, "not-knowable"), ({"source": "203.0.113.0/24"}, "violated")],
)
def test_only_a_denial_of_all_may_close_a_rule_of_a_policy(stronger, expected):
    token = "NetworkFirewallPolicyRule"
    program = policy_rule(GcpProgram(), token, 22, 22)
    policy_rule(program, token, 22, 22, priority=900, action="deny", **stronger)
    assert expected in judged(program)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "violated"),
        ({"preview": True}, "not-applicable"),
        ({"action": "deny"}, "not-applicable"),
        ({"direction": "EGRESS"}, "not-applicable"),
        ({"match": {"config": {"srcIpRanges": ["10.0.0.0/8"]}}}, "not-applicable"),
        (
            {"match": {"config": {"srcIpRanges": ["0.0.0.0/0"]}, "versionedExpr": "SRC_IPS_V1"}},
            "not-applicable",
        ),
        ({"match": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_rule_of_an_older_policy_of_an_organization_is_one_of_a_firewall(changed, expected):
    login = {"ipProtocol": "tcp", "ports": ["22"]}
    rule = {
        "policyId": "1",
        "action": "allow",
        "direction": "INGRESS",
        "priority": 100,
        "match": {
            "config": {"srcIpRanges": ["0.0.0.0/0"], "layer4Configs": [login]},
            "versionedExpr": "FIREWALL",
        },
    }
    program = GcpProgram()
    program.add(
        "compute/organizationSecurityPolicyRule:OrganizationSecurityPolicyRule",
        "r",
        **{**rule, **changed},
    )
    assert judged(program) == [expected]


def test_each_port_says_what_listens_there_and_where_that_is_written():
    assert sorted(PORTS) == list(PORTS)
    for what, source in SOURCES.values():
        assert what
        assert source.startswith("https://")


UDP = [
    *((port, port, "violated") for port in (69, 111, 137, 161, 389, 1900, 2049, 3389, 11211)),
    *((port, port, "not-applicable") for port in (22, 53, 123, 443, 500, 4500, 51820)),
    (1, 65535, "violated"),
    (40000, 60000, "not-applicable"),
]
udp = pytest.mark.parametrize(("first", "last", "expected"), UDP)


class TestUdp:
    @udp
    @pytest.mark.parametrize("protocol", ["udp", "17"])
    def test_aws(self, first, last, protocol, expected):
        resources = on_aws(first, last, protocol).resources()
        assert outcomes(of_resources(resources), "open-login") == [expected]

    @udp
    def test_google(self, first, last, expected):
        program = GcpProgram()
        wall = {"network": "default", "sourceRanges": [WORLD]}
        rule = {"protocol": "udp", "ports": [f"{first}-{last}"]}
        program.add("gcp:compute/firewall:Firewall", "g", allows=[rule], **wall)
        assert outcomes(of_resources(program.resources()), "open-login") == [expected]
        program.add("gcp:compute/firewall:Firewall", "d", denies=[rule], priority=10, **wall)
        assert "violated" not in outcomes(of_resources(program.resources()), "open-login")

    @udp
    def test_azure(self, first, last, expected):
        rule = {**azure_rule(first, last), "protocol": "Udp"}
        assert self._of_azure(rule) == [expected]
        assert self._of_azure({**azure_rule(1, 65535, "Deny", 100)}, rule) == [expected]
        closing = {**azure_rule(1, 65535, "Deny", 100), "protocol": "Udp"}
        assert self._of_azure(closing, rule) == ["not-applicable"]

    @staticmethod
    def _of_azure(*rules):
        program = AzureProgram()
        kind = "azure-native:network:NetworkSecurityGroup"
        program.add(kind, "g", resourceGroupName="rg", securityRules=list(rules))
        return outcomes(of_resources(program.resources()), "open-login")

    def test_it_is_named_by_its_protocol(self):
        (finding,) = findings(of_resources(on_aws(161, 161, "udp").resources()), "open-login")
        assert "UDP 161 (SNMP) of g is open to 0.0.0.0/0" in finding.message

    def test_each_names_its_source(self):
        assert all(source.startswith("https://") for _, source in UDP_SOURCES.values())
