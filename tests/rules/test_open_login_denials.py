"""A denial closes a port to those whom it denies, at the addresses that it is about."""

import pytest

from gpuinfra.clouds.observing.address_ranges import cover, reaches_world
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes

WORLD = ["0.0.0.0/0"]
BOTH = ["0.0.0.0/0", "::/0"]
HALF = ["0.0.0.0/1"]
HALVES = ["0.0.0.0/1", "128.0.0.0/1"]
EIGHTS = [f"{number}.0.0.0/8" for number in range(1, 224)]

DENIALS = [
    (WORLD, WORLD, "not-applicable"),
    (HALVES, WORLD, "not-applicable"),
    (BOTH, BOTH, "not-applicable"),
    (HALF, HALF, "not-applicable"),
    (HALF, WORLD, "violated"),
    (WORLD, ["::/0"], "violated"),
    (WORLD, BOTH, "violated"),
    (EIGHTS[:9], EIGHTS, "violated"),
]
denials = pytest.mark.parametrize(("denied", "allowed", "expected"), DENIALS)


def judged(program):
    return outcomes(of_resources(program.resources()), "open-login")


def on_gcp(denied, allowed, **more):
    program = GcpProgram()
    every, ssh = {"protocol": "all"}, {"protocol": "tcp", "ports": ["22"]}
    for name, words in (
        ("denial", {"priority": 900, "sourceRanges": denied, "denies": [every], **more}),
        ("allowance", {"priority": 1000, "sourceRanges": allowed, "allows": [ssh]}),
    ):
        program.add("gcp:compute/firewall:Firewall", name, network="default", **words)
    return program


def on_azure(denied, allowed, **more):
    program = AzureProgram()
    common = {"direction": "Inbound", "protocol": "*", "destinationAddressPrefix": "*"}
    denial = {
        **common,
        "access": "Deny",
        "priority": 100,
        "sourceAddressPrefixes": denied,
        "destinationPortRange": "*",
        **more,
    }
    allowance = {
        **common,
        "access": "Allow",
        "priority": 200,
        "sourceAddressPrefixes": allowed,
        "destinationPortRange": "22",
    }
    program.add(
        "azure-native:network:NetworkSecurityGroup",
        "g",
        resourceGroupName="rg",
        securityRules=[allowance, denial],
    )
    return program


def policy(token, *rules):
    program = GcpProgram()
    program.add(f"gcp:compute/{token[0].lower()}{token[1:]}:{token}", "policy", rules=list(rules))
    return program


def policy_rule(action, priority, ranges):
    return {
        "action": action,
        "priority": priority,
        "direction": "INGRESS",
        "match": {
            "srcIpRanges": ranges,
            "layer4Configs": [{"ipProtocol": "tcp", "ports": ["22"]}],
        },
    }


class TestGoogle:
    @denials
    def test_a_stronger_firewall_closes_what_it_covers(self, denied, allowed, expected):
        outcome = judged(on_gcp(denied, allowed))[-1]
        assert outcome == expected

    def test_one_for_some_addresses_of_the_machines_may_leave_others_open(self):
        program = on_gcp(WORLD, WORLD, destinationRanges=["10.9.9.9/32"])
        assert judged(program)[-1] == "not-knowable"

    @pytest.mark.parametrize(
        "token",
        [
            "FirewallPolicyWithRules",
            "NetworkFirewallPolicyWithRules",
            "RegionNetworkFirewallPolicyWithRules",
        ],
    )
    def test_rules_that_a_policy_lists_are_read_as_those_that_stand_alone(self, token):
        allowance = policy_rule("allow", 1000, WORLD)
        assert judged(policy(token, allowance)) == ["violated"]
        assert judged(policy(token, policy_rule("allow", 1000, ["203.0.113.0/24"]))) == [
            "not-applicable"
        ]
        closed = policy(token, allowance, policy_rule("deny", 900, WORLD))
        assert judged(closed) == ["not-knowable"]
        half = policy(token, allowance, policy_rule("deny", 900, HALF))
        assert judged(half) == ["violated"]
        assert judged(policy(token, UNKNOWN)) == ["not-knowable"]


