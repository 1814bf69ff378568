"""Machines that train together stand in the same networks and in one placement."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules.fabric_verdicts import fabric_verdict
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_cluster import ZONE, GcpCluster, tcpx
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

NETWORKS = "fabric-networks"
PLACEMENT = "fabric-placement"
APART = "are in different networks, which no fabric connects"
FAR = "are in 2 placements, and near each other only within one"


def wrong(case: Any, rule: str, moment: str) -> list[str]:
    given = verdicts(of_resources(case.program.resources(moment)), rule)
    return [message for outcome, message in given if outcome == "violated"]


def lone(case: GcpCluster, name: str, subnets: Any, **changes: Any) -> None:
    """One machine as the template of a cluster has it, in these subnets."""
    inputs = case.program.handles[case.template.urn].inputs
    nics = [{"subnetwork": subnet.link, "nicType": "GVNIC"} for subnet in subnets]
    disk = {"initializeParams": {"image": "own", "size": 500, "type": "pd-ssd"}}
    case.program.add(
        "compute/instance:Instance",
        name,
        machineType=inputs["machineType"],
        zone=ZONE,
        bootDisk=disk,
        networkInterfaces=nics,
        scheduling=inputs["scheduling"],
        **{"resourcePolicies": case.placement.id, **changes},
    )


def without_group(case: GcpCluster) -> GcpCluster:
    del case.program.handles[case.group.urn]
    return case


def more_networks(case: GcpCluster) -> list[Any]:
    before = len(case.subnets)
    for number in range(before):
        gcp_cluster.vpc(case, f"other-{number}", 8244)
    return case.subnets[before:]


@both
def test_machines_that_stand_alone_meet_in_the_same_networks(moment):
    case = without_group(tcpx())
    own = list(case.subnets)
    lone(case, "w0", own)
    lone(case, "w1", own)
    assert wrong(case, NETWORKS, moment) == []
    lone(case, "w2", more_networks(case))
    assert wrong(case, NETWORKS, moment) == [f"it and 2 more {APART}"]
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert proof.answer == "no"
    assert any("resources: {w0: {fabric: none}}" in change for change in proof.changes)


def test_networks_that_are_joined_are_left_aside():
    case = without_group(tcpx())
    lone(case, "w0", list(case.subnets))
    lone(case, "w1", more_networks(case))
    case.program.add(
        "compute/networkPeering:NetworkPeering",
        "peer",
        network=case.networks[0].link,
        peerNetwork=case.networks[-1].link,
    )
    assert wrong(case, NETWORKS, "created") == []


@both
def test_machines_that_stand_alone_are_near_in_one_placement(moment):
    case = without_group(tcpx())
    lone(case, "w0", case.subnets)
    other = case.program.add(
        "compute/resourcePolicy:ResourcePolicy",
        "other",
        region="us-central1",
        groupPlacementPolicy={"collocation": "COLLOCATED"},
    )
    lone(case, "w1", case.subnets)
    assert wrong(case, PLACEMENT, moment) == []
    lone(case, "w2", case.subnets, resourcePolicies=other.id)
    assert wrong(case, PLACEMENT, moment) == [f"it and 2 more {FAR}"]


@both
def test_all_templates_of_a_group_are_in_the_same_networks(moment):
    case = tcpx()
    inputs = case.program.handles[case.template.urn].inputs
    nics = [{"subnetwork": subnet.link, "nicType": "GVNIC"} for subnet in more_networks(case)]
    canary = case.program.add(
        "compute/instanceTemplate:InstanceTemplate",
        "canary",
        **{**inputs, "networkInterfaces": nics},
    )
    versions = [
        {"instanceTemplate": case.template.link},
        {"instanceTemplate": canary.link, "targetSize": {"fixed": 1}},
    ]
    case.program.change(case.group, versions=versions)
    assert wrong(case, NETWORKS, moment) == [f"its machines {APART}"]


@both
def test_machines_of_aws_that_stand_alone_meet_in_one_network_and_placement(moment):
    case = cluster()
    program = case.program
    del program.handles[case.scaling.urn]
    vpc = program.add("aws:ec2/vpc:Vpc", "far", cidrBlock="10.1.0.0/16")
    far = program.add("aws:ec2/subnet:Subnet", "far", vpcId=vpc.id, availabilityZone="us-east-1a")
    other = program.add("aws:ec2/placementGroup:PlacementGroup", "other", strategy="cluster")
    template = {"id": case.template.id, "version": "$Latest"}
    for name, subnet, placement in (
        ("w0", case.subnet, case.placement),
        ("w1", case.subnet, case.placement),
    ):
        program.add(
            "aws:ec2/instance:Instance",
            name,
            launchTemplate=template,
            subnetId=subnet.id,
            placementGroup=placement.out("name"),
        )
    assert wrong(case, NETWORKS, moment) == wrong(case, PLACEMENT, moment) == []
    program.add(
        "aws:ec2/instance:Instance",
        "w2",
        launchTemplate=template,
        subnetId=far.id,
        placementGroup=other.out("name"),
    )
    assert wrong(case, NETWORKS, moment) == [f"it and 2 more {APART}"]
    assert wrong(case, PLACEMENT, moment) == [f"it and 2 more {FAR}"]


DENIES = {
    "name": "closed",
    "access": "Deny",
    "direction": "Inbound",
    "priority": 100,
    "protocol": "*",
    "sourceAddressPrefix": "*",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRange": "*",
}
INSIDE = {**DENIES, "access": "Allow", "priority": 90, "sourceAddressPrefix": "VirtualNetwork"}


@both
@pytest.mark.parametrize(
    ("rules", "rule", "is_wrong"),
    [
        ([], "fabric-self-ingress", False),
        ([DENIES], "fabric-self-ingress", True),
        ([DENIES, INSIDE], "fabric-self-ingress", False),
        ([{**DENIES, "direction": "Outbound"}], "fabric-self-egress", True),
        ([{**DENIES, "direction": "Outbound"}], "fabric-self-ingress", False),
    ],
)
def test_machines_of_azure_let_each_other_s_traffic_through(rules, rule, is_wrong, moment):
    case = azure_cluster.cluster()
    case.program.change(case.firewall, securityRules=rules)
    assert bool(wrong(case, rule, moment)) is is_wrong
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert proof.answer != "no" or any(each["access"] == "Deny" for each in rules)


def test_a_rule_that_is_not_known_yet_may_keep_machines_apart():
    case = azure_cluster.cluster()
    case.program.change(case.firewall, securityRules=[{**DENIES, "sourceAddressPrefix": UNKNOWN}])
    given = verdicts(of_resources(case.program.resources()), "fabric-self-ingress")
    assert [outcome for outcome, _ in given] == ["not-knowable"]


@both
def test_one_machine_of_azure_has_no_others_to_let_through(moment):
    alone, together = (azure_cluster.cluster(nodes=nodes) for nodes in (1, 4))
    for case in (alone, together):
        case.program.change(case.firewall, securityRules=[DENIES])
    assert not wrong(alone, "fabric-self-ingress", moment)
    assert wrong(together, "fabric-self-ingress", moment)


@both
def test_subnets_of_another_region_hold_no_machines_of_this_one(moment):
    case = tcpx()
    case.program.change(case.subnets[2], region="europe-west4")
    (message,) = wrong(case, NETWORKS, moment)
    assert message.endswith("is in europe-west4, the machines are in us-central1")


@both
def test_networks_of_another_region_hold_no_machines_of_azure(moment):
    case = azure_cluster.cluster()
    handles = case.program.handles.values()
    (network,) = (each for each in handles if each.type.endswith(":VirtualNetwork"))
    case.program.change(network, location="westus2")
    (message,) = wrong(case, "fabric-scale-set", moment)
    assert message == "the subnet inner is in westus2, the machines are in eastus"
