"""The networks, subnets and firewalls of machines for training on Google Cloud."""

import pytest

from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.components.training import TrainingNode
from tests.components.gcp.training_clusters import (
    EVERYTHING,
    OWN,
    REGION,
    cluster,
    node,
    of_type,
    plain,
)

MACHINES = {
    "a3-highgpu-8g": (5, 8244, "pd-ssd"),
    "a3-megagpu-8g": (9, 8244, "pd-ssd"),
    "a3-ultragpu-8g": (10, 8896, "hyperdisk-balanced"),
}


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
