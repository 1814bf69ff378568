"""A denial closes a port to those whom it denies, and to no others, before any address it leaves."""

import pytest

from gpuinfra.clouds.observing.ranges import cover, reaches_world
from gpuinfra.model import UNKNOWN
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
