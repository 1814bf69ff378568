import json
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from gpuinfra.components.args import Checkpoints, Mount, TrainingArgs
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.components.training import TrainingCluster, TrainingNode

REGION = "us-central1"
OWN = Network(
    vpc_id="projects/host/global/networks/lab",
    subnet_ids=["projects/host/regions/us-central1/subnetworks/lab"],
)
EVERYTHING = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]
MACHINES = {
    "a3-highgpu-8g": (5, 8244, "pd-ssd"),
    "a3-megagpu-8g": (9, 8244, "pd-ssd"),
    "a3-ultragpu-8g": (10, 8896, "hyperdisk-balanced"),
}


def cluster(
    *, args: dict[str, Any] | None = None, opts: pulumi.ResourceOptions | None = None, **more: Any
) -> TrainingCluster:
    """A cluster that uses everything."""
    given = {
        "cloud": "gcp",
        "region": REGION,
        "instance": "a3-ultragpu-8g",
        "nodes": 2,
        "capacity": "spot",
        "duration": "4h",
        "data": [Mount(bucket="data", prefix="tokens/"), Mount(bucket="data")],
        "checkpoints": Checkpoints(bucket="data"),
        "command": "gpuinfra-torchrun train.py",
        "disk": {"size": "500GB", "iops": 6000, "throughput": 500},
        "owner": "ML Platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "tokens-bucket"})
    return TrainingCluster("trainer", TrainingArgs(**given), opts=opts, **more)


def plain(machine: str, **args: Any) -> TrainingCluster:
    """A cluster of a machine type, with the disk that it takes."""
    return cluster(args={"instance": machine, "disk": "500GB", **args})


def node(*, gpu: str = "L4:1", **args: Any) -> TrainingNode:
    return TrainingNode("dev", TrainingArgs(cloud="gcp", region=REGION, gpu=gpu, **args))


def of_type(seen: Any, kind: str) -> list[Any]:
    return [resource for resource in seen.resources if resource.type.endswith(f":{kind}")]


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


@pytest.mark.parametrize("machine", MACHINES)
def test_every_plane_of_the_fabric_is_a_network_of_its_own(record, machine: str) -> None:
    interfaces, mtu, disk = MACHINES[machine]
    seen = record(lambda: plain(machine))
    template = seen.of("trainer-template").inputs
    nics = template["networkInterfaces"]
    network_of = {
        subnetwork.outputs["id"]: subnetwork.inputs["network"]
        for subnetwork in of_type(seen, "Subnetwork")
    }
    plain_nics = [network_of[nic["subnetwork"]] for nic in nics if nic["nicType"] == "GVNIC"]

    assert len(nics) == interfaces
    assert len(set(plain_nics)) == len(plain_nics)
    assert len({nic["subnetwork"] for nic in nics}) == interfaces
    assert {network.inputs["mtu"] for network in of_type(seen, "Network")} == {mtu}
    assert not any("accessConfigs" in nic for nic in nics)
    assert template["disks"][0]["diskType"] == disk


def test_rdma_interfaces_stand_in_the_one_network_of_the_zones_profile(record) -> None:
    seen = record(cluster)
    (rdma,) = [
        network for network in of_type(seen, "Network") if "networkProfile" in network.inputs
    ]
    nics = seen.of("trainer-template").inputs["networkInterfaces"]
    network_of = {
        subnetwork.outputs["id"]: subnetwork.inputs["network"]
        for subnetwork in of_type(seen, "Subnetwork")
    }
    fabric = [network_of[nic["subnetwork"]] for nic in nics if nic["nicType"] == "MRDMA"]
    profile = f"projects/my-project/global/networkProfiles/{REGION}-b-vpc-roce"

    assert rdma.inputs["networkProfile"] == profile
    assert fabric == [rdma.outputs["id"]] * 8
    # Such a network takes no firewall and no address of Google's services.
    assert rdma.outputs["id"] not in [
        firewall.inputs["network"] for firewall in of_type(seen, "Firewall")
    ]
    assert {
        "privateIpGoogleAccess" in subnetwork.inputs
        for subnetwork in of_type(seen, "Subnetwork")
        if subnetwork.inputs["network"] == rdma.outputs["id"]
    } == {False}


def test_machines_talk_within_every_network_and_nobody_logs_in_from_the_world(record) -> None:
    seen = record(lambda: plain("a3-megagpu-8g"))
    subnets = {
        subnetwork.inputs["network"]: subnetwork.inputs["ipCidrRange"]
        for subnetwork in of_type(seen, "Subnetwork")
    }
    inside = {
        firewall.inputs["network"]: firewall.inputs["sourceRanges"]
        for firewall in of_type(seen, "Firewall")
        if firewall.inputs["allows"] == EVERYTHING
    }
    others = [
        firewall
        for firewall in of_type(seen, "Firewall")
        if firewall.inputs["allows"] != EVERYTHING
    ]

    assert inside == {network: [cidr] for network, cidr in subnets.items()}
    assert [other.inputs["sourceRanges"] for other in others] == [["35.235.240.0/20"]]
    assert [other.inputs["allows"] for other in others] == [[{"protocol": "tcp", "ports": ["22"]}]]


def test_a_single_machine_has_no_peers(record) -> None:
    seen = record(node)

    assert [firewall.name for firewall in of_type(seen, "Firewall")] == ["dev-login-firewall"]
    assert not of_type(seen, "IAMMember")


def test_a_single_machine_with_a_fabric_is_open_to_itself(record) -> None:
    args = TrainingArgs(cloud="gcp", region=REGION, instance="a3-highgpu-8g", fabric="required")
    seen = record(lambda: TrainingNode("dev", args))

    assert seen.of("dev-peers-firewall").inputs["sourceRanges"] == [
        seen.of("dev-main-subnet").inputs["ipCidrRange"]
    ]


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


def test_callers_network_is_used_and_only_planes_are_made(record) -> None:
    seen = record(lambda: cluster(network=OWN))
    nics = seen.of("trainer-template").inputs["networkInterfaces"]
    email = seen.of("trainer-account").outputs["email"]
    peers = seen.of("trainer-peers-firewall").inputs
    login = seen.of("trainer-login-firewall").inputs

    assert nics[0]["subnetwork"] == OWN.subnet_ids[0]
    assert {network.name for network in of_type(seen, "Network")} == {
        "trainer-host-1-network",
        "trainer-rdma-network",
    }
    assert not of_type(seen, "RouterNat")
    assert (peers["network"], peers["allows"]) == (OWN.vpc_id, EVERYTHING)
    assert peers["sourceServiceAccounts"] == peers["targetServiceAccounts"] == [email]
    assert login["targetServiceAccounts"] == [email]


def test_the_fabric_does_not_leave_one_subnet(record) -> None:
    wide = Network(vpc_id="lab", subnet_ids=["a", "b"])

    with pytest.raises(ProgramError, match=r"trainer: the network has 2 subnets.*one subnet"):
        record(lambda: cluster(network=wide))


def test_labels_reach_everything_that_takes_them(record) -> None:
    seen = record(lambda: cluster(tags={"cost-center": "42"}))
    ours = {
        "cost-center": "42",
        "gpuinfra-owner": "ml-platform",
        "gpuinfra-stack": "project",
        "gpuinfra-workload": "trainer",
    }
    labelled = [resource for resource in seen.resources if "labels" in resource.inputs]

    assert {resource.name for resource in labelled} == {"trainer-nat-address", "trainer-template"}
    assert all(resource.inputs["labels"] == ours for resource in labelled)
    assert seen.of("trainer-template").inputs["disks"][0]["labels"] == ours


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"gpuinfra-owner": "evil"}, r"the label 'gpuinfra-owner' is reserved"),
        ({"Team": "a"}, r"the tag 'Team' is not a valid Google Cloud label.*use team"),
        ({"9": "a"}, r"the tag '9' is not a valid Google Cloud label.*use x-9"),
        (
            {"team": "R & D"},
            (
                r"the value of the tag 'team' is not a valid Google Cloud label value.*"
                r"given R & D.*use r-d"
            ),
        ),
        (["evil"], r"tags does not accept list; allowed: a mapping"),
    ],
)
def test_tags_that_are_no_labels_are_said(record, tags: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"trainer: {message}"):
        record(lambda: cluster(tags=tags))


