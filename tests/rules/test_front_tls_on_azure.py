"""Fronts in plain text or old TLS, on raw resources of strangers on Azure."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources, outcomes

OLD = {"policyType": "Predefined", "policyName": "AppGwSslPolicy20150501"}
NEW = {"policyType": "Custom", "minProtocolVersion": "TLSv1_2"}
LISTENER = {"name": "plain", "protocol": "Http"}
SECURE = {"name": "tls", "protocol": "Https"}


def gateway(kind: str = "azure-native:network:ApplicationGateway", **inputs: Any) -> Plan:
    program = AzureProgram()
    program.add(
        kind,
        "gw",
        **{"frontendIPConfigurations": [{"publicIPAddress": {"id": "ip"}}], **inputs},
    )
    return of_resources(program.resources())


class TestFrontsOfAzure:
    RULE = "front-tls"

    @pytest.mark.parametrize(
        ("inputs", "expected"),
        [
            ({"httpListeners": [LISTENER]}, ["violated"]),
            ({"httpListeners": [SECURE]}, ["fine"]),
            (
                {
                    "httpListeners": [SECURE],
                    "sslPolicy": {
                        "policyType": "Predefined",
                        "policyName": "AppGwSslPolicy20150501",
                    },
                },
                ["violated"],
            ),
            (
                {
                    "httpListeners": [SECURE],
                    "sslPolicy": {"policyType": "Custom", "minProtocolVersion": "TLSv1_2"},
                },
                ["fine"],
            ),
            ({"httpListeners": [SECURE], "sslPolicy": UNKNOWN}, ["not-knowable"]),
            ({"httpListeners": UNKNOWN}, ["not-knowable"]),
            (
                {"httpListeners": [LISTENER], "frontendIPConfigurations": [{"subnet": {}}]},
                ["fine"],
            ),
            (
                {"httpListeners": [LISTENER], "frontendIPConfigurations": UNKNOWN},
                ["not-knowable"],
            ),
        ],
    )
    def test_a_gateway_is_judged_by_its_listeners(self, inputs, expected):
        assert outcomes(gateway(**inputs), self.RULE) == expected

    @pytest.mark.parametrize(
        ("own", "profile", "expected"),
        [
            (NEW, {"sslPolicy": OLD}, "violated"),
            (OLD, {"sslPolicy": NEW}, "fine"),
            (OLD, {"trustedClientCertificates": [{"id": "c"}]}, "violated"),
            (NEW, {"trustedClientCertificates": [{"id": "c"}]}, "fine"),
            (NEW, {"name": UNKNOWN, "sslPolicy": OLD}, "not-knowable"),
            (NEW, {"sslPolicy": UNKNOWN}, "not-knowable"),
        ],
    )
    @pytest.mark.parametrize("kind", ["httpListeners", "listeners"])
    def test_the_policy_of_a_profile_is_that_of_its_listeners(self, kind, own, profile, expected):
        listener = {
            "name": "l",
            "protocol": "Https" if kind == "httpListeners" else "Tls",
            "sslProfile": {"id": "/gw/sslProfiles/strict"},
        }
        profiles = [{"name": "strict", **profile}]
        judged = gateway(**{kind: [listener]}, sslPolicy=own, sslProfiles=profiles)
        assert outcomes(judged, self.RULE) == [expected]

    def test_a_listener_of_layer_4_passes_connections_on_as_a_balancer_does(self):
        judged = gateway(listeners=[{"name": "l", "protocol": "Tcp"}])
        assert outcomes(judged, self.RULE) == ["not-knowable"]

    @pytest.mark.parametrize(("goal", "outcome"), [("tls", "fine"), ("plain", "violated")])
    @pytest.mark.parametrize("spell", [str, str.upper, str.title])
    def test_a_plain_listener_may_send_everybody_to_the_other(self, goal, outcome, spell):
        """Azure takes no notice of the case of names, in a name as in a reference."""
        judged = gateway(
            httpListeners=[{**LISTENER, "name": spell("plain")}, {**SECURE, "name": spell("tls")}],
            requestRoutingRules=[
                {
                    "name": "away",
                    "httpListener": {"id": "/gw/httpListeners/Plain"},
                    "redirectConfiguration": {"id": "/gw/redirectConfigurations/away"},
                }
            ],
            redirectConfigurations=[
                {"name": spell("away"), "targetListener": {"id": f"/gw/httpListeners/{goal}"}}
            ],
        )
        assert outcomes(judged, self.RULE) == [outcome, "fine"]

    @pytest.mark.parametrize(
        ("own", "redirect", "target"),
        [
            (UNKNOWN, "/gw/redirectConfigurations/r", "/gw/httpListeners/tls"),
            ("/gw/httpListeners/plain", UNKNOWN, "/gw/httpListeners/tls"),
            ("/gw/httpListeners/plain", "/gw/redirectConfigurations/r", UNKNOWN),
        ],
    )
    def test_where_a_plain_listener_sends_people_may_not_be_known(self, own, redirect, target):
        judged = gateway(
            httpListeners=[LISTENER, SECURE],
            requestRoutingRules=[
                {"httpListener": {"id": own}, "redirectConfiguration": {"id": redirect}}
            ],
            redirectConfigurations=[{"name": "r", "targetListener": {"id": target}}],
        )
        assert outcomes(judged, self.RULE) == ["not-knowable", "fine"]

    @pytest.mark.parametrize(
        ("token", "outcome"),
        [
            ("azure-native:network:ApplicationGateway", "fine"),
            ("azure-native:network/v20230201:ApplicationGateway", "fine"),
            ("azure-native:network/v20221101:ApplicationGateway", "violated"),
            ("azure-native:network/v20210501:ApplicationGateway", "violated"),
            ("azure-native_network_v20210501:network:ApplicationGateway", "violated"),
            ("azure-native_network_v20240501:network:ApplicationGateway", "fine"),
        ],
    )
    def test_the_version_of_the_api_decides_where_nobody_states_a_policy(self, token, outcome):
        assert outcomes(gateway(token, httpListeners=[SECURE]), self.RULE) == [outcome]
        stated = {"policyType": "Custom", "minProtocolVersion": "TLSv1_2"}
        judged = gateway(token, httpListeners=[SECURE], sslPolicy=stated)
        assert outcomes(judged, self.RULE) == ["fine"]

    @pytest.mark.parametrize(
        ("address", "rules", "outcome"),
        [
            ({"publicIPAddress": {"id": "ip"}}, [{"name": "web"}], "not-knowable"),
            ({"subnet": {"id": "inner"}}, [{"name": "web"}], "fine"),
            ({"publicIPAddress": {"id": "ip"}}, [], "not-applicable"),
        ],
    )
    def test_a_balancer_passes_on_what_comes(self, address, rules, outcome):
        program = AzureProgram()
        program.add(
            "azure-native:network:LoadBalancer",
            "lb",
            sku={"name": "Standard"},
            frontendIPConfigurations=[address],
            loadBalancingRules=rules,
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]
