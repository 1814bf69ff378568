"""Whom an external load balancer of Google Cloud lets in to a control port."""

import json

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_fronts import fronted
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login_faults, login_outcomes

ACCESSOR = "roles/iap.httpsResourceAccessor"
GRANT = "iap/webBackendServiceIamMember:WebBackendServiceIamMember"


@both
@pytest.mark.parametrize(
    ("grant", "expected"),
    [
        ({"member": "allUsers"}, ["violated"]),
        ({"member": "allAuthenticatedUsers"}, ["violated"]),
        ({"member": "allUsers", "condition": {"expression": "x"}}, ["not-knowable"]),
        ({"member": "group:team@example.com"}, []),
        ({"member": "allUsers", "role": "roles/iap.settingsAdmin"}, []),
    ],
)
def test_the_proxy_of_identities_may_let_everyone_in(grant, expected, moment):
    program, backend = fronted(service={"iap": {"enabled": True}})
    stated = {"role": ACCESSOR, **grant}
    program.add(GRANT, "g", webBackendService=backend.out("name"), **stated)

    assert login_faults(program, moment) == expected


EVERYONE = {"role": ACCESSOR, "member": "allUsers"}
OPEN_POLICY = json.dumps({"bindings": [{"role": ACCESSOR, "members": ["allUsers"]}]})
TEAM_POLICY = json.dumps({"bindings": [{"role": ACCESSOR, "members": ["group:a@example.com"]}]})


@both
@pytest.mark.parametrize(
    ("grant", "stated", "expected"),
    [
        ("iap/webIamMember:WebIamMember", EVERYONE, ["violated"]),
        ("iap/webIamMember:WebIamMember", {**EVERYONE, "project": "other"}, []),
        (
            "iap/webIamBinding:WebIamBinding",
            {"role": ACCESSOR, "members": ["allAuthenticatedUsers"]},
            ["violated"],
        ),
        ("iap/webIamPolicy:WebIamPolicy", {"policyData": OPEN_POLICY}, ["violated"]),
        ("iap/webIamPolicy:WebIamPolicy", {"policyData": TEAM_POLICY}, []),
        ("iap/webIamPolicy:WebIamPolicy", {"policyData": UNKNOWN}, ["not-knowable"]),
        ("iap/webTypeComputeIamMember:WebTypeComputeIamMember", EVERYONE, ["violated"]),
        ("iap/webTypeAppEngingIamMember:WebTypeAppEngingIamMember", EVERYONE, []),
        ("projects/iAMMember:IAMMember", {**EVERYONE, "project": "shop-1"}, ["violated"]),
        ("projects/iAMMember:IAMMember", {**EVERYONE, "project": "other"}, []),
        (
            "projects/iAMPolicy:IAMPolicy",
            {"policyData": OPEN_POLICY, "project": "shop-1"},
            ["violated"],
        ),
        ("folder/iAMMember:IAMMember", {**EVERYONE, "folder": "1"}, ["not-knowable"]),
        (
            "iap/webBackendServiceIamPolicy:WebBackendServiceIamPolicy",
            {"policyData": OPEN_POLICY, "webBackendService": "service"},
            ["violated"],
        ),
        (
            "iap/webBackendServiceIamPolicy:WebBackendServiceIamPolicy",
            {"policyData": OPEN_POLICY, "webBackendService": "other"},
            [],
        ),
        (
            "iap/webIamMember:WebIamMember",
            {"role": "projects/shop-1/roles/app", "member": "allUsers"},
            ["violated"],
        ),
    ],
)
def test_a_grant_above_a_service_lets_everyone_in(grant, stated, expected, moment):
    served = {"iap": {"enabled": True}, "name": "service", "project": "shop-1"}
    program, _ = fronted(service=served)
    role = {"roleId": "app", "permissions": ["iap.webServiceVersions.accessViaIAP"]}
    program.add("projects/iAMCustomRole:IAMCustomRole", "app", **role, project="shop-1")
    where = {} if "folder" in stated else {"project": "shop-1"}
    program.add(grant, "g", **{**where, **stated})

    assert login_faults(program, moment) == expected


