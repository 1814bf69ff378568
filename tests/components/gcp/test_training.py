"""Machines for training on Google Cloud: their template, their group and their rights."""

import pytest

from gpuinfra.components.args import Mount
from gpuinfra.components.messages import ProgramError
from tests.components.gcp.training_clusters import REGION, cluster, node, of_type, plain


def test_cluster_is_the_golden_one(record, golden) -> None:
    golden("gcp-training-cluster", record(cluster).golden())


def test_node_is_the_golden_one(record, golden) -> None:
    golden("gcp-training-node", record(node).golden())


@pytest.mark.parametrize(
    ("machine", "figures"),
    [("a3-ultragpu-8g", [3000, 140]), ("a3-highgpu-8g", [None, None])],
)
def test_a_disk_has_the_included_figures_where_none_is_chosen(record, machine, figures) -> None:
    (template,) = of_type(record(lambda: plain(machine)), "InstanceTemplate")
    (disk,) = template.inputs["disks"]
    keys = ("provisionedIops", "provisionedThroughput")
    assert [disk.get(key) for key in keys] == figures


def test_every_child_stands_under_the_component(record) -> None:
    seen = record(cluster)
    (component,) = [
        resource for resource in seen.resources if resource.type.startswith("gpuinfra:")
    ]

    assert component.parent == ""
    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }
    assert all(
        resource.name.startswith("trainer-")
        for resource in seen.resources
        if resource is not component
    )


def test_everything_that_has_a_place_says_it(record) -> None:
    regional = (
        "Address",
        "InstanceTemplate",
        "ResourcePolicy",
        "Router",
        "RouterNat",
        "Subnetwork",
    )
    seen = record(cluster)

    for kind in regional:
        assert {resource.inputs["region"] for resource in of_type(seen, kind)} == {REGION}, kind
    assert seen.of("trainer-group").inputs["zone"] == f"{REGION}-b"


def test_start_script_names_the_buckets_of_the_cloud(record) -> None:
    script = record(cluster).of("trainer-template").inputs["metadataStartupScript"]

    assert "mount_bucket /data/data-tokens tokens-bucket tokens/ read" in script
    assert "mount_bucket /checkpoints tokens-bucket checkpoints/ write" in script
    assert "GPUINFRA_NODES=2" in script
    assert "gpuinfra-torchrun train.py" in script


def test_machines_on_demand_are_kept_and_restart_where_they_may(record) -> None:
    placed = record(lambda: plain("a3-highgpu-8g", capacity="on-demand")).of("trainer-template")
    single = record(node).of("dev-template")
    common = {
        "provisioningModel": "STANDARD",
        "preemptible": False,
        "onHostMaintenance": "TERMINATE",
    }

    assert placed.inputs["scheduling"] == {**common, "automaticRestart": False}
    assert single.inputs["scheduling"] == {**common, "automaticRestart": True}


def test_spot_machines_are_deleted_and_made_again(record) -> None:
    seen = record(cluster)

    assert seen.of("trainer-template").inputs["scheduling"] == {
        "provisioningModel": "SPOT",
        "preemptible": True,
        "automaticRestart": False,
        "onHostMaintenance": "TERMINATE",
        "instanceTerminationAction": "DELETE",
    }


def test_a_machine_that_is_made_again_takes_todays_template(record) -> None:
    """https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair"""
    for group in (record(cluster).of("trainer-group"), record(node).of("dev-group")):
        assert group.inputs["instanceLifecyclePolicy"] == {"forceUpdateOnRepair": "YES"}


def test_a_fabric_is_placed_close_together_and_nothing_else_is(record) -> None:
    seen = record(cluster)
    policy = seen.of("trainer-placement")

    assert policy.inputs["groupPlacementPolicy"] == {"collocation": "COLLOCATED"}
    assert seen.of("trainer-template").inputs["resourcePolicies"] == policy.outputs["selfLink"]
    assert not of_type(record(node), "ResourcePolicy")


def test_an_update_waits_for_the_machines_and_never_breaks_up_a_run(record) -> None:
    group = record(cluster).of("trainer-group")

    assert (group.inputs["targetSize"], group.inputs["waitForInstances"]) == (2, True)
    assert group.inputs["updatePolicy"]["type"] == "OPPORTUNISTIC"
    assert group.inputs["updatePolicy"]["maxSurgeFixed"] == 0


