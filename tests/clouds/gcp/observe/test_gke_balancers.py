"""The load balancers that GKE makes for Ingresses and Gateways cost by their forwarding rules."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.azure import tables as azure_tables
from gpuinfra.clouds.gcp import tables as gcp_tables
from gpuinfra.clouds.gcp.observe.costs.service_costs import PROXIES_REASON
from gpuinfra.clouds.observing import gke_classes, hourly_services
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program

INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
INGRESS_CLASS = "kubernetes:networking.k8s.io/v1:IngressClass"
GATEWAY = "kubernetes:gateway.networking.k8s.io/v1:Gateway"
CLASS = "kubernetes.io/ingress.class"
NO_HTTP = {"kubernetes.io/ingress.allow-http": "false"}
CERTIFICATE = {"networking.gke.io/managed-certificates": "cert"}
CLUSTERS = {
    "gcp": "gcp:container/cluster:Cluster",
    "azure": "azure-native:containerservice:ManagedCluster",
}


def rules(
    type_: str,
    spec: Any,
    annotations: Any = None,
    cluster: str = "gcp",
    *,
    default: Any = None,
    addons: Any = None,
) -> Any:
    """The forwarding rules that are counted, with what has no price; None if not judged.

    `default` has the metadata and the spec of a class of the stack.
    """
    program = Program()
    program.add(CLUSTERS[cluster], "c", location="us-central1", addonsConfig=addons)
    if default is not None:
        program.add(INGRESS_CLASS, "class", **default)
    metadata = {"name": "it", "annotations": annotations}
    front = program.add(type_, "it", metadata=metadata, spec=spec)
    plan = of_resources(program.resources())
    counted = {item.item: item.quantity for item in plan.items if item.subject == front.urn}
    reasons = [row.reason for row in plan.not_judged if row.subject == front.urn]
    known = counted.get("lb-forwarding-rules-first-5-hour")
    if known is None and not reasons:
        return 0
    return f"{known} {reasons[0]}" if known is not None and reasons else known


@pytest.mark.parametrize(
    ("spec", "annotations", "count"),
    [
        ({}, None, 1),
        ({}, {CLASS: "gce"}, 1),
        ({"ingressClassName": "gce"}, None, 0),  # GKE reads its classes in the annotation only
        ({"ingressClassName": "gce-internal"}, None, 0),
        ({"ingressClassName": "gce"}, {CLASS: ""}, 0),
        ({"ingressClassName": "nginx"}, {CLASS: "gce"}, 1),
        ({"ingressClassName": ""}, None, 1),
        ({"tls": [{"secretName": "s"}]}, None, 2),
        ({}, CERTIFICATE, 2),
        ({}, {**CERTIFICATE, **NO_HTTP}, 1),
        ({"tls": [{"secretName": "s"}]}, NO_HTTP, 1),
        ({}, {CLASS: "gce-internal"}, f"1 {PROXIES_REASON}"),
        ({"tls": [{"secretName": "s"}]}, {CLASS: "gce-regional-external"}, f"2 {PROXIES_REASON}"),
        ({"ingressClassName": "nginx"}, None, None),
        ({"ingressClassName": "gke-l7-gxlb"}, None, None),
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
        ("gke-l7-regional-external-managed", [HTTP, HTTPS], f"2 {PROXIES_REASON}"),
        ("gke-l7-rilb", [HTTPS], f"1 {PROXIES_REASON}"),
        ("gke-l7-cross-regional-internal-managed-mc", [HTTPS], f"1 {PROXIES_REASON}"),
        ("gke-l7-global-external-managed-mc", [HTTPS], 1),
        ("istio", [HTTPS], None),
        (UNKNOWN, [HTTPS], None),
    ],
)
def test_the_forwarding_rules_of_a_gateway(class_, listeners, count):
    spec = {"gatewayClassName": class_, "listeners": listeners}
    assert rules(GATEWAY, spec) == count


def test_an_ingress_of_another_cloud_is_not_priced_as_one_of_gke():
    assert rules(INGRESS, {}, cluster="azure") == 0


IS_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def class_of(name: Any, is_default: Any, controller: str = "k8s.io/ingress-nginx") -> Any:
    annotations = {IS_DEFAULT: is_default}
    return {
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"controller": controller},
    }


@pytest.mark.parametrize(
    ("spec", "default", "count"),
    [
        ({}, class_of("nginx-public", "true"), 0),
        ({}, class_of("nginx-public", "false"), 1),
        ({}, class_of("nginx-public", UNKNOWN), 1),
        ({}, class_of(UNKNOWN, "true"), 1),
        ({"ingressClassName": "nginx-public"}, class_of("nginx-public", "false"), 0),
    ],
)
def test_an_ingress_without_a_class_has_the_default_one_of_the_stack(spec, default, count):
    assert rules(INGRESS, spec, default=default) == count


@pytest.mark.parametrize(
    ("exists", "waits", "shown", "counts"),
    [
        (False, False, {}, True),
        (False, True, {}, False),
        (True, False, {}, False),
        (True, False, {"spec": {"ingressClassName": "nginx-public"}}, False),
        (True, False, {"spec": {}}, True),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_default_class_is_given_where_it_is_there_before(
    exists, waits, shown, counts, elsewhere
):
    program = Program()
    program.add(CLUSTERS["gcp"], "c", location="us-central1")
    program.add(INGRESS_CLASS, "class", **class_of("nginx-public", "true"))
    program.add(INGRESS, "it", metadata={"name": "it"}, spec={})
    cluster, class_, ingress = program.resources()
    class_ = replace(class_, outputs={"id": "class"} if exists else {})
    ingress = replace(
        ingress,
        outputs=shown,
        depends_on=(class_.urn,) if waits else (),
        provider=cluster if elsewhere else None,
    )
    plan = of_resources([cluster, class_, ingress])
    counted = [item for item in plan.items if item.subject == ingress.urn]
    assert bool(counted) is (counts or elsewhere)


@pytest.mark.parametrize("cluster", ["azure", "gcp"])
def test_a_class_that_pods_serve_has_no_balancer_of_its_own(cluster):
    program = Program()
    program.add(CLUSTERS[cluster], "c", location="us-central1")
    nginx = class_of("nginx-public", "true")
    program.add(INGRESS_CLASS, "class", **nginx)
    front = program.add(INGRESS, "it", metadata={"name": "it"}, spec={})
    plan = of_resources(program.resources())
    rows = (plan.items, plan.not_judged, plan.listeners, plan.undecided)
    assert front.urn not in {row.subject for each in rows for row in each}


@pytest.mark.parametrize(("disabled", "count"), [(True, 0), ("true", 0), (False, 1), (UNKNOWN, 1)])
def test_a_cluster_without_the_add_on_makes_none(disabled, count):
    addons = {"httpLoadBalancing": {"disabled": disabled}}
    assert rules(INGRESS, {}, {CLASS: "gce"}, addons=addons) == count


def test_tables_are_indexed_once():
    gateway = {"spec": {"gatewayClassName": "gke-l7-gxlb"}}
    assert gke_classes.of_gateway(gateway) is gke_classes.of_gateway(gateway)
    for tables in (gcp_tables.TABLES, azure_tables.TABLES):
        assert hourly_services._rows_by_type(tables) is hourly_services._rows_by_type(tables)
