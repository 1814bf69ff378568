"""What a preview deletes, and what stands on in the cloud though it leaves the state."""

import pytest

from gpuinfra import pulumi_files
from gpuinfra.pulumi_files.removals import UNKNOWN_TRIGGER
from tests.pulumi_files.files import (
    INSTANCE,
    PROVIDER,
    UNKNOWN_TEXT,
    digest,
    entry,
    pre,
    put,
    step,
    stream,
    summary,
    urn,
)


@pytest.mark.parametrize("op", ["same", "update"])
def test_what_stays_keeps_its_id(tmp_path, op):
    old = entry(id="i-1", outputs={"arn": "arn:1"})
    preview = pulumi_files.read(put(tmp_path, digest(step(op=op, oldState=old))))
    assert preview.resources[0].outputs == {"id": "i-1", "arn": "arn:1"}
    assert preview.leaving == ()


def test_what_is_replaced_counts_as_what_it_becomes_and_stands_until_then(tmp_path):
    old = entry(id="i-1", inputs={"instanceType": "g6.xlarge"}, outputs={"arn": "arn:1"})
    preview = pulumi_files.read(put(tmp_path, digest(step(op="replace", oldState=old))))
    assert preview.resources[0].inputs == {"instanceType": "p5.48xlarge"}
    assert preview.resources[0].outputs == {}
    assert [(leaving.urn, leaving.replaced) for leaving in preview.leaving] == [(urn("one"), True)]


CREATED = step("one", "create-replacement", oldState=entry(), newState=entry())
REPLACED = step("one", "replace", oldState=entry(delete=True), newState=entry())
DELETED = step("one", "delete-replaced", oldState=entry())
AFTER_DELETE = step("one", "replace", oldState=entry(pendingReplacement=True), newState=entry())


@pytest.mark.parametrize(
    ("steps", "coexists"),
    [
        ([REPLACED], True),
        ([CREATED, REPLACED, DELETED], True),
        ([step("one", "replace", oldState=entry(), newState=entry())], True),
        ([AFTER_DELETE], False),
        ([DELETED, AFTER_DELETE, CREATED], False),
        ([DELETED], False),
    ],
)
def test_what_is_replaced_exists_beside_its_replacement_unless_it_is_deleted_first(
    tmp_path, steps, coexists
):
    (leaving,) = pulumi_files.read(put(tmp_path, digest(*steps))).leaving
    assert (leaving.replaced, leaving.coexists) == (steps != [DELETED], coexists)


@pytest.mark.parametrize(
    ("operations", "coexists"),
    [
        (("create-replacement", "replace", "delete-replaced"), True),
        (("delete-replaced", "replace", "create-replacement"), False),
    ],
)
def test_a_stream_shows_by_its_order_what_is_deleted_first(tmp_path, operations, coexists):
    events = [pre("one", operation) for operation in operations]
    (leaving,) = pulumi_files.read(put(tmp_path, stream(*events, summary(replace=1)))).leaving
    assert (leaving.replaced, leaving.coexists) == (True, coexists)


@pytest.mark.parametrize(
    ("op", "trigger", "is_noted"),
    [
        ("replace", UNKNOWN_TEXT, True),
        ("replace", ["v1", {"image": UNKNOWN_TEXT}], True),
        ("replace", "v2", False),
        ("create", UNKNOWN_TEXT, False),
    ],
)
def test_a_replacement_for_a_trigger_that_is_not_known_yet_is_said(
    tmp_path, op, trigger, is_noted
):
    before = {} if op == "create" else {"oldState": entry(replacementTrigger="v1")}
    replaced = step("one", op, newState=entry(replacementTrigger=trigger), **before)
    notes = pulumi_files.read(put(tmp_path, digest(replaced))).notes
    assert [note for note in notes if "replacementTrigger" in note] == (
        [UNKNOWN_TRIGGER.format(urn("one"))] if is_noted else []
    )


def test_what_is_deleted_is_out_and_said(tmp_path):
    preview = pulumi_files.read(put(tmp_path, digest(step(), step("two", "delete"))))
    assert [resource.name for resource in preview.resources] == ["one"]
    assert [(leaving.urn, leaving.replaced) for leaving in preview.leaving] == [
        (urn("two"), False)
    ]


@pytest.mark.parametrize("op", ["delete", "replace", "delete-replaced"])
def test_what_only_leaves_the_state_is_paid_for_and_said(tmp_path, op):
    old = entry("two", id="i-2", retainOnDelete=True)
    new = {} if op != "replace" else {"newState": entry("two")}
    preview = pulumi_files.read(
        put(tmp_path, digest(step(), step("two", op, oldState=old, **new)))
    )
    assert "two (kept by retainOnDelete)" in [resource.name for resource in preview.resources]
    assert preview.leaving == ()
    assert any("is not deleted (retainOnDelete)" in note for note in preview.notes)