def test_another_machine_or_market_makes_the_group_anew_and_deletes_first(record) -> None:
    options = record(cluster).of("trainer-group").options

    assert options == {
        "deleteBeforeReplace": True,
        "replacementTrigger": ["a3-ultragpu-8g", "spot"],
        "timeouts": {"create": "10m", "update": "10m"},
    }


def test_gpus_are_attached_where_the_type_has_none_of_its_own(record) -> None:
    attached = record(lambda: node(gpu="T4:2")).of("dev-template").inputs
    built_in = record(node).of("dev-template").inputs

    assert attached["machineType"].startswith("n1-standard-")
    assert attached["guestAccelerators"] == [{"type": "nvidia-tesla-t4", "count": 2}]
    assert built_in["machineType"].startswith("g2-standard-")
    assert "guestAccelerators" not in built_in


def test_the_machine_is_shielded_and_logs_in_through_iam(record) -> None:
    template = record(cluster).of("trainer-template").inputs
    account = record(cluster).of("trainer-account")

    assert template["shieldedInstanceConfig"]["enableVtpm"] is True
    assert template["shieldedInstanceConfig"]["enableIntegrityMonitoring"] is True
    assert template["metadata"] == {
        "enable-oslogin": "TRUE",
        "block-project-ssh-keys": "TRUE",
        "serial-port-enable": "FALSE",
    }
    assert template["serviceAccount"]["email"] == account.outputs["email"]


def test_the_account_holds_what_it_uses_and_nothing_else(record) -> None:
    seen = record(cluster)
    project = {member.name: member.inputs["role"] for member in of_type(seen, "IAMMember")}
    parts = {
        (member.inputs["role"], member.inputs.get("condition", {}).get("expression"))
        for member in of_type(seen, "BucketIAMMember")
    }

    (role,) = of_type(seen, "IAMCustomRole")
    assert role.inputs["permissions"] == ["compute.instanceGroupManagers.get"]
    assert project == {"trainer-peers": "projects/my-project/roles/trainer_account_0a1b2c3_peers"}
    assert {member.inputs["bucket"] for member in of_type(seen, "BucketIAMMember")} == {
        "tokens-bucket"
    }
    assert parts == {
        ("roles/storage.objectViewer", None),
        ("roles/storage.objectViewer", only("tokens/")),
        ("roles/storage.objectUser", only("checkpoints/")),
    }


def only(prefix: str) -> str:
    return (
        f'resource.name.startsWith("projects/_/buckets/tokens-bucket/objects/{prefix}") || '
        f'api.getAttribute("storage.googleapis.com/objectListPrefix", "").startsWith("{prefix}")'
    )


def test_rights_keep_their_names_when_mounts_change_places(record) -> None:
    mounts = [Mount(bucket="data"), Mount(bucket="data", prefix="tokens/")]
    names = [name["name"] for name in record(cluster).names()]

    assert [
        name["name"] for name in record(lambda: cluster(args={"data": mounts})).names()
    ] == names


def test_the_public_image_is_pinned_by_project_and_family(record) -> None:
    seen = record(cluster)
    (pin,) = of_type(seen, "Stash")
    (lookup,) = [args for token, args in seen.calls if token.endswith(":getImage")]

    assert pin.options == {"ignoreChanges": ["input"]}
    assert set(lookup) == {"project", "family"}
    assert seen.of("trainer-template").inputs["disks"][0]["sourceImage"] == pin.outputs["output"]


def test_nothing_else_ignores_changes(record) -> None:
    ignoring = [
        resource.type
        for resource in record(cluster).resources
        if "ignoreChanges" in resource.options
    ]

    assert ignoring == ["pulumi:index:Stash"]


def test_own_image_is_taken_as_it_is_and_boots_without_the_check(record) -> None:
    seen = record(lambda: node(machine_image="projects/lab/global/images/cuda-1"))
    template = seen.of("dev-template").inputs

    assert template["disks"][0]["sourceImage"] == "projects/lab/global/images/cuda-1"
    assert template["shieldedInstanceConfig"]["enableSecureBoot"] is False
    assert not of_type(seen, "Stash")


def test_own_family_is_pinned_too(record) -> None:
    seen = record(lambda: node(machine_image="projects/lab/global/images/family/cuda"))

    assert of_type(seen, "Stash")
    assert ("gcp:compute/getImage:getImage", {"project": "lab", "family": "cuda"}) in seen.calls


def test_an_image_that_is_no_image_of_the_cloud(record) -> None:
    with pytest.raises(ProgramError, match=r"is not a Google Cloud image.*family"):
        record(lambda: node(machine_image="ubuntu-22.04"))
