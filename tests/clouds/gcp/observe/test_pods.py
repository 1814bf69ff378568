"""Pods run on the nodes of GKE clusters, which are counted, or no pod is let pass."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources

NAMESPACE = "kubernetes:core/v1:Namespace"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
PODS: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"image": "i"}]}}}}


def pods(**more: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {**PODS["spec"]["template"]["spec"], **more}}}}


def passes(program: GcpProgram, token: str = DEPLOYMENT, inputs: Any = PODS) -> bool:
    own = Resource(urn="pods", type=token, name="pods", inputs=inputs)
    plan = of_resources([*program.resources(), own])
    (row,) = (row for row in plan.not_judged if row.subject == "pods")
    return not row.may_start_machines


@pytest.mark.parametrize(
    "inputs", [PODS, pods(nodeSelector={"cloud.google.com/gke-accelerator": "nvidia-l4"})]
)
def test_pods_run_on_the_pools_of_a_cluster(inputs):
    assert passes(gcp_stacks.gke(), inputs=inputs)
    assert passes(gcp_stacks.gke(), "kubernetes:helm.sh/v3:Release", {"chart": "gpu-operator"})


@pytest.mark.parametrize(
    "cluster",
    [
        {"enableAutopilot": True},
        {"enableAutopilot": UNKNOWN},
        {"removeDefaultNodePool": False},
        {"clusterAutoscaling": {"enabled": True}},
        {"clusterAutoscaling": {"defaultComputeClassEnabled": True}},
        {"clusterAutoscaling": UNKNOWN},
    ],
)
def test_pods_of_a_cluster_that_makes_nodes_may_start_machines(cluster):
    assert not passes(gcp_stacks.gke(**cluster))


@pytest.mark.parametrize(
    "inputs",
    [
        {"spec": UNKNOWN},
        pods(nodeSelector={"cloud.google.com/compute-class": "autopilot"}),
        pods(affinity={"nodeAffinity": [{"key": "cloud.google.com/compute-class"}]}),
    ],
)
def test_pods_that_may_ask_for_machines_of_their_own_are_not_let_pass(inputs):
    assert not passes(gcp_stacks.gke(), inputs=inputs)


@pytest.mark.parametrize("suffix", ["", "-non-daemonset"])
def test_a_namespace_whose_label_makes_nodes_is_not_let_pass(suffix):
    labels = {f"cloud.google.com/default-compute-class{suffix}": "autopilot"}
    labelled = {"metadata": {"labels": labels}}
    assert not passes(gcp_stacks.gke(), NAMESPACE, labelled)
    assert not passes(GcpProgram(), NAMESPACE, labelled)
    assert passes(gcp_stacks.gke(), NAMESPACE, {"metadata": {"labels": {"team": "train"}}})


def test_whether_labels_that_are_not_known_yet_make_nodes_is_undecided():
    own = Resource(urn="n", type=NAMESPACE, name="n", inputs={"metadata": {"labels": UNKNOWN}})
    (row,) = of_resources([*gcp_stacks.gke().resources(), own]).undecided
    assert row.subject == "n"
    assert not of_resources([own]).undecided


def test_a_chart_that_asks_for_a_compute_class_is_not_let_pass():
    values = {"nodeSelector": {"cloud.google.com/compute-class": "autopilot"}}
    inputs = {"chart": "gpu-operator", "values": values}
    assert not passes(gcp_stacks.gke(), "kubernetes:helm.sh/v3:Release", inputs)


def test_pods_without_a_cluster_or_its_pools_are_not_let_pass():
    assert not passes(GcpProgram())
    alone = GcpProgram()
    alone.add("container/cluster:Cluster", "k8s", removeDefaultNodePool=True)
    assert not passes(alone)