class TestAzure:
    @denials
    def test_a_stronger_rule_closes_what_it_covers(self, denied, allowed, expected):
        assert judged(on_azure(denied, allowed)) == [expected]

    @pytest.mark.parametrize(
        ("denied", "expected"),
        [
            (["*"], "not-applicable"),
            (["Internet"], "not-applicable"),
            (BOTH, "not-applicable"),
            (WORLD, "violated"),
            (HALF, "violated"),
            (["VirtualNetwork"], "violated"),
            ([UNKNOWN], "not-knowable"),
        ],
    )
    def test_a_denial_before_a_rule_for_all(self, denied, expected):
        assert judged(on_azure(denied, ["*"])) == [expected]

    @pytest.mark.parametrize(
        "narrowing",
        [
            {"destinationAddressPrefix": "10.0.9.9/32"},
            {"destinationAddressPrefixes": ["10.0.9.9/32"]},
            {"destinationApplicationSecurityGroups": [{"id": "group"}]},
            {"sourcePortRange": "53"},
        ],
    )
    def test_a_denial_of_a_part_may_leave_the_machines_open(self, narrowing):
        assert judged(on_azure(["*"], ["*"], **narrowing)) == ["not-knowable"]

    def test_a_denial_comes_before_by_its_number_alone(self):
        assert judged(on_azure(["*"], ["*"], priority=300)) == ["violated"]
        assert judged(on_azure(["*"], ["*"], priority=UNKNOWN)) == ["not-knowable"]

    @pytest.mark.parametrize("tag", ["AzureCloud", "AzureCloud.eastus", "azurecloud.WestEurope"])
    def test_addresses_that_anyone_may_rent_are_open(self, tag):
        assert judged(on_azure(["VirtualNetwork"], [tag])) == ["violated"]

    def test_the_addresses_of_a_service_are_none_that_anyone_may_rent(self):
        assert judged(on_azure(["VirtualNetwork"], ["ApiManagement.eastus"])) == ["not-applicable"]

    @pytest.mark.parametrize(
        ("access", "source", "expected"),
        [
            ("AlwaysAllow", "*", ["violated"]),
            ("AlwaysAllow", "203.0.113.0/24", ["not-applicable"]),
            ("Allow", "*", ["not-applicable"]),
            ("Deny", "*", ["not-applicable"]),
        ],
    )
    def test_a_network_manager_opens_what_no_group_may_deny(self, access, source, expected):
        program = AzureProgram()
        program.add(
            "azure-native:network:AdminRule",
            "r",
            kind="Custom",
            access=access,
            direction="Inbound",
            priority=1,
            protocol="Tcp",
            sources=[{"addressPrefix": source, "addressPrefixType": "IPPrefix"}],
            destinationPortRanges=["22"],
        )
        assert judged(program) == expected


class TestRanges:
    @pytest.mark.parametrize(
        ("ranges", "world"),
        [
            (WORLD, True),
            (["::/0"], True),
            (EIGHTS, True),
            (["10.0.0.0/8"], False),
            (["10.0.0.0/8", "172.16.0.0/12"], False),
            ([UNKNOWN], UNKNOWN),
            ([UNKNOWN, *WORLD], True),
            ([], False),
        ],
    )
    def test_together_they_reach_the_world_or_do_not(self, ranges, world):
        assert reaches_world(ranges) is world

    @pytest.mark.parametrize(
        ("around", "own", "covered"),
        [
            (HALVES, WORLD, True),
            (HALF, WORLD, False),
            (WORLD, ["::/0"], False),
            ([UNKNOWN], WORLD, UNKNOWN),
            ([UNKNOWN, *WORLD], WORLD, True),
            (WORLD, [UNKNOWN], UNKNOWN),
        ],
    )
    def test_they_cover_others_together_or_leave_some(self, around, own, covered):
        assert cover(around, own) is covered
