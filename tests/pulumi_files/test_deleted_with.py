"""What `deletedWith` leaves to another resource's deletion, and whether that one brings it."""

import pytest

from gpuinfra import pulumi_files
from tests.pulumi_files.files import INSTANCE, PROVIDER, digest, entry, put, step

BUCKET = "aws:s3/bucket:Bucket"
VAULT = "azure-native:resources:ResourceGroup"
MACHINE = "azure-native:compute/v20240301:VirtualMachine"
CLUSTER = "aws:eks/cluster:Cluster"
SERVICE = "kubernetes:core/v1:Service"
SPACE = "kubernetes:core/v1:Namespace"
GKE = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
TRAINING = {"name": "training", "location": "l", "project": "p"}
RELEASE = "kubernetes:helm.sh/v3:Release"
BATCH = "kubernetes:batch/v1:Job"
KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
CONNECTED = "kubernetes:compute.cnrm.cloud.google.com/v1beta1:ComputeInstance"
SCALING = "aws:autoscaling/group:Group"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
EXTENSION = "azure-native:compute:VirtualMachineExtension"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
MEMBER = "azure-native:compute:VirtualMachineScaleSetVM"
AKS = "azure-native:containerservice:ManagedCluster"
AGENTS = "azure-native:containerservice:AgentPool"
GROUP = {"resourceGroupName": "ml"}
EU = f"{PROVIDER.rpartition('::')[0].rpartition('::')[0]}::europe::1"


@pytest.mark.parametrize(
    ("type_", "holder", "op", "more", "left"),
    [
        (INSTANCE, BUCKET, "delete", {}, True),
        (INSTANCE, BUCKET, "delete-replaced", {}, True),
        (INSTANCE, BUCKET, "same", {}, False),
        (SCHEDULE, SCALING, "delete", {"inputs": {"name": "ml"}}, False),
        (SCHEDULE, SCALING, "delete", {"inputs": {"name": "other"}}, True),
        (SCHEDULE, SCALING, "delete", {"inputs": {"name": "ml", "region": "eu-west-1"}}, True),
        (SCHEDULE, SCALING, "delete", {}, True),
        (MACHINE, VAULT, "delete", {"inputs": {"resourceGroupName": "ML"}}, False),
        (MACHINE, VAULT, "delete", {"inputs": {"resourceGroupName": "other"}}, True),
        (MACHINE, VAULT, "delete", {}, True),
        (MACHINE, MACHINE, "delete", {"retainOnDelete": True}, True),
        (SERVICE, CLUSTER, "delete", {}, True),
        ("kubernetes:apps/v1:Deployment", CLUSTER, "delete", {}, False),
        (BATCH, CLUSTER, "delete", {}, False),
        ("kubernetes:networking.k8s.io/v1beta1:Ingress", CLUSTER, "delete", {}, True),
        (KARPENTER, CLUSTER, "delete", {}, True),
        (KARPENTER, AKS, "delete", {}, False),
        ("kubernetes:ec2.services.k8s.aws/v1alpha1:Instance", CLUSTER, "delete", {}, True),
        (CONNECTED, GKE, "delete", {}, True),
        ("kubernetes:compute.azure.com/v1api20220301:VirtualMachine", AKS, "delete", {}, True),
        ("kubernetes:cluster.x-k8s.io/v1beta1:MachineDeployment", AKS, "delete", {}, True),
        (RELEASE, CLUSTER, "delete", {}, True),
        (RELEASE, GKE, "delete", {}, True),
        (RELEASE, AKS, "delete", {}, True),
        (SERVICE, AKS, "delete", {}, False),
        (MACHINE, VAULT, "delete", {"inputs": {"resourceGroupName": "ML"}, "provider": EU}, True),
        (EXTENSION, MACHINE, "delete", {"inputs": {"vmName": "a", **GROUP}}, False),
        (EXTENSION, MACHINE, "delete", {"inputs": {"vmName": "b", **GROUP}}, True),
        (EXTENSION, MACHINE, "delete", {"inputs": {"vmName": "a"}}, True),
        (MEMBER, SCALE_SET, "delete", {"inputs": {"vmScaleSetName": "x", **GROUP}}, False),
        (MEMBER, SCALE_SET, "delete", {"inputs": {"vmScaleSetName": "y", **GROUP}}, True),
        (AGENTS, AKS, "delete", {"inputs": {"resourceName": "gpu", **GROUP}}, False),
        (AGENTS, AKS, "delete", {"inputs": {"resourceName": "gpu"}}, True),
        (POOL, GKE, "delete", {"inputs": TRAINING}, False),
        (POOL, GKE, "delete", {"inputs": TRAINING, "provider": EU}, False),
        (POOL, GKE, "delete", {"inputs": {**TRAINING, "name": "other"}}, True),
        (POOL, GKE, "delete", {"inputs": {**TRAINING, "location": "europe-west4"}}, True),
        (POOL, GKE, "delete", {"inputs": {**TRAINING, "project": "q"}}, True),
        (POOL, GKE, "delete", {"inputs": {"name": "training"}}, True),
        (SERVICE, GKE, "delete", {}, True),
        ("kubernetes:apps/v1:Deployment", GKE, "delete", {}, False),
        (SERVICE, SPACE, "delete", {"inputs": {"metadata": {"name": "ml"}}}, False),
        (SERVICE, SPACE, "delete", {"inputs": {"metadata": {"name": "other"}}}, True),
        (SERVICE, SPACE, "delete", {"inputs": {"metadata": {"name": "ml"}}, "provider": EU}, True),
        (SERVICE, SPACE, "delete", {}, True),
        (RELEASE, SPACE, "delete", {"inputs": {"metadata": {"name": "charts"}}}, False),
        ("random:index/randomId:RandomId", BUCKET, "delete", {}, False),
    ],
)
def test_what_another_s_deletion_does_not_bring_stands_on(type_, holder, op, more, left, tmp_path):
    """Pulumi deletes neither of them by itself: it leaves one to the deletion of the other."""
    other = entry("other", holder, **more)
    state = "newState" if op == "same" else "oldState"
    named = {"metadata": {"name": "two", "namespace": "ml"}}
    own = {"namespace": "charts"} if type_ == RELEASE else named
    own |= {"cluster": "projects/p/locations/l/clusters/training", "resourceName": "gpu"}
    own |= {"autoscalingGroupName": "ml", "vmName": "a", "vmScaleSetName": "x", **GROUP}
    old = entry("two", type_, inputs=own, deletedWith=other["urn"])
    steps = [step(), step("two", "delete", oldState=old), step("other", op, **{state: other})]
    preview = pulumi_files.read(put(tmp_path, digest(*steps)))
    names = [resource.name for resource in preview.resources]

    assert ("two (kept by deletedWith)" in names) == left
    assert (old["urn"] in [each.urn for each in preview.leaving]) != left