def test_the_steps_of_one_replacement_leave_one_machine_behind(tmp_path):
    old = entry("two", id="i-2", retainOnDelete=True)
    steps = [
        step("two", "create-replacement", oldState=old, newState=entry("two")),
        step("two", "replace", oldState=old, newState=entry("two")),
        step("two", "delete-replaced", oldState=old),
    ]
    preview = pulumi_files.read(put(tmp_path, digest(*steps)))
    assert [resource.name for resource in preview.resources] == [
        "two",
        "two (kept by retainOnDelete)",
    ]
    assert len(preview.notes) == 1


def test_what_a_new_state_retains_is_retained_of_the_old_one(tmp_path):
    new = entry("two", retainOnDelete=True)
    steps = digest(step("two", "replace", oldState=entry("two", id="i-2"), newState=new))
    preview = pulumi_files.read(put(tmp_path, steps))
    assert [resource.name for resource in preview.resources] == [
        "two",
        "two (kept by retainOnDelete)",
    ]


def test_a_stream_tells_what_is_retained(tmp_path):
    old = entry("two", retainOnDelete=True)
    events = stream(pre(), pre("two", "delete", old=old), summary(create=1, delete=1))
    preview = pulumi_files.read(put(tmp_path, events))
    assert [resource.name for resource in preview.resources] == [
        "one",
        "two (kept by retainOnDelete)",
    ]


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


@pytest.mark.parametrize(("owned", "left"), [(True, True), (False, False)])
def test_what_the_program_only_reads_from_now_on_stands_on(owned, left, tmp_path):
    old, new = entry("two", external=not owned), entry("two", external=True)
    steps = digest(step(), step("two", "read", oldState=old, newState=new))
    preview = pulumi_files.read(put(tmp_path, steps))
    names = [resource.name for resource in preview.resources]

    assert ("two (kept by a read of the program)" in names) == left


def test_a_stream_does_not_tell_what_was_only_read_before(tmp_path):
    events = stream(pre(), pre("two", "read"), summary(create=1, read=1))
    assert [each.name for each in pulumi_files.read(put(tmp_path, events)).resources] == ["one"]


GOOGLE = "gcp:compute/instance:Instance"


@pytest.mark.parametrize("op", ["delete", "replace", "delete-replaced"])
@pytest.mark.parametrize(
    ("policy", "stays"),
    [("ABANDON", True), (UNKNOWN_TEXT, True), ("DELETE", False), (None, False)],
)
def test_what_google_s_provider_leaves_is_paid_for_and_said(policy, stays, op, tmp_path):
    """The provider goes by what the state has: a policy of the new resource says nothing."""
    old = entry("two", GOOGLE, id="i-2", inputs={"deletionPolicy": policy} if policy else {})
    new = entry("two", GOOGLE, inputs={"deletionPolicy": "DELETE" if stays else "ABANDON"})
    given = {"newState": new} if op == "replace" else {}
    steps = digest(step(), step("two", op, oldState=old, **given))
    preview = pulumi_files.read(put(tmp_path, steps))
    left = "two (kept by deletionPolicy: ABANDON)"

    assert (left in [resource.name for resource in preview.resources]) == stays
    assert [leaving.urn for leaving in preview.leaving] == ([] if stays else [old["urn"]])
    assert any("not deleted (deletionPolicy: ABANDON)" in each for each in preview.notes) == stays


@pytest.mark.parametrize("op", ["read", "read-replacement", "discard", "remove-pending-replace"])
def test_what_the_stack_only_reads_is_out(tmp_path, op):
    read = step("two", op, newState=entry("two", external=True))
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(), read))).resources
    assert resource.name == "one"


@pytest.mark.parametrize(("retained", "stands"), [(True, True), (False, False)])
def test_what_a_failed_update_left_to_a_new_one_stands_on(tmp_path, retained, stands):
    old = entry("two", id="i-2", retainOnDelete=retained, pendingReplacement=True)
    steps = [step(), {"op": "remove-pending-replace", "urn": urn("two"), "oldState": old}]
    shown = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert ("two (kept by retainOnDelete)" in [each.name for each in shown]) is stands


def test_what_is_external_is_out(tmp_path):
    made = step("two", "same", newState=entry("two", external=True))
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(), made))).resources
    assert resource.name == "one"


def test_a_preview_that_only_deletes_shows_what_goes(tmp_path):
    preview = pulumi_files.read(put(tmp_path, digest(step("two", "delete"))))
    assert (preview.resources, len(preview.leaving)) == ((), 1)


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
