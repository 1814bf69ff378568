"""What Google Cloud refuses because of what else stands, and what no deletion may break."""

from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra import sandbox
from gpuinfra.sandbox.faults import InjectedFault
from gpuinfra.sandbox.plugin.contract import (
    CloudRefusalError,
    PartialCreateError,
)
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings
from tests.sandbox.plugin.gcp.conftest import target_of

Make = Callable[..., tuple[str, dict[str, Any]]]
SPOT = {"provisioningModel": "SPOT", "automaticRestart": False}
DISK = {"boot": True, "sourceImage": "debian-cloud/debian-12"}
ZONE = "us-central1-a"
PROFILE = f"projects/town/global/networkProfiles/{ZONE}-vpc-roce"


def template(make: Make, name: str = "shape", **inputs: Any) -> str:
    given = {"machineType": "e2-small", "disks": [DISK], **inputs}
    return str(make("compute.InstanceTemplate", name, **given)[1]["selfLinkUnique"])


def group(make: Make, shape: str, name: str = "group", **inputs: Any) -> tuple[str, Any]:
    given = {"baseInstanceName": "m", "versions": [{"instanceTemplate": shape}], **inputs}
    return make("compute.InstanceGroupManager", name, **given)


def network(make: Make, name: str = "net", **inputs: Any) -> str:
    return make("compute.Network", name, autoCreateSubnetworks=False, **inputs)[0]


def test_ranges_of_a_network_do_not_overlap(make: Make) -> None:
    net, other = network(make), network(make, "other")
    inside = {"network": net, "ipCidrRange": "10.0.8.0/24", "region": "europe-west4"}
    make("compute.Subnetwork", "one", network=net, ipCidrRange="10.0.0.0/20")

    with pytest.raises(CloudRefusalError, match="conflicts with existing subnetwork 'one'"):
        make("compute.Subnetwork", "two", **inside)
    make("compute.Subnetwork", "three", **{**inside, "network": other})


def test_an_rdma_network_takes_its_own_region_and_interfaces_only(make: Make) -> None:
    roce, plain = network(make, "roce", networkProfile=PROFILE), network(make)
    with pytest.raises(CloudRefusalError, match=f"resource creation in location {ZONE}"):
        make(
            "compute.Subnetwork",
            "far",
            network=roce,
            ipCidrRange="10.1.0.0/24",
            region="europe-west4",
        )
    subnet, _ = make("compute.Subnetwork", "near", network=roce, ipCidrRange="10.1.0.0/24")

    with pytest.raises(CloudRefusalError, match="accepts only MRDMA interfaces, not GVNIC"):
        template(make, networkInterfaces=[{"subnetwork": subnet, "nicType": "GVNIC"}])
    with pytest.raises(CloudRefusalError, match="needs a network with an RDMA network profile"):
        template(make, networkInterfaces=[{"network": plain, "nicType": "MRDMA"}])


def test_machines_stand_in_the_zone_of_their_rdma_network(make: Make) -> None:
    roce = network(make, "roce", networkProfile=PROFILE)
    nic = {"network": roce, "nicType": "MRDMA"}
    shape = template(make, networkInterfaces=[nic])

    with pytest.raises(CloudRefusalError, match=f"in location {ZONE}"):
        group(make, shape, zone="us-central1-b")
    group(make, shape, zone=ZONE)


def test_a_machine_type_stands_where_it_is_offered(make: Make) -> None:
    shape = template(
        make, machineType="a3-ultragpu-8g", scheduling={"onHostMaintenance": "TERMINATE"}
    )

    with pytest.raises(CloudRefusalError, match="'a3-ultragpu-8g' does not exist in zone 'africa"):
        group(make, shape, zone="africa-south1-a")


@pytest.mark.parametrize(
    ("policy", "inputs", "message"),
    [
        ({"maxDistance": 1}, {}, "does not support a maxDistance of 1"),
        ({}, {"zone": "europe-west4-b"}, "is in region 'us-central1', the machines are not"),
    ],
)
def test_compact_placement(
    policy: dict[str, Any], inputs: dict[str, Any], message: str, make: Make
) -> None:
    compact = {"collocation": "COLLOCATED", **policy}
    close, _ = make("compute.ResourcePolicy", "close", groupPlacementPolicy=compact)
    shape = template(
        make,
        machineType="a3-highgpu-8g",
        scheduling={"onHostMaintenance": "TERMINATE"},
        resourcePolicies=close,
    )

    with pytest.raises(CloudRefusalError, match=message):
        group(make, shape, **{"zone": ZONE, **inputs})


