"""Routes, chained Gateways and sets of listeners that lead to control ports."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.test_front_tls_cluster_listeners import (
    AWS,
    BAD,
    FINE,
    GCP,
    NONE,
    UNCERTAIN,
    resource,
)
from tests.rules.test_front_tls_cluster_listeners import told as tls
from tests.rules.test_front_tls_gateways import (
    CLASS,
    EXTERNAL,
    FACING,
    GATEWAY,
    GROUP,
    HTTP,
    HTTPS,
    REDIRECT,
    TO_OWN,
    config,
    gateway,
    route,
)
from tests.rules.test_open_login_routed_ports import CLOSED, OPEN, TO_LAB, outcomes, service, told

SSH = [("violated", "TCP 22 (SSH) of lab is open to the internet through it")]
TCP = {"name": "ssh", "protocol": "TCP", "port": 22}
TO_SSH = {"backendRefs": [{"name": "lab", "port": 22}]}
LOGIN = service([{"port": 22}])
SET = f"{GROUP}:ListenerSet"


def class_of(kind: str) -> Resource:
    spec = {"controllerName": f"gateway.k8s.aws/{kind}"}
    return resource(CLASS, kind, {"metadata": {"name": kind}, "spec": spec})


def routed(
    kind: str, *rules: Any, to: str = "gw", section: Any = None, of: Any = None
) -> Resource:
    parent = {"name": to, "sectionName": section, "kind": of}
    return resource(kind, "r", {"spec": {"parentRefs": [parent], "rules": list(rules)}})


@pytest.mark.parametrize("version", ["v1", "v1alpha2"])
@pytest.mark.parametrize("kind", ["TCPRoute", "TLSRoute"])
def test_a_route_of_tcp_opens_the_port_that_it_leads_to(kind, version):
    way = routed(f"kubernetes:gateway.networking.k8s.io/{version}:{kind}", TO_SSH)
    inputs = gateway("nlb", TCP, **TO_OWN)
    stack = [AWS, class_of("nlb"), way, LOGIN]
    assert told(GATEWAY, inputs, *stack, config(**FACING)) == SSH
    assert told(GATEWAY, inputs, *stack, config(scheme="internal")) == CLOSED
    office = config(**FACING, sourceRanges=["203.0.113.0/24"])
    assert told(GATEWAY, inputs, *stack, office) == CLOSED
    assert tls(GATEWAY, inputs, *stack, config(**FACING)) == NONE  # it speaks no HTTP


def test_a_configuration_may_be_of_the_later_version():
    kind = "kubernetes:gateway.k8s.aws/v1:LoadBalancerConfiguration"
    own = resource(kind, "own", {"metadata": {"name": "own"}, "spec": FACING})
    way = routed(f"{GROUP}:TCPRoute", TO_SSH)
    stack = [AWS, class_of("nlb"), way, LOGIN, own]
    assert told(GATEWAY, gateway("nlb", TCP, **TO_OWN), *stack) == SSH


@pytest.mark.parametrize(
    ("section", "expected"), [(None, SSH), ("ssh", SSH), ("other", CLOSED), (UNKNOWN, SSH)]
)
def test_a_route_may_be_of_another_listener(section, expected):
    way = routed(f"{GROUP}:TCPRoute", TO_SSH, section=section)
    stack = [AWS, class_of("nlb"), way, LOGIN, config(**FACING)]
    assert told(GATEWAY, gateway("nlb", TCP, **TO_OWN), *stack) == expected


@pytest.mark.parametrize(
    ("kind", "spoken", "expected"),
    [("UDP", "UDP", True), ("UDP", "TCP", False), ("TCP", "UDP", False)],
)
def test_a_route_of_udp_opens_ports_of_udp(kind, spoken, expected):
    cache = service([{"port": 11211, "protocol": spoken}])
    way = routed(f"{GROUP}:{kind}Route", {"backendRefs": [{"name": "lab", "port": 11211}]})
    listener = {"name": "cache", "protocol": kind, "port": 11211}
    stack = [AWS, class_of("nlb"), way, cache, config(**FACING)]
    found = told(GATEWAY, gateway("nlb", listener, **TO_OWN), *stack)
    words = "UDP 11211 (memcached) of lab is open to the internet through it"
    assert found == ([("violated", words)] if expected else CLOSED)


def test_a_filter_of_the_controller_may_ask_for_a_login():
    extension = {"type": "ExtensionRef", "extensionRef": {"name": "login"}}
    way = route({**TO_LAB, "filters": [extension]})
    assert outcomes(GATEWAY, gateway(EXTERNAL, HTTPS), GCP, way, service()) == UNCERTAIN


VERIFIES = {"protocolPort": "HTTPS:443", "mutualAuthentication": {"mode": "verify"}}
OFF = {"protocolPort": "HTTPS:443", "mutualAuthentication": {"mode": "off"}}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ["violated"]),
        ({"listenerConfigurations": [VERIFIES]}, UNCERTAIN),
        ({"listenerConfigurations": [OFF]}, ["violated"]),
        ({"wafV2": {"webACL": "arn"}}, UNCERTAIN),
    ],
)
def test_a_configuration_may_turn_requests_away(more, expected):
    stack = [AWS, class_of("alb"), config(**FACING, **more), route(TO_LAB), service()]
    assert outcomes(GATEWAY, gateway("alb", HTTPS, **TO_OWN), *stack) == expected


def test_a_configuration_may_turn_requests_away_beside_that_of_the_class():
    spec = {"controllerName": "gateway.k8s.aws/alb", "parametersRef": {"name": "inner"}}
    class_ = resource(CLASS, "alb", {"metadata": {"name": "alb"}, "spec": spec})
    inner = config("inner", listenerConfigurations=[{"protocolPort": "HTTPS:8443"}])
    own = config(**FACING, listenerConfigurations=[VERIFIES])
    stack = [AWS, class_, inner, own, route(TO_LAB), service()]
    assert outcomes(GATEWAY, gateway("alb", HTTPS, **TO_OWN), *stack) == UNCERTAIN


def chained(scheme: Any, port: Any = 80, to: str = "gw") -> list[Resource]:
    """Return a Gateway of a network balancer whose route leads to another Gateway."""
    settings = {"infrastructure": {"parametersRef": {"group": "gateway.k8s.aws", "name": "nlb"}}}
    outer = gateway("nlb", {"name": "web", "protocol": "TCP", "port": 80}, **settings)
    outer["metadata"] = {"name": "entrance"}
    on = {"backendRefs": [{"kind": "Gateway", "name": to, "port": port}]}
    return [
        class_of("nlb"),
        class_of("alb"),
        config("nlb", scheme=scheme),
        config(),
        resource(GATEWAY, "entrance", outer),
        routed(f"{GROUP}:TCPRoute", on, to="entrance"),
    ]


@pytest.mark.parametrize(
    ("chain", "login", "spoken"),
    [
        (chained("internet-facing"), OPEN, BAD),
        (chained("internal"), CLOSED, NONE),
        (chained("internet-facing", port=443), CLOSED, NONE),
        (chained("internet-facing", to="other"), CLOSED, NONE),
    ],
)
def test_a_public_gateway_may_lead_to_an_internal_one(chain, login, spoken):
    stack = [AWS, *chain, route(TO_LAB, name="web"), service()]
    inputs = gateway("alb", HTTP, **TO_OWN)
    assert told(GATEWAY, inputs, *stack) == login
    assert tls(GATEWAY, inputs, *stack) == spoken


def test_only_the_listener_that_is_led_to_opens_its_routes():
    stack = [AWS, *chained("internet-facing"), route(TO_LAB, section="https", name="web")]
    assert told(GATEWAY, gateway("alb", HTTP, HTTPS, **TO_OWN), *stack, service()) == CLOSED


def listeners(*own: Any, to: Any = "gw") -> dict[str, Any]:
    spec = {"parentRef": {"name": to, "kind": "Gateway"}, "listeners": list(own)}
    return {"metadata": {"name": "more"}, "spec": spec}


def parent(allows: Any, class_: str = EXTERNAL) -> Resource:
    allowed = {"allowedListeners": {"namespaces": {"from": allows}}} if allows else {}
    return resource(GATEWAY, "gw", gateway(class_, **allowed))


@pytest.mark.parametrize(
    ("gateways", "spoken"),
    [
        ([parent("Same")], BAD),
        ([parent("All")], BAD),
        ([parent("None")], NONE),
        ([parent(None)], NONE),
        ([parent("Same", "gke-l7-rilb")], NONE),
        ([parent(UNKNOWN)], UNCERTAIN),
        ([], UNCERTAIN),
    ],
)
def test_a_set_adds_listeners_to_a_gateway_that_allows_it(gateways, spoken):
    assert tls(SET, listeners(HTTP), GCP, *gateways, *redirecting("http2")) == spoken


def redirecting(section: str) -> list[Resource]:
    """Return a route that redirects another listener of the set, and one that serves this."""
    return [
        routed(f"{GROUP}:HTTPRoute", REDIRECT, to="more", section=section, of="ListenerSet"),
        resource(
            f"{GROUP}:GRPCRoute",
            "g",
            {"spec": {"parentRefs": [{"name": "more", "kind": "ListenerSet"}], "rules": [TO_LAB]}},
        ),
    ]


def test_the_routes_of_a_set_are_its_own():
    stack = [GCP, parent("Same"), service()]
    way = routed(f"{GROUP}:HTTPRoute", TO_LAB, to="more", of="ListenerSet")
    assert told(SET, listeners(HTTPS), *stack, way) == OPEN
    assert told(SET, listeners(HTTPS), *stack, route(TO_LAB, to="more")) == CLOSED
    sends = routed(f"{GROUP}:HTTPRoute", REDIRECT, to="more", of="ListenerSet")
    assert tls(SET, listeners(HTTP), *stack, sends) == FINE
