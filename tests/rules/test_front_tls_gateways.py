"""Gateways of Kubernetes that serve plain HTTP, or old TLS, to the internet."""

from typing import Any

import pytest

from gpuinfra.clouds.observing import ssl_policies
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.test_front_tls_cluster_listeners import (
    AWS,
    AZURE,
    BAD,
    FINE,
    GCP,
    NONE,
    UNCERTAIN,
    resource,
    told,
)

GROUP = "kubernetes:gateway.networking.k8s.io/v1"
GATEWAY, ROUTE, CLASS = f"{GROUP}:Gateway", f"{GROUP}:HTTPRoute", f"{GROUP}:GatewayClass"
POLICY = "kubernetes:networking.gke.io/v1:GCPGatewayPolicy"
CONFIG = "kubernetes:gateway.k8s.aws/v1beta1:LoadBalancerConfiguration"
EXTERNAL = "gke-l7-global-external-managed"
HTTP = {"name": "http", "protocol": "HTTP", "port": 80}
HTTPS = {"name": "https", "protocol": "HTTPS", "port": 443}
TO_TLS = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}
REDIRECT, FORWARD = {"filters": [TO_TLS]}, {"backendRefs": [{"name": "a", "port": 80}]}
MODERN = "ELBSecurityPolicy-TLS13-1-2-2021-06"


def gateway(class_: Any, *listeners: Any, **spec: Any) -> dict[str, Any]:
    stated = {"gatewayClassName": class_, "listeners": list(listeners), **spec}
    return {"metadata": {"name": "gw"}, "spec": stated}


def route(*rules: Any, section: Any = None, to: Any = "gw", name: str = "r") -> Resource:
    parent = {"name": to, "sectionName": section}
    return resource(ROUTE, name, {"spec": {"parentRefs": [parent], "rules": list(rules)}})


@pytest.mark.parametrize(
    ("class_", "expected"),
    [
        (EXTERNAL, BAD),
        ("gke-l7-global-external-managed-mc", BAD),
        ("gke-l7-regional-external-managed", BAD),
        ("gke-l7-gxlb", BAD),
        ("gke-l7-rilb", NONE),
        ("gke-l7-cross-regional-internal-managed-mc", NONE),
        ("istio", NONE),
        (UNKNOWN, UNCERTAIN),
    ],
)
def test_the_class_says_whether_gke_makes_an_external_balancer(class_, expected):
    assert told(GATEWAY, gateway(class_, HTTP), GCP, route(FORWARD)) == expected


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([route(REDIRECT)], FINE),
        ([route(REDIRECT, section="http"), route(FORWARD, section="https", name="b")], FINE),
        ([route(REDIRECT, section="http"), route(FORWARD, name="b")], BAD),  # it is of both
        ([route(REDIRECT, FORWARD)], BAD),
        ([route()], BAD),
        ([], UNCERTAIN),  # a route of elsewhere may redirect
        ([route(FORWARD, to="other")], UNCERTAIN),
        ([route(REDIRECT, to=UNKNOWN)], UNCERTAIN),
        ([route(UNKNOWN)], UNCERTAIN),
    ],
)
def test_the_routes_of_a_listener_may_redirect_to_tls(routes, expected):
    assert told(GATEWAY, gateway(EXTERNAL, HTTP), GCP, *routes) == expected


@pytest.mark.parametrize(
    ("policy", "least", "expected"),
    [
        (None, "TLS_1_2", BAD),
        ("ours", "TLS_1_2", FINE),
        ("ours", "TLS_1_0", BAD),
        ("ours", UNKNOWN, UNCERTAIN),
        ("elsewhere", "TLS_1_2", UNCERTAIN),
    ],
)
def test_a_gateway_of_gke_takes_old_tls_without_a_policy(policy, least, expected):
    spec = {"default": {"sslPolicy": policy}, "targetRef": {"kind": "Gateway", "name": "gw"}}
    stack = [
        resource(POLICY, "p", {"spec": spec}),
        resource(ssl_policies.POLICY, "ours", {"name": "ours", "minTlsVersion": least}),
    ]
    assert told(GATEWAY, gateway(EXTERNAL, HTTPS), GCP, *stack) == expected


def class_of(controller: Any, parameters: Any = None) -> Resource:
    spec = {"controllerName": controller, "parametersRef": parameters}
    return resource(CLASS, "c", {"metadata": {"name": "alb"}, "spec": spec})


def config(name: str = "own", **spec: Any) -> Resource:
    return resource(CONFIG, name, {"metadata": {"name": name}, "spec": spec})


FACING = {"scheme": "internet-facing"}
TO_OWN = {"infrastructure": {"parametersRef": {"group": "gateway.k8s.aws", "name": "own"}}}
SECURE = {"listenerConfigurations": [{"protocolPort": "HTTPS:443", "sslPolicy": MODERN}]}
ALB = class_of("gateway.k8s.aws/alb")