def test_a_compact_group_stands_in_one_zone(make: Make) -> None:
    compact = {"collocation": "COLLOCATED"}
    close, _ = make("compute.ResourcePolicy", "close", groupPlacementPolicy=compact)
    shape = template(make, resourcePolicies=close)

    with pytest.raises(CloudRefusalError, match="' requires one zone; the group may use"):
        make(
            "compute.RegionInstanceGroupManager",
            "wide",
            baseInstanceName="m",
            versions=[{"instanceTemplate": shape}],
        )


def test_a_group_takes_resize_requests_or_an_autoscaler(make: Make) -> None:
    managed, _ = group(make, template(make))
    make("compute.ResizeRequest", "more", instanceGroupManager="group", resizeBy=1)

    with pytest.raises(CloudRefusalError, match="has resize requests"):
        make(
            "compute.Autoscaler",
            "auto",
            target=managed,
            autoscalingPolicy={"minReplicas": 0, "maxReplicas": 1},
        )


def test_a_subnet_has_so_many_addresses(make: Make) -> None:
    net = network(make)
    subnet, _ = make("compute.Subnetwork", "tiny", network=net, ipCidrRange="10.0.0.0/30")

    with pytest.raises(CloudRefusalError, match="IP_SPACE_EXHAUSTED"):
        make(
            "compute.Instance",
            "vm",
            machineType="e2-small",
            bootDisk={},
            networkInterfaces=[{"subnetwork": subnet}],
        )


def test_more_networks_need_a_cluster_for_them(make: Make) -> None:
    make("container.Cluster", "plain", location="us-central1")

    with pytest.raises(CloudRefusalError, match="enableMultiNetworking"):
        make(
            "container.NodePool",
            "gpus",
            cluster="plain",
            location="us-central1",
            networkConfig={"additionalNodeNetworkConfigs": [{"network": "n"}]},
        )


def test_a_name_is_taken_within_its_place(make: Make) -> None:
    make("compute.Disk", "data")
    make("compute.Disk", "data", zone="us-central1-b")

    with pytest.raises(CloudRefusalError) as caught:
        make("compute.Disk", "data")

    assert caught.value.code == "alreadyExists"
    assert "projects/town/zones/us-central1-a/disks/data" in caught.value.message


def test_a_buckets_name_is_taken_everywhere(make: Make, resources: Resources) -> None:
    make("storage.Bucket", "data", location="EU")
    resources.settings = ProviderSettings(account={"project": "other"})

    with pytest.raises(CloudRefusalError, match="not available"):
        make("storage.Bucket", "data", location="US")


def test_what_is_used_is_not_deleted(make: Make, resources: Resources) -> None:
    net = network(make)
    subnet, values = make("compute.Subnetwork", "sub", network=net, ipCidrRange="10.0.0.0/24")

    with pytest.raises(CloudRefusalError) as caught:
        resources.delete(target_of("compute.Network", "net"), net, {"name": "net"})

    assert caught.value.code == "resourceInUseByAnotherResource"
    assert f"already being used by '{subnet}'" in caught.value.message
    resources.delete(target_of("compute.Subnetwork", "sub"), subnet, values)
    resources.delete(target_of("compute.Network", "net"), net, {"name": "net"})
    assert resources.ledger.all() == []


def test_a_group_behind_a_load_balancer_is_used(make: Make, resources: Resources) -> None:
    managed, values = group(make, template(make))
    make("compute.BackendService", "back", backends=[{"group": values["instanceGroup"]}])

    with pytest.raises(CloudRefusalError, match="backendServices/back"):
        resources.delete(target_of("compute.InstanceGroupManager", "group"), managed, values)


@pytest.mark.parametrize("protection", [{"deletionProtection": True}, {}])
def test_a_cluster_is_protected_unless_it_says_not(
    protection: dict[str, Any], make: Make, resources: Resources
) -> None:
    cluster, values = make("container.Cluster", "c", location="us-central1", **protection)

    with pytest.raises(CloudRefusalError, match="set deletionProtection to false"):
        resources.delete(target_of("container.Cluster", "c"), cluster, values)


def test_a_running_machine_is_stopped_only_where_that_is_allowed(
    make: Make, resources: Resources
) -> None:
    small = {"name": "vm", "machineType": "e2-small", "bootDisk": {}, "networkInterfaces": []}
    machine, values = make("compute.Instance", **small)
    target = target_of("compute.Instance", "vm")
    larger = {**small, "machineType": "e2-medium"}

    with pytest.raises(CloudRefusalError, match="Changing machineType on a started instance"):
        resources.update(target, machine, larger, values, small)
    stopped = {**larger, "allowStoppingForUpdate": True}
    assert resources.update(target, machine, stopped, values, small)["machineType"] == "e2-medium"
    labelled = {**larger, "labels": {"a": "b"}}
    assert resources.update(target, machine, labelled, values, larger)["labels"] == {"a": "b"}


