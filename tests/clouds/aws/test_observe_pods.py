"""Pods run on the nodes of a cluster, which are counted; what else a cluster makes is not."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

DEPLOYMENT = "kubernetes:apps/v1:Deployment"
STATEFUL = "kubernetes:apps/v1:StatefulSet"
SCALER = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
SERVICE = "kubernetes:core/v1:Service"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
RELEASE = "kubernetes:helm.sh/v3:Release"
AUTO = {"computeConfig": {"enabled": True}}
FAST = {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}}
PODS = {"spec": {"replicas": 2, "template": {"spec": {"containers": [{"image": "i"}]}}}}


def judged(
    token: str, inputs: dict[str, Any], *, cluster: Any = None, nodes: bool = True, more: str = ""
) -> list[str]:
    """What is said of the price of an object in a cluster with a node group."""
    program = Program()
    home = program.add("aws:eks/cluster:Cluster", "c", **(cluster or {}))
    if nodes:
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "n",
            clusterName=home.id,
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 1},
        )
    if more:
        program.add(more, "more", clusterName=home.id)
    program.add(token, "it", **inputs)
    plan = of_resources(program.resources())
    own = [row for row in plan.not_judged if row.type == token]
    assert len(own) == 1
    return [outcome for outcome in outcomes(plan, "price-unknown") for _ in own]


@pytest.mark.parametrize(
    ("token", "inputs", "outcome"),
    [
        (DEPLOYMENT, PODS, "fine"),
        (STATEFUL, PODS, "fine"),
        ("kubernetes:batch/v1:Job", PODS, "fine"),
        (SERVICE, {"spec": {"ports": [{"port": 80}]}}, "fine"),
        (RELEASE, {"chart": "nvidia-device-plugin", "values": {"gfd": {"enabled": True}}}, "fine"),
        (RELEASE, {"chart": "oci://registry.example/charts/gpu-operator"}, "fine"),
        (RELEASE, {"chart": "oci://registry.example/charts/jobset"}, "fine"),
        (RELEASE, {"chart": "network-operator", "values": {"nfd": {"enabled": False}}}, "fine"),
        (
            RELEASE,
            {"chart": "csi-driver-nfs", "values": {"storageClass": {"create": True}}},
            "violated",
        ),
        (SCALER, {"spec": {"maxReplicas": 99}}, "fine"),
        ("kubernetes:ray.io/v1:RayCluster", {"spec": {}}, "fine"),
        ("kubernetes:ray.io/v1:RayCluster", {"spec": {"volumeClaimTemplates": [{}]}}, "violated"),
        (RELEASE, {"chart": "kube-prometheus-stack", "values": {"grafana": {}}}, "fine"),
        (
            RELEASE,
            {"chart": "kube-prometheus-stack", "values": {"prometheus": {"storageSpec": {}}}},
            "violated",
        ),
        (DEPLOYMENT, {"spec": UNKNOWN}, "violated"),
        (
            STATEFUL,
            {"spec": {**PODS["spec"], "volumeClaimTemplates": [{"spec": FAST}]}},
            "violated",
        ),
        (SERVICE, {"spec": {"type": "LoadBalancer"}}, "violated"),
        (SERVICE, {"spec": {"type": UNKNOWN}}, "violated"),
        (CLAIM, {"spec": {"resources": {"requests": {"storage": "80Gi"}}}}, "fine"),
        (CLAIM, {"spec": {"resources": {"requests": {"storage": "20G"}}}}, "fine"),
        (CLAIM, {"spec": {"resources": {"requests": {"storage": 1073741824}}}}, "fine"),
        (RELEASE, {"chart": "keda"}, "fine"),
        (RELEASE, {"chart": "external-dns"}, "fine"),
        ("kubernetes:keda.sh/v1alpha1:ScaledObject", {"spec": {"maxReplicaCount": 9}}, "fine"),
        ("kubernetes:gateway.networking.k8s.io/v1:HTTPRoute", {"spec": {}}, "fine"),
        (
            "kubernetes:gateway.networking.k8s.io/v1:Gateway",
            {"spec": {"gatewayClassName": "amazon-vpc-lattice"}},
            "violated",
        ),
        (RELEASE, {"chart": "argo-cd"}, "violated"),
        (RELEASE, {"chart": "karpenter"}, "violated"),
        (RELEASE, {"chart": UNKNOWN}, "violated"),
        (RELEASE, {"chart": "gpu-operator", "values": UNKNOWN}, "violated"),
        (
            RELEASE,
            {"chart": "dcgm-exporter", "values": {"service": {"type": "LoadBalancer"}}},
            "violated",
        ),
        ("kubernetes:karpenter.sh/v1:NodePool", {"spec": {}}, "violated"),
    ],
)
def test_pods_run_on_the_nodes_that_are_counted(token, inputs, outcome):
    assert judged(token, inputs) == [outcome]


@pytest.mark.parametrize(
    "case",
    [
        {"cluster": AUTO},
        {"cluster": {"computeConfig": {"enabled": UNKNOWN}}},
        {"nodes": False},
        {"more": "aws:eks/fargateProfile:FargateProfile"},
    ],
)
def test_pods_of_a_cluster_that_makes_nodes_for_them_may_start_machines(case):
    assert "violated" in judged(DEPLOYMENT, PODS, **case)
    assert "violated" in judged(SCALER, PODS, **case)
    assert judged(DEPLOYMENT, PODS) == ["fine"]
