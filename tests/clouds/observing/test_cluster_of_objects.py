"""Pods run on the nodes of a stack's cluster where their provider is one of that cluster."""

from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra import pulumi_files
from gpuinfra.crossguard.analyzer_messages import Reader
from gpuinfra.model import UNKNOWN, Resource
from tests.crossguard import wire
from tests.pulumi_files.files import STACK, digest, entry, put, step
from tests.rules.cases.judging import of_resources

AWS, GCP, AZURE = (
    "aws:eks/cluster:Cluster",
    "gcp:container/cluster:Cluster",
    "azure-native:containerservice:ManagedCluster",
)
NODES = {
    AWS: (
        "aws:eks/nodeGroup:NodeGroup",
        {
            "clusterName": "c",
            "instanceTypes": ["g6.xlarge"],
            "scalingConfig": {"minSize": 0, "maxSize": 2, "desiredSize": 1},
        },
    ),
    GCP: ("gcp:container/nodePool:NodePool", {"cluster": "c", "nodeCount": 1}),
    AZURE: (
        "azure-native:containerservice:AgentPool",
        {"resourceName": "c", "vmSize": "Standard_NC4as_T4_v3", "count": 1},
    ),
}
ELSEWHERE = "clusters:\n- cluster: {server: https://34.1.2.3}\n  name: other\n"


def resource(kind: str, called: str, inputs: dict[str, Any], **more: Any) -> Resource:
    urn = f"urn:pulumi:dev::shop::{kind}::{called}"
    return Resource(urn=urn, type=kind, name=called, inputs=inputs, **more)


def passes(
    kind: str,
    settings: dict[str, Any] | None,
    *,
    source: str = "",
    related: bool = True,
    **home: Any,
) -> bool:
    """Whether pods start no machines: with a provider that is set so, by what `source` is."""
    named = {"name": "c", "resourceName": "c", "location": "us-central1-a"}
    cluster = resource(kind, "c", {**named, "removeDefaultNodePool": True}, **home)
    nodes = resource(*NODES[kind][:1], "n", NODES[kind][1], relations=_after(cluster, related))
    read = resource("command:local:Command", "read", {}, relations=_after(cluster, related))
    other = resource("pulumi:pulumi:StackReference", "other", {})
    each = {"cluster": cluster, "command": read, "other": other}
    provider = None
    if settings is not None:
        relations = {"kubeconfig": (each[source].urn,)} if source else {}
        provider = resource(
            "pulumi:providers:kubernetes",
            "p",
            settings,
            relations=relations,
            depends_on=(cluster.urn,),
        )
    pods = resource(
        "kubernetes:apps/v1:Deployment",
        "pods",
        {"spec": {"template": {"spec": {"containers": [{"image": "i"}]}}}},
        provider=provider,
    )
    plan = of_resources((cluster, nodes, read, other, pods))
    (row,) = (row for row in plan.not_judged if row.subject == pods.urn)
    return not row.may_start_machines


def _after(cluster: Resource, related: bool) -> dict[str, tuple[str, ...]]:
    return {"clusterName": (cluster.urn,)} if related else {}


@pytest.mark.parametrize("kind", [AWS, GCP, AZURE])
def test_pods_run_in_a_cluster_that_the_settings_of_their_provider_come_from(kind):
    assert passes(kind, None)
    assert passes(kind, {"enableServerSideApply": True})
    assert passes(kind, {"kubeconfig": UNKNOWN}, source="cluster")
    assert passes(kind, {"kubeconfig": UNKNOWN}, source="command")
    assert passes(kind, {"kubeconfig": ELSEWHERE}, source="cluster")


@pytest.mark.parametrize("kind", [AWS, GCP, AZURE])
def test_pods_of_a_provider_of_another_cluster_are_not_let_pass(kind):
    assert not passes(kind, {"kubeconfig": ELSEWHERE})
    assert not passes(kind, {"kubeconfig": UNKNOWN}, source="other")
    assert not passes(kind, {"kubeconfig": UNKNOWN})
    assert not passes(kind, {"context": "another"})


def test_a_file_without_relations_does_not_tell_which_cluster_is_meant():
    assert passes(GCP, {"kubeconfig": UNKNOWN}, related=False)
    assert not passes(GCP, {"kubeconfig": ELSEWHERE}, related=False)


def test_settings_that_are_known_may_hold_the_address_or_the_name_of_a_cluster():
    made = {"endpoint": "34.1.2.3"}
    assert passes(GCP, {"kubeconfig": ELSEWHERE}, outputs=made)
    assert passes(GCP, {"context": "gke_shop_us-central1-a_c"})
    assert passes(AWS, {"context": "arn:aws:eks:us-east-1:111122223333:cluster/c"})


def test_a_component_stands_for_the_cluster_that_is_a_part_of_it():
    part = "urn:pulumi:dev::shop::pulumi:pulumi:StackReference::other"
    assert passes(GCP, {"kubeconfig": UNKNOWN}, source="other", parent=part)


CLUSTER_PROVIDER = "pulumi:providers:kubernetes"
REFERENCE = f"{STACK}::{CLUSTER_PROVIDER}::far::id"


def test_a_preview_and_a_pack_show_the_provider_of_an_object(tmp_path):
    inputs = {"kubeconfig": ELSEWHERE}
    far = entry("far", CLUSTER_PROVIDER, provider="", inputs=inputs)
    pods = entry("pods", "kubernetes:apps/v1:Deployment", provider=REFERENCE, inputs={})
    path = put(tmp_path, digest(step("far", newState=far), step("pods", newState=pods)))
    (read,) = pulumi_files.read(path).resources
    assert read.provider is not None
    assert dict(read.provider.inputs) == inputs

    of_stack = wire.stack(CLUSTER_PROVIDER, "far", inputs)
    given = wire.provider()
    given.urn = of_stack.urn
    object_ = wire.stack("kubernetes:apps/v1:Deployment", "pods", {}, given=given)
    _, shown = Reader().all_resources(proto.AnalyzeStackRequest(resources=[of_stack, object_]), {})
    assert shown.provider is not None
    assert shown.provider.inputs == inputs
