"""The firewall policy of a network: its rules apply after the network's own firewalls."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.judging import of_resources, outcomes

SSH = {"layer4Configs": [{"ipProtocol": "tcp", "ports": ["22"]}]}
IAP, WORLD = ["35.235.240.0/20"], ["0.0.0.0/0"]
RULE = {"priority": 100, "direction": "INGRESS", "action": "allow"}
DENIED = {**RULE, "priority": 50, "action": "deny", "match": {**SSH, "srcIpRanges": WORLD}}


def opening(**match):
    return {**RULE, "match": {**SSH, "srcIpRanges": WORLD, **match}}


def machine_behind(
    *rules, listed=True, region="", firewall=None, network=None, association=None, moment="preview"
):
    """A machine on a network with a policy, and without firewalls unless one is given."""
    program = gcp_stacks.open_machine()
    vpc = next(row for row in program.handles.values() if row.type.endswith(":Network"))
    program.change(vpc, **(network or {}))
    own = next(row for row in program.handles.values() if row.type.endswith(":Firewall"))
    program.change(own, **(firewall or {"disabled": True}))
    kind = f"{region}NetworkFirewallPolicy"
    path = f"compute/{kind[0].lower()}{kind[1:]}"
    stem = f"{path}WithRules:{kind}WithRules" if listed else f"{path}:{kind}"
    policy = program.add(stem, "policy", name="pp", **({"rules": list(rules)} if listed else {}))
    for number, rule in enumerate(() if listed else rules):
        program.add(
            f"{path}Rule:{kind}Rule", f"r{number}", firewallPolicy=policy.out("name"), **rule
        )
    given = {"attachmentTarget": vpc.id, "firewallPolicy": policy.out("name")}
    program.add(f"{path}Association:{kind}Association", "on", **given | (association or {}))
    return program.resources(moment)


def is_open(*rules, **settings):
    (group,) = observe(machine_behind(*rules, **settings)).groups
    return group.safety.open_login


RULES = [
    ([opening(srcIpRanges=IAP)], False),
    ([opening()], True),
    ([opening(srcIpRanges=["0.0.0.0/1", "128.0.0.0/1"])], True),
    ([opening() | {"disabled": True}], False),
    ([opening() | {"direction": "EGRESS"}], False),
    ([opening(), DENIED], False),
    ([opening(), DENIED | {"priority": 200}], True),
    ([opening() | {"action": "apply_security_profile_group"}], True),
    ([opening(srcIpRanges=None, srcRegionCodes=["US"])], UNKNOWN),
    ([opening(srcIpRanges=None, srcAddressGroups=["office"])], UNKNOWN),
    ([opening(srcIpRanges=None, srcSecureTags=[{"name": "tagValues/1"}])], False),
    ([opening(srcNetworkScope="INTRA_VPC")], False),
    ([opening(srcNetworkType="INTERNET")], UNKNOWN),
    ([opening(destIpRanges=["10.0.0.0/8"])], UNKNOWN),
    ([opening() | {"targetSecureTags": [{"name": "tagValues/1"}]}], UNKNOWN),
    ([opening() | {"action": UNKNOWN}], UNKNOWN),
    ([opening(srcIpRanges=IAP), {**DENIED, "action": "goto_next"}], UNKNOWN),
    ([opening(), {**DENIED, "priority": 2147483645, "action": "goto_next"}], True),
]


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "standalone"])
@pytest.mark.parametrize(("rules", "expected"), RULES)
def test_the_rules_of_a_policy_open_a_login_or_not(rules, listed, expected):
    assert is_open(*rules, listed=listed) is expected
    assert is_open(*rules, listed=listed, moment="created") is expected


def test_a_rule_for_another_account_is_about_other_machines():
    rule = opening() | {"targetServiceAccounts": ["web@shop-1.iam.gserviceaccount.com"]}
    assert is_open(rule, moment="created") is False


DENIES_ALL = {"allows": None, "denies": [{"protocol": "all"}], "priority": 65535}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"firewall": DENIES_ALL}, False),
        ({"network": {"networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL"}}, True),
        ({"network": {"networkFirewallPolicyEnforcementOrder": UNKNOWN}}, UNKNOWN),
        ({"region": "Region"}, UNKNOWN),
        ({"association": {"firewallPolicy": "of-another-stack"}}, UNKNOWN),
        (
            {
                "network": {"networkFirewallPolicyEnforcementOrder": "BEFORE_CLASSIC_FIREWALL"},
                "firewall": DENIES_ALL,
            },
            UNKNOWN,
        ),
    ],
)
def test_what_stands_around_a_policy_decides_whether_its_rules_apply(settings, expected):
    assert is_open(opening(), **settings) is expected


@pytest.mark.parametrize(
    ("rules", "outcome"), [([opening(srcIpRanges=IAP)], "fine"), ([opening()], "violated")]
)
def test_a_machine_behind_a_policy_is_judged(rules, outcome):
    assert outcome in outcomes(of_resources(machine_behind(*rules)), "open-login")
