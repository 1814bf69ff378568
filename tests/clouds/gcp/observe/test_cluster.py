"""Clusters of Google Cloud: the fabric and the basics of raw resources."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Safety, faults_of
from tests.clouds.gcp.observe.clusters import GOOD, Break, fabric, only
from tests.rules.cases.faults import changed
from tests.rules.cases.gcp_cluster import SPOT, GcpCluster, roce, tcpx, vpc
from tests.rules.cases.gcp_faults import one_vpc
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment


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


def faults(case: GcpCluster, moment: Moment) -> tuple[str, ...]:
    """All that is wrong, whichever rule speaks of it."""
    listed = (*fabric(case, moment).faults, *only(case, moment).faults)
    return tuple(fault.message for fault in listed if fault.is_certain)


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
        (tcpx, one_vpc, "2 gVNIC interfaces are in one VPC (gpu-1)"),
        (tcpx, one_more, "6 interfaces declared, a3-highgpu-8g supports 5"),
        (tcpx, lambda c: c.rewire(3, nicType="VIRTIO_NET"), "interface 3 is VIRTIO_NET"),
        (tcpx, policy(maxDistance=1), "a3-highgpu-8g does not support a max_distance of 1"),
        (tcpx, policy(vmCount=2), "4 machines: the placement policy is for 2"),
        (
            tcpx,
            changed("template", scheduling={"onHostMaintenance": "TERMINATE"}),
            "compact placement with automatic restart",
        ),
        (
            roce,
            lambda c: c.program.change(c.networks[2], networkProfile=None),
            "the network of the RoCE interfaces (rdma) has no network profile",
        ),
        (
            roce,
            changed("group", zone="us-central1-a"),
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
