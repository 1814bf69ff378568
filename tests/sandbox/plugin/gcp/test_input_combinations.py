"""Combinations that Google Cloud demands or forbids, read off one resource's inputs."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin.gcp import input_combinations, machines
from gpuinfra.sandbox.plugin.gcp import scheduling as settings
from gpuinfra.sandbox.plugin.wire import UNKNOWN

TERMINATE = {"onHostMaintenance": "TERMINATE"}
SPOT = {"provisioningModel": "SPOT", "automaticRestart": False}
FLEX = {
    "provisioningModel": "FLEX_START",
    "automaticRestart": False,
    "instanceTerminationAction": "DELETE",
    "maxRunDuration": {"seconds": 3600},
}
T4 = [{"type": "nvidia-tesla-t4", "count": 1}]
INSTANCE = "compute/instance:Instance"
TEMPLATE = "compute/instanceTemplate:InstanceTemplate"
NAT = "compute/routerNat:RouterNat"
ALL = {"sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES"}


def paths(kind: str, inputs: dict[str, Any]) -> list[str]:
    return [failure.path for failure in input_combinations.problems(f"gcp:{kind}", inputs)]


def at_create(inputs: dict[str, Any]) -> list[str]:
    """What the cloud refuses of a machine's settings, which no preview looks at."""
    assert paths(INSTANCE, inputs) == []
    return [failure.path for failure in settings.problems(inputs)]


@pytest.mark.parametrize(
    ("machine", "scheduling", "more", "refused"),
    [
        ("n1-standard-8", {**TERMINATE}, {"guestAccelerators": T4}, ""),
        ("n1-standard-8", {}, {"guestAccelerators": T4}, "scheduling.onHostMaintenance"),
        ("n1-standard-8", {}, {"guestAccelerators": [{**T4[0], "count": 0}]}, ""),
        ("a3-highgpu-8g", {"onHostMaintenance": "MIGRATE"}, {}, "scheduling.onHostMaintenance"),
        ("a3-highgpu-8g", {"onHostMaintenance": UNKNOWN}, {}, ""),
        ("a3-highgpu-8g", SPOT, {}, ""),
        ("g2-standard-4", {"provisioningModel": "SPOT"}, {}, "scheduling.automaticRestart"),
        ("e2-small", {"preemptible": True}, {}, "scheduling.automaticRestart"),
        ("e2-small", {**SPOT, "automaticRestart": True}, {}, "scheduling.automaticRestart"),
        ("e2-small", {}, {}, ""),
        ("e2-small", TERMINATE, {"guestAccelerators": T4}, "guestAccelerators"),
        ("a2-highgpu-1g", TERMINATE, {"guestAccelerators": T4}, "guestAccelerators"),
        (
            "g2-standard-48",
            TERMINATE,
            {"guestAccelerators": [{"type": "nvidia-l4", "count": 4}]},
            "",
        ),
        ("a3-ultragpu-8g", {**FLEX, **TERMINATE}, {}, ""),
        ("a2-highgpu-1g", {**FLEX, "maxRunDuration": {"seconds": 60}}, {}, "scheduling.maxRun"),
        ("a2-highgpu-1g", {**FLEX, "maxRunDuration": None}, {}, "scheduling.maxRunDuration"),
        (
            "a2-highgpu-1g",
            {**FLEX, "instanceTerminationAction": "STOP"},
            {},
            "scheduling.instanceTerminationAction",
        ),
        (
            "a2-highgpu-1g",
            SPOT,
            {"reservationAffinity": {"type": "SPECIFIC_RESERVATION"}},
            "reservationAffinity.type",
        ),
        ("p5.48xlarge", {}, {}, "machineType"),
        ("Standard_ND96isr_H100_v5", {}, {}, "machineType"),
        ("zones/us-central1-a/machineTypes/n2-custom-4-8192-ext", {}, {}, ""),
        (UNKNOWN, UNKNOWN, {"guestAccelerators": UNKNOWN}, ""),
    ],
)
def test_a_machines_settings(
    machine: Any, scheduling: Any, more: dict[str, Any], refused: str
) -> None:
    failing = at_create({"machineType": machine, "scheduling": scheduling, **more})

    assert len(failing) == bool(refused)
    assert all(path.startswith(refused) for path in failing)