def standing(folder, *deleted):
    """The names of what stands after an update that deletes these, and makes one."""
    deletes = [step(op="delete", oldState=each) for each in deleted]
    preview = pulumi_files.read(put(folder, digest(step(), *deletes)))
    return [resource.name for resource in preview.resources]


IN_GROUP = "/resourceGroups/ML/providers/Microsoft.Compute/virtualMachines/two"


@pytest.mark.parametrize(
    ("subscription", "provider", "left"),
    [("1", EU, False), ("2", EU, True), ("2", PROVIDER, True)],
)
def test_the_paths_of_two_resources_tell_more_than_their_providers(
    subscription, provider, left, tmp_path
):
    group = entry("other", VAULT, id="/subscriptions/1/resourceGroups/ml", inputs=GROUP)
    identity = f"/subscriptions/{subscription}{IN_GROUP}"
    machine = entry("two", MACHINE, id=identity, provider=provider, deletedWith=group["urn"])

    assert ("two (kept by deletedWith)" in standing(tmp_path, machine, group)) == left


def test_default_providers_of_two_versions_are_one(tmp_path):
    """Both have the configuration of the stack."""
    older = PROVIDER.replace("default_7_51_1", "default_6_83_0")
    assert older != PROVIDER
    space = entry("other", SPACE, inputs={"metadata": {"name": "ml"}}, provider=older)
    own = {"metadata": {"name": "two", "namespace": "ml"}}
    service = entry("two", SERVICE, inputs=own, deletedWith=space["urn"])

    assert standing(tmp_path, service, space) == ["one"]


@pytest.mark.parametrize(("third", "left"), [(BUCKET, True), ("", False)])
def test_what_is_left_to_one_that_stays_stands_on(third, left, tmp_path):
    """A schedule goes with its group, which is left to the deletion of a bucket."""
    bucket = entry("bucket", BUCKET)
    more = {"deletedWith": bucket["urn"]} if third else {}
    group = entry("group", SCALING, inputs={"name": "ml"}, **more)
    own = {"autoscalingGroupName": "ml"}
    schedule = entry("two", SCHEDULE, inputs=own, deletedWith=group["urn"])

    assert ("two (kept by deletedWith)" in standing(tmp_path, schedule, group, bucket)) == left


@pytest.mark.parametrize(
    ("kind", "holder", "left"),
    [
        (CONNECTED, GKE, True),
        (CONNECTED, "", False),
        (SERVICE, CLUSTER, True),
        (SERVICE, AKS, False),
        (BATCH, CLUSTER, False),
    ],
)
def test_a_namespace_that_is_left_to_its_cluster_deletes_nothing_by_itself(
    kind, holder, left, tmp_path
):
    """Controllers delete what they made outside the cluster only while it runs."""
    cluster = entry("cluster", holder or BUCKET)
    more = {"deletedWith": cluster["urn"]} if holder else {}
    space = entry("space", SPACE, inputs={"metadata": {"name": "ml"}}, **more)
    own = {"metadata": {"name": "two", "namespace": "ml"}}
    two = entry("two", kind, inputs=own, deletedWith=space["urn"])

    assert ("two (kept by deletedWith)" in standing(tmp_path, two, space, cluster)) == left
