"""Services of Azure without machines that open something to everyone, on raw resources."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.verdicts import applicable

DATA = "its data port is open to the whole internet"
PLAIN = "it serves plain HTTP to the internet"
OLD = "it accepts TLS older than 1.2 to the internet"


def told(token: str, rule: str, **inputs: Any) -> list[tuple[str, str]]:
    program = AzureProgram()
    full = token if token.startswith("azuread:") else f"azure-native:{token}"
    program.add(full, "it", **inputs)
    return applicable(program, rule)


@pytest.mark.parametrize("kind", sorted(resource_types.DATABASE_RULES))
def test_a_firewall_of_a_database_is_not_open_to_the_internet(kind):
    token = kind.removeprefix("azure-native:")
    keys = {
        "azure-native:sql:IPv6FirewallRule": ("startIPv6Address", "endIPv6Address"),
        "azure-native:cache:FirewallRule": ("startIP", "endIP"),
        "azure-native:redis:FirewallRule": ("startIP", "endIP"),
        "azure-native:redis:RedisFirewallRule": ("startIP", "endIP"),
    }.get(kind, ("startIpAddress", "endIpAddress"))
    world = ("::", "ffff::") if "IPv6" in kind else ("0.0.0.0", "255.255.255.255")  # noqa: S104
    one = ("2001:db8::1", "2001:db8::2") if "IPv6" in kind else ("203.0.113.1", "203.0.113.9")
    assert told(token, "open-login", **dict(zip(keys, world, strict=True)))[-1:] == [
        ("violated", DATA)
    ]
    assert told(token, "open-login", **dict(zip(keys, one, strict=True))) == []
    unknown = told(token, "open-login", **{keys[0]: UNKNOWN, keys[1]: one[1]})
    assert unknown[-1][0] == "not-knowable"


def test_what_runs_in_azure_is_not_the_whole_internet():
    ends = {"startIpAddress": "0.0.0.0", "endIpAddress": "0.0.0.0"}  # noqa: S104
    assert told("sql:FirewallRule", "open-login", **ends) == []


def test_the_api_server_that_azure_runs_is_not_judged():
    """docs/limits.md says so."""
    opened = {"authorizedIPRanges": ["0.0.0.0/0"]}
    found = told("containerservice:ManagedCluster", "open-login", apiServerAccessProfile=opened)
    assert "violated" not in [outcome for outcome, _ in found]


@pytest.mark.slow
def test_every_firewall_rule_of_the_installed_sdk_is_read():
    named = {"start_ip_address", "start_i_pv6_address", "start_ip"}
    seen = {
        token
        for token, inputs, _ in sdk_inputs.types_of("azure-native")
        if token.endswith("FirewallRule") and inputs & named
    }
    assert seen <= resource_types.DATABASE_RULES


def nat(ports: list[str], **changes: Any) -> dict[str, Any]:
    rule = {
        "ruleType": "NatRule",
        "ipProtocols": ["TCP"],
        "sourceAddresses": ["*"],
        "destinationPorts": ports,
        "translatedAddress": "10.0.0.4",
        **changes,
    }
    return {"ruleCollections": [{"rules": [rule]}]}


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        (nat(["22"], translatedPort="22"), "violated"),
        (nat(["22"]), "violated"),
        (nat(["2222"], translatedPort="22"), "violated"),
        (nat(["443"], translatedPort="8443"), None),
        (nat(["22"], translatedPort="22", sourceAddresses=["203.0.113.0/24"]), None),
        (nat(["22"], translatedPort="22", ruleType="NetworkRule"), None),
    ],
)
def test_a_firewall_passes_no_login_on_from_the_internet(rule, outcome):
    given = told("network:FirewallPolicyRuleCollectionGroup", "open-login", **rule)
    assert [each for each, _ in given] == ([outcome] if outcome else [])


def test_a_classic_firewall_is_read_alike():
    rule = {"protocols": ["TCP"], "sourceAddresses": ["*"], "destinationPorts": ["3389"]}
    inputs = {"natRuleCollections": [{"rules": [rule]}]}
    assert told("network:AzureFirewall", "open-login", **inputs)[-1][0] == "violated"


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        ("cdn:Route", {"supportedProtocols": ["Http", "Https"]}, PLAIN),
        ("cdn:Route", {}, PLAIN),
        ("cdn:Route", {"enabledState": "Enabled"}, PLAIN),
        ("cdn:Route", {"httpsRedirect": "Enabled"}, None),
        ("cdn:Route", {"supportedProtocols": ["Https"]}, None),
        ("cdn:AFDCustomDomain", {"tlsSettings": {"minimumTlsVersion": "TLS10"}}, OLD),
        ("cdn:AFDCustomDomain", {"tlsSettings": {"minimumTlsVersion": "TLS12"}}, None),
        ("cdn:AFDCustomDomain", {}, None),
        ("cdn:Endpoint", {}, PLAIN),
        ("cdn:Endpoint", {"isHttpAllowed": True}, PLAIN),
        ("cdn:Endpoint", {"isHttpAllowed": False}, None),
        (
            "network:FrontDoor",
            {"routingRules": [{"acceptedProtocols": ["Http", "Https"]}]},
            PLAIN,
        ),
        (
            "network:FrontDoor",
            {
                "routingRules": [
                    {
                        "acceptedProtocols": ["Http"],
                        "routeConfiguration": {"redirectProtocol": "HttpsOnly"},
                    },
                    {"acceptedProtocols": ["Https"]},
                ]
            },
            None,
        ),
    ],
)
def test_a_front_of_a_content_network_serves_tls(token, inputs, words):
    given = told(token, "front-tls", **inputs)
    assert {outcome for outcome, _ in given} == {"violated" if words else "fine"}
    assert words is None or given[-1][1] == words


def test_a_disabled_route_serves_nothing():
    assert told("cdn:Route", "front-tls", enabledState="Enabled")
    assert not told("cdn:Route", "front-tls", enabledState="Disabled")


@pytest.mark.parametrize(
    ("endpoint", "outcome"),
    [
        ({}, "violated"),
        ({"enabledState": "Enabled"}, "violated"),
        ({"enabledState": UNKNOWN}, "violated"),
        ({"enabledState": "Disabled"}, "not-applicable"),
    ],
)
def test_a_route_of_a_disabled_endpoint_serves_nothing(endpoint, outcome):
    program = AzureProgram()
    named = program.add("azure-native:cdn:AFDEndpoint", "end", **endpoint)
    program.add("azure-native:cdn:Route", "route", endpointName=named.out("name"))
    assert outcomes(of_resources(program.resources()), "front-tls") == [outcome]


@pytest.mark.parametrize(
    ("whole", "rule", "outcome"),
    [
        ("Enabled", "Enabled", "violated"),
        (None, None, "violated"),
        ("Disabled", "Enabled", None),
        ("Enabled", "Disabled", None),
    ],
)
def test_a_disabled_classic_front_door_serves_nothing(whole, rule, outcome):
    rules = [{"acceptedProtocols": ["Http"], "enabledState": rule}]
    given = told("network:FrontDoor", "front-tls", enabledState=whole, routingRules=rules)
    assert [each for each, _ in given] == ([outcome] if outcome else [])


@pytest.mark.parametrize("token", ["web:WebApp", "web:WebAppSlot"])
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({}, "violated"),
        ({"httpsOnly": False}, "violated"),
        ({"enabled": True}, "violated"),
        ({"enabled": False}, "fine"),
        ({"enabled": UNKNOWN}, "not-knowable"),
        ({"httpsOnly": True}, "fine"),
        ({"httpsOnly": True, "siteConfig": {"minTlsVersion": "1.0"}}, "violated"),
        ({"httpsOnly": True, "siteConfig": {"minTlsVersion": "1.2"}}, "fine"),
        ({"httpsOnly": True, "siteConfig": {"scmMinTlsVersion": "1.0"}}, "violated"),
        ({"httpsOnly": True, "siteConfig": {"scmMinTlsVersion": UNKNOWN}}, "not-knowable"),
        ({"httpsOnly": True, "siteConfig": UNKNOWN}, "not-knowable"),
        ({"httpsOnly": UNKNOWN}, "not-knowable"),
        ({"publicNetworkAccess": "Disabled"}, "fine"),
        ({"siteConfig": {"publicNetworkAccess": "Disabled"}}, "fine"),
        ({"siteConfig": {"ipSecurityRestrictions": [{"action": "Allow"}]}}, "not-knowable"),
    ],
)
def test_an_app_of_app_service_answers_over_tls_only(token, inputs, outcome):
    assert [each for each, _ in told(token, "front-tls", **inputs)] == [outcome]


def test_rules_of_an_endpoint_that_may_redirect_are_not_read():
    rules = {"deliveryPolicy": {"rules": [{"name": "https"}]}}
    assert told("cdn:Endpoint", "front-tls", **rules)[0][0] == "not-knowable"


REGISTRY = "containerregistry:Registry"
CLUSTER = "containerservice:ManagedCluster"
APPLICATION = "azuread:index/application:Application"
USER = "azuread:index/user:User"


@pytest.mark.parametrize(
    ("token", "inputs", "what"),
    [
        (REGISTRY, {"adminUserEnabled": True}, "the administrator's password of a registry"),
        (REGISTRY, {"adminUserEnabled": False}, None),
        (REGISTRY, {}, None),
        (
            CLUSTER,
            {"servicePrincipalProfile": {"clientId": "a", "secret": "b"}},
            "a password of a service principal",
        ),
        (
            CLUSTER,
            {"servicePrincipalProfile": {"clientId": "a", "secret": UNKNOWN}},
            "a password of a service principal",
        ),
        (CLUSTER, {"servicePrincipalProfile": {"clientId": "msi"}}, None),
        (APPLICATION, {"password": {"displayName": "ci"}}, "a password of an application"),
        (APPLICATION, {"displayName": "ci"}, None),
        (USER, {"password": "it"}, "a password of a user"),
        (USER, {"password": "it", "forcePasswordChange": True}, None),
    ],
)
def test_no_password_is_made_without_an_end(token, inputs, what):
    given = told(token, "long-lived-key", **inputs)
    sure = [message for outcome, message in given if outcome == "violated"]
    assert sure == ([f"{what}; it is valid until it is revoked"] if what else [])


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"anonymousPullEnabled": True}, "violated"),
        ({"anonymousPullEnabled": UNKNOWN}, "not-knowable"),
        ({"anonymousPullEnabled": False}, None),
    ],
)
def test_a_registry_asks_who_pulls(inputs, outcome):
    given = told(REGISTRY, "wildcard-policy", **inputs)
    assert [each for each, _ in given] == ([outcome] if outcome else [])
    assert outcomes(of_resources([]), "wildcard-policy") == ["not-applicable"]


@pytest.mark.parametrize(
    ("profile", "outcome"),
    [
        ({"permissions": "Community"}, "violated"),
        ({"permissions": "COMMUNITY"}, "violated"),
        ({"permissions": UNKNOWN}, "not-knowable"),
        ({"permissions": "Groups"}, None),
        (None, None),
    ],
)
def test_a_gallery_is_not_for_everyone(profile, outcome):
    given = told("compute:Gallery", "wildcard-policy", sharingProfile=profile)
    assert [each for each, _ in given] == ([outcome] if outcome else [])