def test_a_resource_without_project_or_zone_is_refused(make: Make, resources: Resources) -> None:
    resources.settings = ProviderSettings()

    with pytest.raises(
        CloudRefusalError, match=r"project: required field is not set.*gcp:project"
    ):
        make("compute.Network", "net")
    with pytest.raises(CloudRefusalError, match="zone: required field is not set"):
        make("compute.Disk", "data", project="town")


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("no-capacity", "ZONE_RESOURCE_POOL_EXHAUSTED", "us-central1-a"),
        ("quota", "QUOTA_EXCEEDED", "'PREEMPTIBLE_NVIDIA_L4_GPUS' exceeded"),
    ],
)
def test_a_fault_refuses_a_machine_by_its_cause(
    kind: str, code: str, message: str, make: Make
) -> None:
    sandbox.faults.add(InjectedFault(kind=kind, instance_type="g2-standard-4", capacity="spot"))

    with pytest.raises(CloudRefusalError) as caught:
        make(
            "compute.Instance",
            "vm",
            machineType="g2-standard-4",
            scheduling=SPOT,
            bootDisk={},
            networkInterfaces=[],
        )

    assert caught.value.code == code
    assert message in caught.value.message


@pytest.mark.parametrize("kind", ["no-capacity", "quota", "launches-fail"])
def test_a_group_exists_whose_machines_are_waited_for_in_vain(kind: str, make: Make) -> None:
    shape = template(make, machineType="g2-standard-4", scheduling=SPOT)
    sandbox.faults.add(InjectedFault(kind=kind, instance_type="g2-standard-4", capacity="spot"))

    group(make, shape, "patient", targetSize=1)
    with pytest.raises(PartialCreateError, match=r"'created' \(last state: 'creating'") as caught:
        group(make, shape, "waiting", targetSize=1, waitForInstances=True)

    assert caught.value.resource_id.endswith("/instanceGroupManagers/waiting")
    assert caught.value.outputs["targetSize"] == 1


@pytest.mark.parametrize(
    ("fault", "struck"),
    [
        ({"zone": "us-central1-a"}, True),
        ({"zone": "us-central1-b"}, False),
        ({"instance_type": "e2-medium"}, False),
        ({"type": "gcp:compute/disk:Disk"}, False),
        ({"capacity": "spot"}, False),
    ],
)
def test_a_fault_strikes_what_it_is_about(fault: dict[str, str], struck: bool, make: Make) -> None:
    sandbox.faults.add(InjectedFault(kind="no-capacity", **fault))
    inputs = {"machineType": "e2-small", "bootDisk": {}, "networkInterfaces": []}

    if struck:
        with pytest.raises(CloudRefusalError, match="ZONE_RESOURCE_POOL_EXHAUSTED"):
            make("compute.Instance", "vm", **inputs)
    else:
        make("compute.Instance", "vm", **inputs)


def test_throttling_is_retried_and_then_refused(make: Make, monkeypatch: Any) -> None:
    monkeypatch.setattr("gpuinfra.sandbox.plugin.attempts._PAUSE_SECONDS", 0.0)
    sandbox.faults.add(InjectedFault(kind="throttling", times=2))
    network(make)
    sandbox.faults.add(InjectedFault(kind="throttling", times=9))

    with pytest.raises(CloudRefusalError, match="rateLimitExceeded"):
        network(make, "again")


def test_a_custom_role_must_exist_before_it_is_granted(make: Make) -> None:
    member = make("serviceaccount.Account", "who")[1]["member"]
    role = make("projects.IAMCustomRole", "peers", title="r", permissions=["p"])[1]["name"]
    grant = {"project": "town", "member": member}

    make("projects.IAMMember", "granted", role=role, **grant)
    with pytest.raises(CloudRefusalError, match="Role projects/town/roles/gone does not exist"):
        make("projects.IAMMember", "lost", role="projects/town/roles/gone", **grant)


@pytest.mark.parametrize("kind", ["compute.Instance", "compute.InstanceTemplate"])
def test_gpus_that_would_be_migrated_are_refused_at_the_create(make: Make, kind: str) -> None:
    inputs = (
        {"disks": [DISK]}
        if kind == "compute.InstanceTemplate"
        else {
            "zone": ZONE,
            "bootDisk": {"initializeParams": {"image": "debian-cloud/debian-12"}},
            "networkInterfaces": [{"network": "default"}],
        }
    )
    with pytest.raises(CloudRefusalError, match=r"resource\.scheduling\.onHostMaintenance"):
        make(kind, "trainer", machineType="a3-highgpu-8g", **inputs)