def test_a_folder_may_hold_a_project_that_is_not_stated():
    program, _ = fronted(service={"iap": {"enabled": True}})
    program.add("folder/iAMMember:IAMMember", "g", folder="1", **EVERYONE)

    assert "not-knowable" in login_outcomes(program)


def policy_rule(action, *ranges, **more):
    match = {"versionedExpr": "SRC_IPS_V1", "config": {"srcIpRanges": [*ranges]}}
    return {"action": action, "priority": 1, "match": match, **more}


OFFICE, OTHERS = policy_rule("allow", "192.0.2.9/32"), policy_rule("deny(403)", "*")
BY_EXPRESSION = {"match": {"expr": {"expression": "true"}}}


@both
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([OFFICE, OTHERS], []),
        ([OTHERS], []),
        ([OFFICE], ["not-knowable"]),
        ([OFFICE, policy_rule("allow", "*")], ["not-knowable"]),
        ([OFFICE, policy_rule("deny(403)", "198.51.100.0/24")], ["not-knowable"]),
        ([policy_rule("allow", "0.0.0.0/0"), OTHERS], ["not-knowable"]),
        ([policy_rule("allow", **BY_EXPRESSION), OTHERS], ["not-knowable"]),
        ([OFFICE, {**OTHERS, "preview": True}], ["not-knowable"]),
        ([OTHERS, policy_rule("allow", "*", preview=UNKNOWN)], ["not-knowable"]),
        ([OTHERS, policy_rule("allow", "*", preview=True)], []),
        (UNKNOWN, ["not-knowable"]),
    ],
)
def test_a_policy_may_allow_few_addresses(rules, expected, moment):
    program = GcpProgram()
    policy = program.add("compute/securityPolicy:SecurityPolicy", "armor", rules=rules)
    program, _ = fronted(service={"securityPolicy": policy.out("id")}, program=program)
    assert login_outcomes(program, moment) == expected

    if not expected:
        kind = "compute/securityPolicyRule:SecurityPolicyRule"
        program.add(kind, "more", securityPolicy=policy.out("name"), action="allow")
        assert login_outcomes(program, moment) == ["not-knowable"]


AUTHORIZED = "networksecurity/authzPolicy:AuthzPolicy"
RULE_GRANT = "iap/webForwardingRuleServiceIamMember:WebForwardingRuleServiceIamMember"
BY_PROXY = {"action": "CUSTOM", "customProvider": {"cloudIap": {"enabled": True}}}
OF_SOME = {"httpRules": [{"from": {"sources": [{"ipBlocks": [{"prefix": "10.0.0.0"}]}]}}]}


@both
@pytest.mark.parametrize(
    ("policy", "member", "expected"),
    [
        (BY_PROXY, "group:team@example.com", []),
        (BY_PROXY, "allUsers", ["violated"]),
        ({**BY_PROXY, **OF_SOME}, "group:team@example.com", ["not-knowable"]),
        ({"action": "ALLOW", **OF_SOME}, "group:team@example.com", ["not-knowable"]),
        ({**BY_PROXY, "action": UNKNOWN}, "group:team@example.com", ["not-knowable"]),
        ({**BY_PROXY, "customProvider": {"authzExtension": {}}}, "allUsers", ["not-knowable"]),
    ],
)
def test_a_forwarding_rule_may_ask_the_proxy_of_identities(policy, member, expected, moment):
    program, _ = fronted()
    front = next(each for each in program.handles.values() if each.name == "front")
    program.add(AUTHORIZED, "authorized", target={"resources": [front.id]}, **policy)
    where = {"forwardingRuleServiceName": front.out("name")}
    program.add(RULE_GRANT, "g", role=ACCESSOR, member=member, **where)

    assert login_faults(program, moment) == expected


def test_a_policy_of_another_forwarding_rule_closes_nothing():
    program, _ = fronted()
    program.add(AUTHORIZED, "authorized", target={"resources": ["other"]}, **BY_PROXY)

    assert login_outcomes(program) == ["violated"]