@pytest.mark.parametrize(
    ("machine", "disk", "refused"),
    [
        ("a3-ultragpu-8g", "pd-ssd", True),
        ("a3-ultragpu-8g", "hyperdisk-balanced", False),
        ("a3-megagpu-8g", "pd-ssd", False),
        ("a4-highgpu-8g", "pd-balanced", True),
    ],
)
def test_newer_machines_take_no_persistent_disks(machine: str, disk: str, refused: bool) -> None:
    common = {"machineType": machine, "scheduling": TERMINATE}
    boot = {"bootDisk": {"initializeParams": {"type": disk}}}
    failing = at_create({**common, **boot})
    template = at_create({**common, "disks": [{"diskType": disk}]})

    assert failing == (["bootDisk.initializeParams.type"] if refused else [])
    assert template == (["disks[0].diskType"] if refused else [])


@pytest.mark.parametrize(
    ("kind", "inputs", "refused"),
    [
        (TEMPLATE, {"name": "a", "namePrefix": "b"}, "namePrefix"),
        ("compute/network:Network", {"mtu": 9000}, "mtu"),
        ("compute/network:Network", {"mtu": 8896}, ""),
        ("compute/subnetwork:Subnetwork", {}, "ipCidrRange"),
        ("compute/subnetwork:Subnetwork", {"ipCidrRange": "10.0.0.1/24"}, "ipCidrRange"),
        ("compute/subnetwork:Subnetwork", {"ipCidrRange": UNKNOWN}, ""),
        ("compute/firewall:Firewall", {"sourceRanges": ["10.0.0.0/8"]}, "allows"),
        ("compute/firewall:Firewall", {"allows": [{}]}, "sourceRanges"),
        ("compute/firewall:Firewall", {"allows": [{}], "direction": "EGRESS"}, ""),
        (
            "compute/firewall:Firewall",
            {"allows": [{}], "sourceServiceAccounts": ["a"], "targetTags": ["b"]},
            "targetTags",
        ),
        (NAT, {**ALL, "natIpAllocateOption": "MANUAL_ONLY"}, "natIps"),
        (NAT, {**ALL, "natIpAllocateOption": "AUTO_ONLY", "natIps": ["a"]}, "natIps"),
        (NAT, {"sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS"}, "subnetworks"),
        ("compute/healthCheck:HealthCheck", {}, "httpHealthCheck"),
        (
            "compute/autoscaler:Autoscaler",
            {"autoscalingPolicy": {"minReplicas": 3, "maxReplicas": 2}},
            "autoscalingPolicy.minReplicas",
        ),
        (
            "storage/bucket:Bucket",
            {"hierarchicalNamespace": {"enabled": True}},
            "hierarchicalNamespace",
        ),
        (
            "storage/bucket:Bucket",
            {"hierarchicalNamespace": {"enabled": True}, "uniformBucketLevelAccess": True},
            "",
        ),
        ("billing/budget:Budget", {"amount": {}}, "specifiedAmount"),
        (
            "billing/budget:Budget",
            {"amount": {"specifiedAmount": {"units": "12.5"}}},
            "amount.specifiedAmount.units",
        ),
        (
            "container/nodePool:NodePool",
            {"placementPolicy": {"type": "COMPACT"}, "nodeLocations": ["a", "b"]},
            "nodeLocations",
        ),
        ("container/nodePool:NodePool", {"nodeConfig": {"flexStart": True}}, "management.autoRep"),
        ("compute/disk:Disk", {"zone": "us-central1-z"}, "zone"),
        ("compute/disk:Disk", {"zone": "us-central1-ai1a"}, ""),
        ("compute/router:Router", {"region": "us-centre1"}, "region"),
        ("container/cluster:Cluster", {"location": "us-central1-a"}, ""),
        ("container/cluster:Cluster", {"location": "here"}, "location"),
        ("storage/bucket:Bucket", {"location": "EU"}, ""),
    ],
)
def test_other_combinations(kind: str, inputs: dict[str, Any], refused: str) -> None:
    failing = paths(kind, inputs)

    assert len(failing) == bool(refused)
    assert all(path.startswith(refused) for path in failing)


def test_accelerators_are_those_of_the_machine() -> None:
    assert machines.built_in_gpus("a3-megagpu-8g") == ("nvidia-h100-mega-80gb", 8)
    assert machines.built_in_gpus("g2-standard-24") == ("nvidia-l4", 2)
    assert machines.built_in_gpus("n1-standard-8") is None
