"""Accelerators of a cluster that lead the internet to internal load balancers."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.test_front_tls_cluster_listeners import ALB, AWS, BAD, INGRESS, NONE, resource
from tests.rules.test_front_tls_cluster_listeners import told as tls
from tests.rules.test_front_tls_gateways import ALB as CLASS
from tests.rules.test_front_tls_gateways import (
    FORWARD,
    GATEWAY,
    HTTP,
    TO_OWN,
    config,
    gateway,
    route,
)
from tests.rules.test_open_login_routed_ports import (
    CLOSED,
    OPEN,
    UNCERTAIN,
    ingress,
    outcomes,
    service,
    told,
)

OFFICE = {f"{ALB}/inbound-cidrs": "203.0.113.0/24"}


def accelerator(kind: str, name: Any, ports: Any = (80, 80), moved: Any = None) -> Resource:
    """Return an accelerator before an object, from a range of ports."""
    group = {"endpoints": [{"type": kind, "name": name}], "portOverrides": moved}
    ranges = [{"fromPort": ports[0], "toPort": ports[1]}] if ports else None
    spec = {"listeners": [{"portRanges": ranges, "endpointGroups": [group]}]}
    return resource("kubernetes:aga.k8s.aws/v1beta1:GlobalAccelerator", "fast", {"spec": spec})


def internal(**annotations: Any) -> Any:
    stated = ingress("alb", **annotations)
    return {**stated, "metadata": {**stated["metadata"], "name": "lab"}}


@pytest.mark.parametrize(
    ("before", "annotations", "expected"),
    [
        (accelerator("Ingress", "lab"), {}, OPEN),
        (accelerator("Ingress", "lab", None), {}, OPEN),  # its ports are those of the Ingress
        (accelerator("Ingress", "lab", (443, 443)), {}, CLOSED),
        (
            accelerator("Ingress", "lab", (443, 443), [{"listenerPort": 443, "endpointPort": 80}]),
            {},
            OPEN,
        ),
        (accelerator("Ingress", "other"), {}, CLOSED),
        (accelerator("Gateway", "lab"), {}, CLOSED),
        (accelerator("Ingress", "lab"), OFFICE, CLOSED),
    ],
)
def test_an_accelerator_leads_to_an_internal_ingress(before, annotations, expected):
    assert told(INGRESS, internal(**annotations), AWS, service(), before) == expected


def test_what_an_accelerator_leads_to_may_not_be_known_yet():
    unsure = [accelerator("Ingress", UNKNOWN), accelerator("Ingress", "lab", (UNKNOWN, 80))]
    for before in unsure:
        assert outcomes(INGRESS, internal(), AWS, service(), before) == UNCERTAIN


@pytest.mark.parametrize(
    ("before", "ranges", "expected"),
    [
        (accelerator("Gateway", "gw"), None, BAD),
        (accelerator("Gateway", "other"), None, NONE),
        (accelerator("Gateway", "gw"), ["203.0.113.0/24"], NONE),
    ],
)
def test_an_accelerator_leads_to_an_internal_gateway(before, ranges, expected):
    own = config(**({"sourceRanges": ranges} if ranges else {}))
    stack = [AWS, CLASS, own, route(FORWARD), before]
    assert tls(GATEWAY, gateway("alb", HTTP, **TO_OWN), *stack) == expected


@pytest.mark.parametrize(("group", "expected"), [("shop", OPEN), ("web", CLOSED)])
def test_an_accelerator_before_one_ingress_leads_to_all_of_its_group(group, expected):
    internal_scheme = {f"{ALB}/scheme": "internal"}
    annotations = {**internal_scheme, f"{ALB}/group.name": group}
    spec = {"ingressClassName": "alb"}
    metadata = {"name": "other", "annotations": annotations}
    member = resource(INGRESS, "other", {"metadata": metadata, "spec": spec})
    own = internal(**{**internal_scheme, f"{ALB}/group.name": "shop"})
    assert told(INGRESS, own, AWS, service(), member, accelerator("Ingress", "other")) == expected


@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        ([{"listenerPort": 80, "endpointPort": 8080}], CLOSED),
        ([{"listenerPort": 8080, "endpointPort": 80}], OPEN),
        ([{"listenerPort": 80, "endpointPort": 80}], OPEN),
    ],
)
def test_an_accelerator_may_move_a_port_to_another(moved, expected):
    before = accelerator("Ingress", "lab", (80, 8080), moved)
    assert told(INGRESS, internal(), AWS, service(), before) == expected
