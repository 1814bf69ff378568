"""Fronts in plain text or old TLS, on raw resources of strangers on AWS."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe.observers import ENDPOINTS, OBSERVERS
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program
from tests.rules.cases.verdicts import verdicts


def balancer(program: Program, *, internal: Any = False, **listener: Any) -> Handle:
    made = program.add(
        "aws:lb/loadBalancer:LoadBalancer",
        "lb",
        loadBalancerType="application",
        **({} if internal is None else {"internal": internal}),
    )
    return program.add("aws:lb/listener:Listener", "web", loadBalancerArn=made.arn, **listener)


FORWARD = {"type": "forward", "targetGroupArn": "arn:aws:tg"}
AWAY = {"type": "redirect", "redirect": {"protocol": "HTTPS", "statusCode": "HTTP_301"}}
MODERN = "ELBSecurityPolicy-TLS13-1-2-2021-06"
PLAIN = "it serves plain HTTP to the internet"
OLD = "it accepts TLS older than 1.2 to the internet"
GOOD = "it requires TLS 1.2 or newer, or redirects HTTP to HTTPS"
PASSED = (
    "the internet can reach it, and it is unknown whether the backend requires TLS 1.2 or newer"
)


class TestFrontsOfAws:
    RULE = "front-tls"

    @both
    @pytest.mark.parametrize(
        ("listener", "expected"),
        [
            ({"protocol": "HTTP", "defaultActions": [FORWARD]}, ("violated", PLAIN)),
            ({"defaultActions": [FORWARD]}, ("violated", PLAIN)),
            ({"protocol": "HTTP", "defaultActions": [AWAY]}, ("fine", GOOD)),
            ({"protocol": "HTTP", "defaultActions": [AWAY, FORWARD]}, ("violated", PLAIN)),
            ({"protocol": "HTTP", "defaultActions": UNKNOWN}, ("not-knowable", PASSED)),
            ({"protocol": "HTTPS", "sslPolicy": MODERN}, ("fine", GOOD)),
            ({"protocol": "TLS", "sslPolicy": MODERN}, ("fine", GOOD)),
            (
                {"protocol": "HTTPS", "sslPolicy": "ELBSecurityPolicy-TLS13-1-3-2021-06"},
                ("fine", GOOD),
            ),
            (
                {"protocol": "HTTPS", "sslPolicy": "ELBSecurityPolicy-FS-1-2-Res-2020-10"},
                ("fine", GOOD),
            ),
            (
                {"protocol": "HTTPS", "sslPolicy": "ELBSecurityPolicy-TLS13-1-0-2021-06"},
                ("violated", OLD),
            ),
            (
                {"protocol": "HTTPS", "sslPolicy": "ELBSecurityPolicy-FS-1-1-2019-08"},
                ("violated", OLD),
            ),
            ({"protocol": "HTTPS"}, ("violated", OLD)),
            ({"protocol": "HTTPS", "sslPolicy": UNKNOWN}, ("not-knowable", PASSED)),
            ({"protocol": "TCP"}, ("not-knowable", PASSED)),
            ({"protocol": UNKNOWN}, ("not-knowable", PASSED)),
        ],
    )
    def test_a_public_listener(self, listener, expected, moment):
        program = Program()
        web = balancer(program, **listener)
        (finding,) = findings(of_resources(program.resources(moment)), self.RULE)
        assert (finding.outcome, finding.message) == expected
        assert finding.subject == web.urn

    @pytest.mark.parametrize(
        ("internal", "outcome", "words"),
        [
            (True, "fine", "not reachable from the internet"),
            (None, "violated", PLAIN),
            (UNKNOWN, "not-knowable", "it serves plain HTTP possibly to the internet"),
        ],
    )
    def test_plain_inside_is_fine(self, internal, outcome, words):
        program = Program()
        balancer(program, internal=internal, protocol="HTTP", defaultActions=[FORWARD])
        assert verdicts(of_resources(program.resources()), self.RULE) == [(outcome, words)]

    @pytest.mark.parametrize(("policy", "outcome"), [(UNKNOWN, "not-knowable"), (MODERN, "fine")])
    def test_a_balancer_of_another_stack_may_be_public(self, policy, outcome):
        program = Program()
        program.add(
            "aws:lb/listener:Listener",
            "web",
            loadBalancerArn="arn:theirs",
            protocol="HTTPS",
            sslPolicy=policy,
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]

    def test_a_rule_that_serves_makes_a_redirect_plain(self):
        program = Program()
        web = balancer(program, protocol="HTTP", defaultActions=[AWAY])
        program.add(
            "aws:lb/listenerRule:ListenerRule", "hook", listenerArn=web.arn, actions=[FORWARD]
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == ["violated"]

    @pytest.mark.parametrize("protocol", ["GENEVE", "UDP"])
    def test_what_has_neither_http_nor_tls_is_no_front(self, protocol):
        program = Program()
        balancer(program, protocol=protocol)
        assert outcomes(of_resources(program.resources()), self.RULE) == ["not-applicable"]

    @pytest.mark.parametrize("module", ["alb", "elasticloadbalancingv2"])
    def test_older_tokens_are_the_same_listener(self, module):
        program = Program()
        made = program.add(f"aws:{module}/loadBalancer:LoadBalancer", "lb")
        program.add(
            f"aws:{module}/listener:Listener",
            "web",
            loadBalancerArn=made.arn,
            defaultActions=[FORWARD],
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == ["violated"]

    @pytest.mark.parametrize(
        ("internal", "protocol", "outcome"),
        [
            (False, "http", "violated"),
            (True, "http", "fine"),
            (False, "https", "not-knowable"),
            (False, "tcp", "not-knowable"),
        ],
    )
    def test_a_classic_balancer_is_judged_and_priced(self, internal, protocol, outcome):
        program = Program()
        program.add(
            "aws:elb/loadBalancer:LoadBalancer",
            "old",
            internal=internal,
            listeners=[{"lbPort": 80, "lbProtocol": protocol, "instancePort": 80}],
        )
        judged = of_resources(program.resources())
        assert outcomes(judged, self.RULE) == [outcome]
        assert not judged.not_judged
        assert "clb-hour" in {item.item for item in judged.items}

    def test_nothing_listens(self):
        assert verdicts(plan(), self.RULE) == [("not-applicable", "nothing serves requests")]


DISTRIBUTION = "aws:cloudfront/distribution:Distribution"
OWN_NAME = {
    "acmCertificateArn": "arn:aws:acm:us-east-1:1:certificate/a",
    "sslSupportMethod": "sni-only",
    "minimumProtocolVersion": "TLSv1.2_2021",
}


def distributed(policy: Any, certificate: Any, *more: Any, enabled: Any = True) -> dict[str, Any]:
    return {
        "enabled": enabled,
        "defaultCacheBehavior": {"viewerProtocolPolicy": policy, "targetOriginId": "a"},
        "orderedCacheBehaviors": [{"viewerProtocolPolicy": each} for each in more],
        "origins": [
            {"originId": "a", "customOriginConfig": {"originProtocolPolicy": "http-only"}}
        ],
        "viewerCertificate": certificate,
    }


class TestFrontsOfServicesOfAws:
    RULE = "front-tls"

    @pytest.mark.parametrize(
        ("inputs", "expected"),
        [
            (distributed("redirect-to-https", OWN_NAME), ("fine", GOOD)),
            (distributed("https-only", OWN_NAME, "https-only"), ("fine", GOOD)),
            (distributed("allow-all", OWN_NAME), ("violated", PLAIN)),
            (distributed("https-only", OWN_NAME, "allow-all"), ("violated", PLAIN)),
            (
                distributed("https-only", {**OWN_NAME, "minimumProtocolVersion": "TLSv1"}),
                ("violated", OLD),
            ),
            (
                distributed("https-only", {**OWN_NAME, "minimumProtocolVersion": "TLSv1.1_2016"}),
                ("violated", OLD),
            ),
            (
                distributed("https-only", {"acmCertificateArn": "a"}),
                ("violated", OLD),
            ),
            (
                distributed("https-only", {"cloudfrontDefaultCertificate": True}),
                ("violated", OLD),
            ),
            (
                distributed(
                    "https-only",
                    {
                        "cloudfrontDefaultCertificate": True,
                        "minimumProtocolVersion": "TLSv1.2_2021",
                    },
                ),
                ("violated", OLD),
            ),
            (
                distributed("allow-all", OWN_NAME, enabled=False),
                ("fine", "not reachable from the internet"),
            ),
            (distributed(UNKNOWN, OWN_NAME), ("not-knowable", PASSED)),
            (distributed("https-only", UNKNOWN), ("not-knowable", PASSED)),
        ],
    )
    def test_a_distribution_demands_tls_of_its_viewers(self, inputs, expected):
        program = Program()
        program.add(DISTRIBUTION, "cdn", **inputs)
        assert verdicts(of_resources(program.resources()), self.RULE) == [expected]

    @pytest.mark.parametrize(
        ("token", "inputs", "outcome"),
        [
            ("aws:apigateway/domainName:DomainName", {"securityPolicy": "TLS_1_0"}, "violated"),
            ("aws:apigateway/domainName:DomainName", {"securityPolicy": "TLS_1_2"}, "fine"),
            (
                "aws:apigateway/domainName:DomainName",
                {"securityPolicy": "SecurityPolicy_TLS13_1_3_2025_09"},
                "fine",
            ),
            (
                "aws:apigateway/domainName:DomainName",
                {"securityPolicy": "TLS_1_0", "endpointConfiguration": {"types": "PRIVATE"}},
                "fine",
            ),
            ("aws:apigateway/domainName:DomainName", {"domainName": "x"}, "not-applicable"),
            (
                "aws:apigatewayv2/domainName:DomainName",
                {"domainNameConfiguration": {"securityPolicy": "TLS_1_0"}},
                "violated",
            ),
            (
                "aws:apigatewayv2/domainName:DomainName",
                {"domainNameConfiguration": {"securityPolicy": "TLS_1_2"}},
                "fine",
            ),
            (
                "aws:opensearch/domain:Domain",
                {"domainEndpointOptions": {"enforceHttps": False}},
                "violated",
            ),
            (
                "aws:opensearch/domain:Domain",
                {
                    "domainEndpointOptions": {
                        "enforceHttps": True,
                        "tlsSecurityPolicy": "Policy-Min-TLS-1-0-2019-07",
                    }
                },
                "violated",
            ),
            (
                "aws:elasticsearch/domain:Domain",
                {
                    "domainEndpointOptions": {
                        "enforceHttps": True,
                        "tlsSecurityPolicy": "Policy-Min-TLS-1-2-PFS-2023-10",
                    }
                },
                "fine",
            ),
            (
                "aws:opensearch/domain:Domain",
                {
                    "domainEndpointOptions": {"enforceHttps": False},
                    "vpcOptions": {"subnetIds": ["subnet-1"]},
                },
                "not-applicable",
            ),
            ("aws:opensearch/domain:Domain", {"domainName": "x"}, "not-applicable"),
        ],
    )
    def test_domains_of_services_demand_a_version_of_today(self, token, inputs, outcome):
        program = Program()
        program.add(token, "front", **inputs)
        assert [seen for seen, _ in verdicts(of_resources(program.resources()), self.RULE)] == [
            outcome
        ]

    @pytest.mark.slow
    def test_each_front_is_a_type_that_no_observer_reads(self):
        known = {token for token, _, _ in sdk_inputs.types_of("aws")}
        assert known >= set(ENDPOINTS)
        assert not any(token in OBSERVERS for token in ENDPOINTS)
