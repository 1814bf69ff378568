"""Clusters of three clouds with resources of Kubernetes, and what is said of a binding there."""

from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources

RBAC = "kubernetes:rbac.authorization.k8s.io/v1:"
GKE = "gcp:container/cluster:Cluster"
EKS = "aws:eks/cluster:Cluster"
AKS = "azure-native:containerservice:ManagedCluster"


def made(token, name, **inputs):
    return Resource(
        urn=f"urn:pulumi:dev::shop::{token}::{name}", type=token, name=name, inputs=inputs
    )


def outcome(cluster, *resources):
    clusters = (made(cluster, "k8s"),) if cluster else ()
    plan = of_resources([*clusters, *resources])
    found = [grant.faults for grant in plan.grants if grant.name == "binding"]
    if not found:
        return "fine"
    ((fault, *_),) = found
    return "fault" if fault.is_certain else "unknown"
