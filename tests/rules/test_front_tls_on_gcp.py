"""Fronts in plain text or old TLS, on raw resources of strangers on Google Cloud."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both


def forwarding(program: GcpProgram, target: Any, **inputs: Any) -> None:
    program.add(
        "compute/globalForwardingRule:GlobalForwardingRule",
        "web",
        target=target,
        portRange="443",
        **inputs,
    )


class TestFrontsOfGoogle:
    RULE = "front-tls"

    @both
    @pytest.mark.parametrize(
        ("routes", "outcome"),
        [
            ({"defaultService": "backend"}, "violated"),
            ({"defaultUrlRedirect": {"httpsRedirect": True, "stripQuery": False}}, "fine"),
            ({"defaultUrlRedirect": {"httpsRedirect": UNKNOWN}}, "not-knowable"),
            (
                {"defaultUrlRedirect": {"httpsRedirect": True}, "pathMatchers": [{"name": "x"}]},
                "not-knowable",
            ),
        ],
    )
    def test_a_plain_proxy_redirects_or_is_plain(self, routes, outcome, moment):
        program = GcpProgram()
        urls = program.add("compute/uRLMap:URLMap", "urls", **routes)
        proxy = program.add(
            "compute/targetHttpProxy:TargetHttpProxy", "http", urlMap=urls.out("id")
        )
        forwarding(program, proxy.out("id"))
        assert outcomes(of_resources(program.resources(moment)), self.RULE) == [outcome]

    @both
    @pytest.mark.parametrize(
        ("policy", "outcome"),
        [
            (None, "violated"),
            ({}, "violated"),
            ({"minTlsVersion": "TLS_1_0"}, "violated"),
            ({"minTlsVersion": "TLS_1_2"}, "fine"),
            ({"minTlsVersion": UNKNOWN}, "not-knowable"),
        ],
    )
    def test_a_proxy_with_tls_needs_a_policy(self, policy, outcome, moment):
        program = GcpProgram()
        chosen: dict[str, Any] = {}
        if policy is not None:
            made = program.add("compute/sSLPolicy:SSLPolicy", "tls", **policy)
            chosen = {"sslPolicy": made.out("id")}
        proxy = program.add("compute/targetHttpsProxy:TargetHttpsProxy", "https", **chosen)
        forwarding(program, proxy.out("id"), loadBalancingScheme="EXTERNAL_MANAGED")
        assert outcomes(of_resources(program.resources(moment)), self.RULE) == [outcome]

    @pytest.mark.parametrize(
        ("scheme", "outcome"),
        [
            ("INTERNAL", "fine"),
            ("INTERNAL_MANAGED", "fine"),
            ("EXTERNAL", "not-knowable"),
            (None, "not-knowable"),
        ],
    )
    def test_what_is_passed_on_may_be_anything(self, scheme, outcome):
        program = GcpProgram()
        named = {} if scheme is None else {"loadBalancingScheme": scheme}
        program.add(
            "compute/forwardingRule:ForwardingRule",
            "web",
            region="us-central1",
            backendService="b",
            **named,
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]

    def test_a_tunnel_serves_nobody(self):
        program = GcpProgram()
        program.add(
            "compute/forwardingRule:ForwardingRule", "esp", region="us-central1", ipProtocol="ESP"
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == ["not-applicable"]

    @both
    @pytest.mark.parametrize("kind", ["standardAppVersion", "flexibleAppVersion"])
    @pytest.mark.parametrize(
        ("levels", "allowed", "outcome"),
        [
            ([], None, "violated"),
            ([None], None, "violated"),
            (["SECURE_OPTIONAL"], None, "violated"),
            (["SECURE_ALWAYS", "SECURE_NEVER"], None, "violated"),
            (["SECURE_ALWAYS", "SECURE_ALWAYS"], None, "not-applicable"),
            ([UNKNOWN], None, "not-knowable"),
            ([], "INGRESS_TRAFFIC_ALLOWED_ALL", "violated"),
            ([], "INGRESS_TRAFFIC_ALLOWED_INTERNAL_ONLY", "fine"),
        ],
    )
    def test_an_app_answers_plain_requests_unless_told_not_to(
        self, kind, levels, allowed, outcome, moment
    ):
        program = GcpProgram()
        token = f"appengine/{kind}:{kind[0].upper()}{kind[1:]}"
        handlers = [{"urlRegex": "/", "securityLevel": level} for level in levels]
        program.add(token, "web", service="web", runtime="python312", handlers=handlers)
        if allowed:
            program.add(
                "appengine/serviceNetworkSettings:ServiceNetworkSettings",
                "inside",
                service="web",
                networkSettings={"ingressTrafficAllowed": allowed},
            )
        assert outcomes(of_resources(program.resources(moment)), self.RULE) == [outcome]
