"""The load balancers that GKE and AKS make for Services are priced; what is unknown is not."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program

SERVICE = "kubernetes:core/v1:Service"
GKE = ("gcp:container/cluster:Cluster", {"location": "us-central1-a"})
AKS = ("azure-native:containerservice:ManagedCluster", {"location": "eastus"})
EKS = ("aws:eks/cluster:Cluster", {})
INTERNAL = {
    "networking.gke.io/load-balancer-type": "Internal",
    "service.beta.kubernetes.io/azure-load-balancer-internal": "true",
}
TCP, UDP = {"port": 8000}, {"port": 8001, "protocol": "UDP"}
RULE, DATA = "lb-forwarding-rules-first-5-hour", "lb-data-processed"
BALANCER, EXTRA = "lb-standard-first-5-rules-hour", "lb-standard-extra-rule-hour"
ADDRESS, PASSED = "public-ip-standard-static-hour", "lb-standard-data"


def plan(
    *clusters: tuple[str, dict[str, Any]],
    kind: str = SERVICE,
    annotations: Any = None,
    **spec: Any,
) -> Plan:
    program = Program()
    for number, (token, inputs) in enumerate(clusters):
        program.add(token, f"c{number}", **inputs)
    stated = {"type": "LoadBalancer", "ports": [TCP], **spec}
    program.add(kind, "it", metadata={"annotations": annotations}, spec=stated)
    return of_resources(program.resources())


def items(*clusters: tuple[str, dict[str, Any]], **settings: Any) -> dict[str, Any]:
    every = plan(*clusters, **settings).items
    return {item.item: item.quantity for item in every if item.name == "it"}


def unpriced(judged: Plan) -> list[str]:
    names = {row.subject.rpartition("::")[2]: row for row in judged.not_judged}
    return [name for name, row in names.items() if name == "it" and row.may_start_machines]


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ({}, 1),
        ({"ports": [TCP, {"port": 9000}]}, 1),
        ({"ports": [TCP, UDP]}, 2),
        ({"ipFamilyPolicy": "SingleStack"}, 1),
        ({"ipFamilyPolicy": "PreferDualStack"}, 2),
        ({"annotations": INTERNAL}, 1),
        ({"loadBalancerClass": "networking.gke.io/l4-regional-external"}, 1),
    ],
)
def test_gke_makes_a_forwarding_rule_for_each_protocol_and_family(spec, rules):
    assert items(GKE, **spec) == {RULE: rules, DATA: None}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {EXTRA: 1, ADDRESS: 1}),
        ({"ports": [TCP, UDP]}, {EXTRA: 2, ADDRESS: 1}),
        ({"ipFamilyPolicy": "RequireDualStack"}, {EXTRA: 2, ADDRESS: 2}),
        ({"annotations": INTERNAL}, {EXTRA: 1}),
        ({"loadBalancerClass": "other"}, {EXTRA: 1, ADDRESS: 1}),
    ],
)
def test_aks_makes_a_rule_for_each_port_and_addresses_for_public_services(spec, expected):
    assert items(AKS, **spec) == {BALANCER: 1, PASSED: None, **expected}


@pytest.mark.parametrize(
    ("clusters", "settings"),
    [
        ([], {}),
        ([EKS], {"loadBalancerClass": "other"}),
        ([GKE, AKS], {}),
        ([GKE, ("gcp:container/cluster:Cluster", {"location": "us-east1-b"})], {}),
        ([GKE], {"ports": UNKNOWN}),
        ([GKE], {"ports": []}),
        ([GKE], {"ports": [{"port": 1, "protocol": UNKNOWN}]}),
        ([GKE], {"type": UNKNOWN}),
        ([GKE], {"ipFamilyPolicy": UNKNOWN}),
        ([GKE], {"loadBalancerClass": UNKNOWN}),
        ([GKE], {"annotations": UNKNOWN}),
        ([AKS], {"kind": "kubernetes:core/v1:ServiceList"}),
    ],
)
def test_what_is_not_known_has_no_price(clusters, settings):
    judged = plan(*clusters, **settings)
    assert not [item for item in judged.items if item.name == "it"]
    assert unpriced(judged) == ["it"]


@pytest.mark.parametrize("kind", [None, "ClusterIP", "NodePort"])
def test_a_service_without_a_balancer_costs_nothing(kind):
    judged = plan(GKE, type=kind)
    assert not [item for item in judged.items if item.name == "it"]
    assert not unpriced(judged)


POOLED_GKE = (GKE[0], {**GKE[1], "removeDefaultNodePool": True, "initialNodeCount": 1})
NODES: dict[str, tuple[str, dict[str, Any]]] = {
    "aws": ("aws:eks/nodeGroup:NodeGroup", {"instanceTypes": ["g6.xlarge"]}),
    "gcp": ("gcp:container/nodePool:NodePool", {"nodeCount": 1}),
    "azure": ("azure-native:containerservice:AgentPool", {"count": 1}),
}


@pytest.mark.parametrize(
    ("clusters", "service_type", "expected"),
    [
        ([EKS], "LoadBalancer", {"clb-hour": 1, "clb-data": None, "public-ipv4-hour": 6}),
        ([POOLED_GKE], "LoadBalancer", {RULE: 1, DATA: None}),
        ([AKS], "LoadBalancer", {BALANCER: 1, EXTRA: 3, ADDRESS: 1, PASSED: None}),
        ([EKS], "ClusterIP", {}),
        ([EKS], None, {}),
        ([EKS], UNKNOWN, None),
        ([EKS, GKE], "LoadBalancer", None),
    ],
)
def test_the_balancer_before_a_head_of_ray_is_paid(clusters, service_type, expected):
    program = Program()
    for number, (token, inputs) in enumerate(clusters):
        program.add(token, f"c{number}", **inputs)
    for token, inputs in NODES.values():
        if token.partition(":")[0] in {cluster[0].partition(":")[0] for cluster in clusters}:
            program.add(token, token.partition(":")[0], **inputs)
    head = {"serviceType": service_type, "template": {}}
    program.add("kubernetes:ray.io/v1:RayCluster", "it", spec={"headGroupSpec": head})
    judged = of_resources(program.resources())

    assert unpriced(judged) == (["it"] if expected is None else [])
    assert {each.item: each.quantity for each in judged.items if each.name == "it"} == (
        expected or {}
    )