@pytest.mark.parametrize(
    ("stack", "listener", "expected"),
    [
        ([ALB, config()], HTTP, NONE),
        ([ALB, config(**FACING)], HTTP, BAD),
        ([config(**FACING)], HTTP, BAD),  # of a class of elsewhere, by its parameters
        ([ALB], HTTP, UNCERTAIN),  # the configuration is elsewhere
        ([class_of("example.com/own"), config(**FACING)], HTTP, NONE),
        ([class_of(UNKNOWN), config(**FACING)], HTTP, UNCERTAIN),
        ([ALB, config(scheme=UNKNOWN)], HTTP, UNCERTAIN),
        ([ALB, config(**FACING, sourceRanges=["203.0.113.0/24"])], HTTP, NONE),
        ([ALB, config(**FACING, sourceRanges=["0.0.0.0/0"])], HTTP, BAD),
        ([ALB, config(**FACING, securityGroups=["sg-1"])], HTTP, UNCERTAIN),
        ([ALB, config(**FACING)], HTTPS, BAD),  # TLS 1.0 by default
        ([ALB, config(**FACING, **SECURE)], HTTPS, FINE),
    ],
)
def test_a_gateway_of_eks_is_internal_by_default(stack, listener, expected):
    inputs = gateway("alb", listener, **TO_OWN)
    assert told(GATEWAY, inputs, AWS, *stack, route(FORWARD)) == expected


@pytest.mark.parametrize(
    ("class_", "listener", "expected"),
    [
        ("alb", HTTP, UNCERTAIN),
        ("alb", HTTPS, UNCERTAIN),
        (UNKNOWN, HTTP, UNCERTAIN),
        ("istio", HTTP, NONE),
        ("amazon-vpc-lattice", HTTP, NONE),
    ],
)
def test_a_class_of_another_stack_may_make_a_public_balancer(class_, listener, expected):
    assert told(GATEWAY, gateway(class_, listener), AWS, route(FORWARD)) == expected


@pytest.mark.parametrize(
    ("mode", "expected"), [(None, NONE), ("prefer-gateway-class", NONE), ("prefer-gateway", BAD)]
)
def test_the_configuration_of_the_class_goes_first(mode, expected):
    of_class = class_of("gateway.k8s.aws/alb", {"name": "inner"})
    inner = config("inner", scheme="internal", mergingMode=mode)
    stack = [of_class, inner, config(**FACING), route(FORWARD)]
    assert told(GATEWAY, gateway("alb", HTTP, **TO_OWN), AWS, *stack) == expected


def policies(port: Any, policy: Any = "ELBSecurityPolicy-2016-08") -> dict[str, Any]:
    return {"listenerConfigurations": [{"protocolPort": port, "sslPolicy": policy}]}


@pytest.mark.parametrize(
    ("of_class", "own", "port", "expected"),
    [
        (policies("HTTPS:8443"), SECURE, 443, FINE),
        (policies("HTTPS:443"), SECURE, 443, BAD),
        ({**policies("HTTPS:443"), "mergingMode": "prefer-gateway"}, SECURE, 443, FINE),
        (policies("HTTPS:443", MODERN), policies("HTTPS:443"), 443, FINE),
        (policies(UNKNOWN), SECURE, 443, UNCERTAIN),
        ({}, SECURE, 443.0, FINE),  # as engines write whole numbers
        ({}, SECURE, UNKNOWN, UNCERTAIN),
    ],
)
def test_each_listener_has_the_settings_of_the_configuration_that_names_it_first(
    of_class, own, port, expected
):
    class_ = class_of("gateway.k8s.aws/alb", {"name": "inner"})
    stack = [class_, config("inner", **FACING, **of_class), config(**own), route(FORWARD)]
    inputs = gateway("alb", {**HTTPS, "port": port}, **TO_OWN)
    assert told(GATEWAY, inputs, AWS, *stack) == expected


INTERNAL = {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"}


@pytest.mark.parametrize(
    ("class_", "more", "listener", "expected"),
    [
        ("azure-alb-external", {}, HTTP, BAD),
        ("azure-alb-external", {}, HTTPS, FINE),
        ("approuting-istio", {}, HTTP, BAD),
        ("approuting-istio", {"infrastructure": {"annotations": INTERNAL}}, HTTP, NONE),
        ("approuting-istio", {"infrastructure": UNKNOWN}, HTTP, UNCERTAIN),
        ("own", {}, HTTP, NONE),
        (UNKNOWN, {}, HTTP, UNCERTAIN),
    ],
)
def test_gateways_of_aks_are_public_by_default(class_, more, listener, expected):
    assert told(GATEWAY, gateway(class_, listener, **more), AZURE, route(FORWARD)) == expected


def test_a_class_of_the_stack_may_be_of_application_gateways_for_containers():
    own = class_of("alb.networking.azure.io/alb-controller")
    assert told(GATEWAY, gateway("alb", HTTP), AZURE, own, route(FORWARD)) == BAD


@pytest.mark.parametrize("listener", [{"protocol": "TCP", "port": 22}, {"protocol": "UDP"}])
def test_what_passes_packets_on_speaks_no_http(listener):
    assert told(GATEWAY, gateway(EXTERNAL, listener), GCP) == NONE


def test_a_protocol_that_is_not_known_may_be_http():
    assert told(GATEWAY, gateway(EXTERNAL, {"protocol": UNKNOWN}), GCP) == UNCERTAIN


@pytest.mark.parametrize("kind", [GATEWAY, ROUTE, CLASS, POLICY, CONFIG])
def test_a_patch_of_a_gateway_or_of_its_settings_is_not_known(kind):
    assert told(f"{kind}Patch", {"spec": {}}, GCP) == UNCERTAIN
