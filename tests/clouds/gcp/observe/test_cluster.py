"""Clusters of Google Cloud: the fabric and the basics of raw resources."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Fabric, Group, Safety, faults_of
from tests.rules.cases.gcp_cluster import EVERYTHING, SPOT, GcpCluster, roce, tcpx, vpc
from tests.rules.cases.program import Moment

both = pytest.mark.parametrize("moment", ["preview", "created"])

GOOD = Fabric(
    requirement="required",
    interfaces=4,
    one_zone=True,
    placement="compact",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=UNKNOWN,
)


def only(case: GcpCluster, moment: Moment = "created") -> Group:
    observed = observe(case.program.resources(moment))
    (group,) = observed.groups
    fabric = group.fabric and replace(group.fabric, sites=(), placements=())
    return replace(group, fabric=fabric)


def fabric(case: GcpCluster, moment: Moment = "created") -> Fabric:
    shown = only(case, moment).fabric
    assert shown is not None
    return shown


@both
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (tcpx, GOOD),
        (lambda: tcpx(8, "a3-megagpu-8g"), replace(GOOD, interfaces=8)),
        (roce, replace(GOOD, interfaces=8, self_ingress=None, self_egress=None)),
        (
            lambda: roce("a4-highgpu-8g"),
            replace(GOOD, interfaces=8, self_ingress=None, self_egress=None),
        ),
    ],
    ids=["tcpx", "tcpxo", "roce", "a4"],
)
def test_a_whole_cluster_is_seen_by_relations_alone_and_by_ids_alone(moment, make, expected):
    case = make()
    group = only(case, moment)
    assert group.fabric == expected
    assert group.safety == Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=False,
        open_login=False,
        administrator=False,
        long_lived_key=False,
        hop_limit=None,
        secrets=(),
        secure_boot=False,
        measured_boot=True,
    )
    assert (group.name, group.purpose, group.cloud) == ("workers", "training", "gcp")
    assert (group.minimum, group.maximum, group.lifecycle.maintenance) == (4, 4, True)
    assert (group.rung.region, group.rung.zones) == ("us-central1", (case.group.inputs["zone"],))
    assert (group.rung.capacity, faults_of(group.faults, "spot-settings")) == ("on-demand", ())
    assert faults_of(group.faults, "login-identity") == ()


def test_nothing_else_of_a_cluster_costs_or_is_unjudged():
    observed = observe(roce().program.resources())
    assert observed.not_judged == ()
    assert [(item.item, str(item.quantity)) for item in observed.items] == [
        ("hyperdisk-balanced-storage", "500")
    ]


Break = Callable[[GcpCluster], None]


def faults(case: GcpCluster, moment: Moment) -> tuple[str, ...]:
    """All that is wrong, whichever rule speaks of it."""
    listed = (*fabric(case, moment).faults, *only(case, moment).faults)
    return tuple(fault.message for fault in listed if fault.is_certain)


def in_one_vpc(case: GcpCluster) -> None:
    case.program.change(case.subnets[2], network=case.networks[1].id)


def one_more(case: GcpCluster) -> None:
    vpc(case, "further", 8244)
    nics = [*case.interfaces, {"subnetwork": case.subnets[-1].link, "nicType": "GVNIC"}]
    case.program.change(case.template, networkInterfaces=nics)


def disk(kind: str) -> Break:
    return lambda case: case.program.change(
        case.template, disks=[{"boot": True, "sourceImage": "x", "diskType": kind}]
    )


def policy(**inputs: Any) -> Break:
    return lambda case: case.program.change(
        case.placement, groupPlacementPolicy={"collocation": "COLLOCATED", **inputs}
    )


def change(part: str, **inputs: Any) -> Break:
    return lambda case: case.program.change(getattr(case, part), **inputs)


def two_roce_networks(case: GcpCluster) -> None:
    profile = "projects/p/global/networkProfiles/us-central1-b-vpc-roce"
    vpc(case, "other", 8896, networkProfile=profile)
    case.rewire(9, subnetwork=case.subnets[-1].id)


def gvnic_in_roce(case: GcpCluster) -> None:
    further = case.program.add(
        "compute/subnetwork:Subnetwork", "ninth", network=case.networks[2].id
    )
    case.rewire(1, subnetwork=further.id)


@both
@pytest.mark.parametrize(
    ("make", "spoil", "words"),
    [
        (tcpx, in_one_vpc, "2 gVNIC interfaces are in one VPC (gpu-1)"),
        (tcpx, one_more, "6 interfaces declared, a3-highgpu-8g supports 5"),
        (tcpx, lambda c: c.rewire(3, nicType="VIRTIO_NET"), "interface 3 is VIRTIO_NET"),
        (tcpx, policy(maxDistance=1), "a3-highgpu-8g does not support a max_distance of 1"),
        (tcpx, policy(vmCount=2), "4 machines: the placement policy is for 2"),
        (
            tcpx,
            change("template", scheduling={"onHostMaintenance": "TERMINATE"}),
            "compact placement with automatic restart",
        ),
        (
            roce,
            lambda c: c.program.change(c.networks[2], networkProfile=None),
            "the network of the RoCE interfaces (rdma) has no network profile",
        ),
        (
            roce,
            change("group", zone="us-central1-a"),
            ("the RoCE network rdma is in us-central1-b, the machines are in us-central1-a"),
        ),
        (roce, disk("pd-ssd"), "a3-ultragpu-8g does not support pd-ssd disks"),
        (roce, two_roce_networks, "RoCE interfaces are in 2 networks"),
        (roce, gvnic_in_roce, "a gVNIC interface is in the RoCE network rdma"),
        (
            roce,
            lambda c: c.program.change(c.template, networkInterfaces=c.interfaces[1:]),
            "1 interfaces without RDMA declared, a3-ultragpu-8g requires 2 (gVNIC)",
        ),
        (
            roce,
            lambda c: c.program.change(
                c.template,
                networkInterfaces=[
                    *c.interfaces,
                    {"subnetwork": c.subnets[9].id, "nicType": "MRDMA"},
                ],
            ),
            "9 RoCE interfaces declared, a3-ultragpu-8g supports 8",
        ),
        (
            roce,
            lambda c: c.rewire(5, nicType="IRDMA"),
            "interface 5 is IRDMA, a3-ultragpu-8g needs GVNIC and MRDMA",
        ),
        (
            lambda: roce("a4-highgpu-8g"),
            lambda c: c.rewire(0, nicType="VIRTIO_NET"),
            "interface 0 is VIRTIO_NET, a4-highgpu-8g needs GVNIC and MRDMA",
        ),
        (
            roce,
            lambda c: [c.rewire(number, nicType="GVNIC") for number in range(2, 10)],
            "10 interfaces without RDMA declared, a3-ultragpu-8g requires 2 (gVNIC)",
        ),
    ],
)
def test_what_google_refuses_is_a_fault_in_words(moment, make, spoil, words):
    case = make()
    spoil(case)
    assert any(words in fault for fault in faults(case, moment)), fabric(case, moment)


@both
@pytest.mark.parametrize(("kind", "speaking"), [("IRDMA", 7), ("MRDMA", 8)])
def test_an_interface_of_another_machine_s_kind_does_not_count(moment, kind, speaking):
    case = roce()
    case.rewire(5, nicType=kind)
    assert fabric(case, moment).interfaces == speaking


@both
@pytest.mark.parametrize("kind", ["GVNIC", None])
def test_interfaces_meant_for_a_fabric_ask_for_it_whatever_their_kind(moment, kind):
    case = roce()
    for number in range(2, 10):
        case.rewire(number, nicType=kind)
    shown = fabric(case, moment)
    assert (shown.requirement, shown.interfaces) == ("required", 0)


def test_two_interfaces_in_one_subnet_are_a_fault():
    case = roce()
    case.rewire(5, subnetwork=case.subnets[4].id)
    (fault,) = faults_of(fabric(case).faults, "fabric-networks")
    assert fault == "2 RoCE interfaces are in one subnet (rdma-2); each needs its own"


def test_fewer_subnets_than_interfaces_are_not_knowable_before_they_have_ids():
    case = tcpx()
    nics = [{"subnetwork": case.subnets[0].id} for _ in range(5)]
    case.program.change(case.template, networkInterfaces=nics)
    assert (
        "5 gVNIC interfaces are in one VPC (main)"
        in faults_of(fabric(case).faults, "fabric-networks")[0]
    )
    assert faults_of(fabric(case, "preview").faults, "fabric-networks") is UNKNOWN
    assert only(case, "preview").safety.open_login is UNKNOWN


def test_two_interfaces_in_networks_of_other_stacks_are_not_knowable():
    case = tcpx()
    case.rewire(0, subnetwork="projects/host/regions/us-central1/subnetworks/shared")
    assert faults_of(fabric(case).faults, "fabric-networks") == ()
    case.rewire(1, subnetwork="projects/host/regions/us-central1/subnetworks/other")
    assert faults_of(fabric(case).faults, "fabric-networks") is UNKNOWN
    assert fabric(case).interfaces == 4


def test_a_fabric_asked_for_by_placement_alone_is_half_asked():
    case = tcpx()
    case.program.change(case.template, networkInterfaces=case.interfaces[:1])
    shown = fabric(case)
    assert (shown.requirement, shown.interfaces) == ("preferred", 0)
    case.program.change(case.template, resourcePolicies=None)
    assert only(case).fabric is None


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ({"workloadPolicy": {"type": "HIGH_THROUGHPUT"}}, "compact"),
        ({"workloadPolicy": {"type": "HIGH_AVAILABILITY"}}, "high-availability"),
        ({"groupPlacementPolicy": {"availabilityDomainCount": 4}}, "spread"),
        ({"groupPlacementPolicy": {"collocation": UNKNOWN}}, UNKNOWN),
        ({"groupPlacementPolicy": UNKNOWN}, UNKNOWN),
        ({"snapshotSchedulePolicy": {}}, None),
    ],
)
def test_each_policy_has_its_word(policies, expected):
    case = roce()
    case.program.change(case.placement, **{"groupPlacementPolicy": None, **policies})
    assert fabric(case).placement == expected


def test_a_workload_policy_stands_on_the_group():
    case = roce()
    case.program.change(case.template, resourcePolicies=None, scheduling={**SPOT})
    assert fabric(case).placement is None
    case.program.change(
        case.placement,
        groupPlacementPolicy=None,
        workloadPolicy={"type": "HIGH_THROUGHPUT"},
    )
    case.program.change(case.group, resourcePolicies={"workloadPolicy": case.placement.link})
    for moment in ("preview", "created"):
        assert fabric(case, moment).placement == "compact"


def own_accounts(case: GcpCluster) -> None:
    """The planes are open to the machines' account instead of to a range."""
    for firewall in case.firewalls:
        mail = [case.account.out("email")]
        case.program.change(
            firewall, sourceRanges=None, sourceServiceAccounts=mail, targetServiceAccounts=mail
        )


