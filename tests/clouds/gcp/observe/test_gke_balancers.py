"""The load balancers that GKE makes for Ingresses and Gateways cost by their forwarding rules."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program

INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
GATEWAY = "kubernetes:gateway.networking.k8s.io/v1:Gateway"
CLASS = "kubernetes.io/ingress.class"
NO_HTTP = {"kubernetes.io/ingress.allow-http": "false"}
CERTIFICATE = {"networking.gke.io/managed-certificates": "cert"}


def rules(type_: str, spec: Any, annotations: Any = None, cluster: str = "gcp") -> Any:
    """The forwarding rules that are counted; None where the object has no price."""
    program = Program()
    clusters = {
        "gcp": "gcp:container/cluster:Cluster",
        "azure": "azure-native:containerservice:ManagedCluster",
    }
    program.add(clusters[cluster], "c", location="us-central1")
    metadata = {"name": "it", "annotations": annotations}
    front = program.add(type_, "it", metadata=metadata, spec=spec)
    plan = of_resources(program.resources())
    counted = {item.item: item.quantity for item in plan.items if item.subject == front.urn}
    unpriced = any(row.subject == front.urn for row in plan.not_judged)
    assert unpriced is not bool(counted)
    return counted.get("lb-forwarding-rules-first-5-hour")


@pytest.mark.parametrize(
    ("spec", "annotations", "count"),
    [
        ({}, None, 1),
        ({}, {CLASS: "gce"}, 1),
        ({"ingressClassName": "gce"}, None, 1),
        ({"tls": [{"secretName": "s"}]}, None, 2),
        ({}, CERTIFICATE, 2),
        ({}, {**CERTIFICATE, **NO_HTTP}, 1),
        ({"tls": [{"secretName": "s"}]}, NO_HTTP, 1),
        ({}, {CLASS: "gce-internal"}, None),
        ({}, {CLASS: "gce-regional-external"}, None),
        ({"ingressClassName": "nginx"}, None, None),
        ({"ingressClassName": UNKNOWN}, None, None),
        ({}, UNKNOWN, None),
    ],
)
def test_the_forwarding_rules_of_an_ingress(spec, annotations, count):
    assert rules(INGRESS, spec, annotations) == count


HTTP = {"name": "http", "protocol": "HTTP", "port": 80}
HTTPS = {"name": "https", "protocol": "HTTPS", "port": 443}


@pytest.mark.parametrize(
    ("class_", "listeners", "count"),
    [
        ("gke-l7-global-external-managed", [HTTPS], 1),
        ("gke-l7-gxlb", [HTTP, HTTPS], 2),
        ("gke-l7-global-external-managed", UNKNOWN, None),
        ("gke-l7-regional-external-managed", [HTTPS], None),
        ("gke-l7-rilb", [HTTPS], None),
        ("istio", [HTTPS], None),
        (UNKNOWN, [HTTPS], None),
    ],
)
def test_the_forwarding_rules_of_a_gateway(class_, listeners, count):
    spec = {"gatewayClassName": class_, "listeners": listeners}
    assert rules(GATEWAY, spec) == count


def test_an_ingress_of_another_cloud_is_not_priced_as_one_of_gke():
    assert rules(INGRESS, {}, cluster="azure") is None
