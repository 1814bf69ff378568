"""The networks of a cluster of Google Cloud: their firewalls, subnets and MTUs."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.gcp.observe.clusters import GOOD, Break, fabric, only
from tests.rules.cases.faults import changed
from tests.rules.cases.gcp_cluster import EVERYTHING, GcpCluster, roce, tcpx
from tests.rules.cases.moments import both


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
        (changed("template", tags=["other"]), (True, True)),
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