def own_tags(case: GcpCluster) -> None:
    case.program.change(case.template, tags=["node"])
    for firewall in case.firewalls:
        case.program.change(firewall, sourceRanges=None, sourceTags=["node"], targetTags=["node"])


def denied(priority: int, **inputs: Any) -> Break:
    def spoil(case: GcpCluster) -> None:
        case.program.add(
            "compute/firewall:Firewall",
            "no",
            network=case.networks[1].id,
            priority=priority,
            **{"sourceRanges": ["10.0.0.0/8"], "denies": [{"protocol": "all"}], **inputs},
        )

    return spoil


@both
@pytest.mark.parametrize(
    ("change_it", "expected"),
    [
        (own_accounts, (True, True)),
        (own_tags, (True, True)),
        (change("template", tags=["other"]), (True, True)),
        (
            lambda c: c.program.change(c.firewalls[1], allows=[{"protocol": "tcp"}]),
            (False, True),
        ),
        (
            lambda c: c.program.change(
                c.firewalls[1], allows=[{"protocol": "tcp", "ports": ["8000"]}]
            ),
            (False, True),
        ),
        (lambda c: c.program.change(c.firewalls[1], disabled=True), (False, True)),
        (lambda c: c.program.change(c.firewalls[1], sourceRanges=["10.99.0.0/16"]), (False, True)),
        (lambda c: c.program.change(c.firewalls[1], targetTags=["web"]), (False, True)),
        (lambda c: c.program.change(c.firewalls[1], sourceRanges=UNKNOWN), (UNKNOWN, True)),
        (denied(500), (False, True)),
        (denied(2000), (True, True)),
        (denied(500, denies=[{"protocol": "tcp", "ports": ["22"]}]), (UNKNOWN, True)),
        (denied(500, sourceRanges=["10.1.0.0/28"]), (UNKNOWN, True)),
        (
            denied(500, sourceRanges=None, destinationRanges=["0.0.0.0/0"], direction="EGRESS"),
            (True, False),
        ),
    ],
)
def test_the_planes_are_open_to_themselves_or_not(moment, change_it, expected):
    case = tcpx()
    change_it(case)
    shown = fabric(case, moment)
    assert (shown.self_ingress, shown.self_egress) == expected


