"""Pods run on the nodes of AKS clusters, which are counted, or no pod is let pass."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources

AKS = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
NODES = {"name": "gpus", "vmSize": "Standard_NC4as_T4_v3", "count": 1}


def passes(
    *, pool: bool = False, cluster: bool = True, kind: str = DEPLOYMENT, **inputs: Any
) -> bool:
    program = AzureProgram()
    if cluster:
        program.add(AKS, "aks", **inputs)
    if pool:
        program.add(POOL, "gpus", **NODES)
    spec = inputs.pop("spec", {"template": {"spec": {"containers": [{"image": "i"}]}}})
    own = program.add(kind, "pods", spec=spec)
    plan = of_resources(program.resources())
    (row,) = (row for row in plan.not_judged if row.subject == own.urn)
    return not row.may_start_machines


def test_pods_run_on_the_pools_of_a_cluster():
    assert passes(agentPoolProfiles=[NODES])
    assert passes(pool=True)


@pytest.mark.parametrize(
    "kind",
    [
        "leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
        "serving.kserve.io/v1beta1:InferenceService",
        "trainer.kubeflow.org/v1alpha1:TrainJob",
        "batch.volcano.sh/v1alpha1:Job",
        "nvidia.com/v1:ClusterPolicy",
    ],
)
def test_objects_of_known_operators_run_on_the_nodes_and_no_others(kind):
    full = f"kubernetes:{kind}"
    assert passes(pool=True, kind=full)
    assert not passes(cluster=False, kind=full)
    assert not passes(pool=True, kind="kubernetes:example.com/v1:Cluster")


@pytest.mark.parametrize(
    "kind", ["monitoring.googleapis.com/v1:PodMonitoring", "cloud.google.com/v1:BackendConfig"]
)
def test_a_setting_starts_nothing_in_whatever_cluster(kind):
    assert passes(cluster=False, kind=f"kubernetes:{kind}")
    assert passes(kind=f"kubernetes:{kind}")


def test_a_job_that_makes_a_disk_is_not_let_pass():
    volume = {"mountPath": "/data", "volumeClaim": {"storageClassName": "premium"}}
    volcano = {"kind": "kubernetes:batch.volcano.sh/v1alpha1:Job"}
    assert not passes(pool=True, **volcano, spec={"volumes": [volume], "tasks": []})


@pytest.mark.parametrize(
    "inputs",
    [
        {"sku": {"name": "Automatic", "tier": "Standard"}},
        {"nodeProvisioningProfile": {"mode": "Auto"}},
        {"nodeProvisioningProfile": UNKNOWN},
        {"addonProfiles": {"aciConnectorLinux": {"enabled": True}}},
        {"aiToolchainOperatorProfile": {"enabled": True}},
    ],
)
def test_pods_of_a_cluster_that_makes_nodes_may_start_machines(inputs):
    assert not passes(agentPoolProfiles=[NODES], **inputs)


def test_pods_without_a_cluster_or_its_pools_are_not_let_pass():
    assert not passes(cluster=False)
    assert not passes()