def test_callers_provider_reaches_every_child_and_look_up(record) -> None:
    def program() -> None:
        provider = gcp.Provider("mine", project="my-project", region=REGION)
        cluster(opts=pulumi.ResourceOptions(provider=provider))

    seen = record(program)
    children = [resource for resource in seen.resources if resource.type.startswith("gcp:")]

    assert len(children) > 20
    assert {"pulumi:providers:gcp::mine" in resource.provider for resource in children} == {True}


def test_callers_protection_and_transformations_reach_every_child(record) -> None:
    def shout(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != "gcp:compute/network:Network":
            return None
        return pulumi.ResourceTransformationResult({**args.props, "description": "!"}, args.opts)

    options = pulumi.ResourceOptions(protect=True, transformations=[shout])
    seen = record(lambda: cluster(opts=options))

    assert all(resource.protect for resource in seen.resources)
    assert {network.inputs.get("description") for network in of_type(seen, "Network")} == {"!"}


def test_children_are_customised_by_name(record) -> None:
    changes = {
        "template": {"labels": {"team": "a"}, "min_cpu_platform": "Intel Sapphire Rapids"},
        "group": {"description": "ours"},
        "rdma_network": {"mtu": 4096},
    }
    seen = record(lambda: cluster(customize=changes))
    template = seen.of("trainer-template").inputs

    assert template["labels"]["gpuinfra-workload"] == "trainer"
    assert (template["labels"]["team"], template["minCpuPlatform"]) == (
        "a",
        "Intel Sapphire Rapids",
    )
    assert seen.of("trainer-group").inputs["description"] == "ours"
    assert seen.of("trainer-rdma-network").inputs["mtu"] == 4096


def test_children_that_are_not_there_are_said(record) -> None:
    with pytest.raises(ProgramError, match=r"unknown child 'launch_template'.*template"):
        record(lambda: cluster(customize={"launch_template": {}}))
    with pytest.raises(ProgramError, match=r"no argument 'machine_typ'.*machine_type"):
        record(lambda: cluster(customize={"template": {"machine_typ": "x"}}))


def test_outputs_are_the_same_words_on_every_cloud(record) -> None:
    seen: list[Any] = []
    record(lambda: pulumi.Output.all(**cluster().pulumi_outputs()).apply(seen.append))
    (shown,) = seen

    assert shown["identity"].endswith("@my-project.iam.gserviceaccount.com")
    assert "/instanceTemplates/trainer-template-" in shown["templateId"]
    assert shown["groupName"].startswith("trainer-group-")
    assert json.dumps(shown).count("None") == 0