def test_the_stronger_of_two_egress_firewalls_counts():
    case = tcpx()
    denied(900, sourceRanges=None, destinationRanges=["0.0.0.0/0"], direction="EGRESS")(case)
    case.program.add(
        "compute/firewall:Firewall",
        "inside",
        network=case.networks[1].id,
        direction="EGRESS",
        priority=800,
        destinationRanges=["10.0.0.0/8"],
        allows=EVERYTHING,
    )
    assert fabric(case).self_egress is True


def test_a_public_image_with_the_fabric_s_software_is_known_to_serve():
    case = roce()
    family = "pytorch-2-9-cu129-ubuntu-2204-nvidia-580"
    image = f"projects/deeplearning-platform-release/global/images/{family}-v20260901"
    case.program.change(case.template, disks=[{"boot": True, "sourceImage": image}])
    assert fabric(case).driver_image is False
    case.program.change(case.template, metadataStartupScript=UNKNOWN)
    assert fabric(case).driver_image is UNKNOWN
    case.program.change(case.template, metadataStartupScript="apt-get install nccl-gib")
    assert fabric(case).driver_image is True


@both
def test_the_main_network_may_have_any_mtu_and_be_closed_for_a_lone_machine(moment):
    case = tcpx()
    case.program.change(case.networks[0], mtu=1460)
    assert fabric(case, moment) == GOOD
    case.program.change(case.group, targetSize=1)
    case.program.drop(case.firewalls[0])
    assert fabric(case, moment) == GOOD
    case.program.drop(case.firewalls[1])
    assert fabric(case, moment).self_ingress is False


@both
def test_several_machines_meet_in_their_main_network_too(moment):
    case = tcpx()
    case.program.drop(case.firewalls[0])
    assert fabric(case, moment).self_ingress is False


@pytest.mark.parametrize("mtu", [1460, None])
def test_a_plane_with_a_low_mtu_is_a_fault_once_it_is_known_which_it_is(mtu):
    case = tcpx()
    case.program.change(case.networks[2], mtu=mtu)
    assert faults_of(fabric(case).faults, "fabric-networks") == (
        "the network gpu-2 has an MTU of 1460, not 8244",
    )
    assert faults_of(fabric(case, "preview").faults, "fabric-networks") == ()


@both
def test_two_networks_of_a_low_mtu_are_one_too_many(moment):
    case = tcpx()
    for number in (0, 2):
        case.program.change(case.networks[number], mtu=1460)
    (fault,) = faults_of(fabric(case, moment).faults, "fabric-networks")
    assert "has an MTU of 1460, not 8244" in fault
