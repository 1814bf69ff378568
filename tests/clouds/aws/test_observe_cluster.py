"""The fabric of a cluster of others: interfaces, security groups, zones and placement."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.clouds.aws.clusters import GOOD, fabric, only
from tests.rules.cases.cluster import classic_nics, cluster, current_nics
from tests.rules.cases.moments import both


@both
def test_a_whole_cluster_is_seen_by_relations_alone_and_by_ids_alone(moment):
    group = only(cluster().program.resources(moment))
    assert group.fabric == GOOD
    assert group.safety == Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=False,
        open_login=False,
        administrator=False,
        long_lived_key=False,
        hop_limit=UNKNOWN,
        secrets=(),
        secure_boot=None,
    )
    assert (group.name, group.purpose, group.machines) == ("workers", "training", ("p5.48xlarge",))
    assert (group.minimum, group.maximum, group.rung.region) == (4, 4, "us-east-1")
    assert group.rung.zones == ("us-east-1a",)


@both
@pytest.mark.parametrize(
    ("machine", "nics", "count"),
    [
        ("p5.48xlarge", lambda sg: classic_nics(32, sg), 32),
        ("p5.48xlarge", lambda sg: current_nics(32, sg), 32),
        ("p4d.24xlarge", lambda sg: [{**n, "deviceIndex": 0} for n in classic_nics(4, sg)], 4),
        ("p6-b300.48xlarge", lambda sg: current_nics(17, sg, first=1), 16),
        ("p6-b200.48xlarge", lambda sg: current_nics(8, sg), 8),
        ("g5.8xlarge", lambda sg: current_nics(1, sg), 1),
    ],
    ids=["p5 classic", "p5 current", "p4d device 0", "p6-b300", "p6-b200", "g5"],
)
def test_every_accepted_layout_is_free_of_faults(moment, machine, nics, count):
    shown = fabric(cluster(machine, nics), moment)
    assert (shown.interfaces, shown.faults) == (count, ())


@pytest.mark.parametrize(
    ("machine", "nics", "words"),
    [
        (
            "p5.48xlarge",
            lambda sg: [{**n, "deviceIndex": 2} for n in classic_nics(2, sg)],
            "card 0 of p5.48xlarge has devices 0 to 1",
        ),
        ("p4d.24xlarge", lambda sg: classic_nics(5, sg), "p4d.24xlarge has cards 0 to 3"),
        ("p4d.24xlarge", lambda sg: classic_nics(5, sg), "5 EFA interfaces declared"),
        (
            "p4d.24xlarge",
            lambda sg: [
                {"networkCardIndex": 0, "deviceIndex": i, "interfaceType": "efa"} for i in (0, 1)
            ],
            "a second EFA interface on the same card",
        ),
        (
            "p4d.24xlarge",
            lambda sg: [{"interfaceType": "efa-only", "securityGroups": [sg]}],
            "can't be efa-only",
        ),
        (
            "p4d.24xlarge",
            lambda sg: [*classic_nics(2, sg), *classic_nics(1, sg)],
            "declared twice",
        ),
        (
            "p6-b300.48xlarge",
            lambda sg: classic_nics(16, sg),
            "card 0 of p6-b300.48xlarge does not support EFA",
        ),
        (
            "p5.48xlarge",
            lambda sg: [
                *classic_nics(1, sg),
                {"networkCardIndex": 1, "interfaceType": "efa-only", "ipv4AddressCount": 1},
            ],
            "can't have ipv4AddressCount",
        ),
        ("g5.xlarge", lambda sg: classic_nics(1, sg), "g5.xlarge supports 0"),
    ],
    ids=[
        *("device", "card", "count", "two on a card", "efa-only first", "twice", "card 0"),
        *("address", "no EFA"),
    ],
)
def test_each_refused_interface_is_named(machine, nics, words):
    shown = fabric(cluster(machine, nics), "created")
    faults = [fault.message for fault in shown.faults]
    assert any(words in fault for fault in faults), faults


def test_security_groups_in_two_places_are_a_fault():
    case = cluster()
    case.program.change(case.template, vpcSecurityGroupIds=[case.group.id])
    assert any("only one" in fault.message for fault in fabric(case, "created").faults)


@both
def test_egress_to_everywhere_is_not_egress_to_itself(moment):
    case = cluster()
    case.program.drop(case.egress)
    assert fabric(case, moment) == replace(GOOD, self_egress=False)


@both
@pytest.mark.parametrize("protocol", ["tcp", "6"])
def test_a_rule_for_one_protocol_does_not_open_the_group_to_itself(moment, protocol):
    case = cluster()
    case.program.change(case.ingress, ipProtocol=protocol, fromPort=0, toPort=65535)
    assert fabric(case, moment) == replace(GOOD, self_ingress=False)


@both
def test_inline_and_classic_rules_count_as_well(moment):
    case = cluster()
    case.program.drop(case.egress)
    case.program.drop(case.ingress)
    everything = {"protocol": "-1", "fromPort": 0, "toPort": 0}
    case.program.change(case.group, ingress=[{**everything, "self": True}])
    case.program.add(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        "out",
        type="egress",
        securityGroupId=case.group.id,
        sourceSecurityGroupId=case.group.id,
        **everything,
    )
    assert fabric(case, moment) == GOOD


@both
def test_another_group_as_the_peer_is_not_the_group_itself(moment):
    case = cluster()
    other = case.program.add("aws:ec2/securityGroup:SecurityGroup", "other")
    case.program.change(case.ingress, referencedSecurityGroupId=other.id)
    assert fabric(case, moment) == replace(GOOD, self_ingress=False)


def test_a_security_group_from_elsewhere_is_not_known():
    nics = [{**nic, "securityGroups": ["sg-0elsewhere"]} for nic in classic_nics(32, None)]
    shown = fabric(cluster(nics=lambda _: nics), "created")
    assert (shown.self_ingress, shown.self_egress) == (UNKNOWN, UNKNOWN)


@both
def test_subnets_in_two_zones(moment):
    case = cluster()
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "second", vpcId="vpc-1", availabilityZone="us-east-1b"
    )
    case.program.change(case.scaling, vpcZoneIdentifiers=[case.subnet.id, other.id])
    assert fabric(case, moment) == replace(GOOD, one_zone=False)
    case.program.change(other, availabilityZone="us-east-1a")
    assert fabric(case, moment) == GOOD
    case.program.change(other, availabilityZone=UNKNOWN)
    assert fabric(case, moment) == replace(GOOD, one_zone=UNKNOWN)


@pytest.mark.parametrize(
    ("second", "one_zone"),
    [
        ({"availabilityZoneId": "use1-az1"}, UNKNOWN),
        ({"availabilityZoneId": "use1-az1", "availabilityZone": "us-east-1a"}, True),
        ({"availabilityZoneId": "use1-az1", "availabilityZone": "us-east-1b"}, False),
    ],
)
def test_a_zone_s_name_and_another_one_s_id_may_be_the_same(second, one_zone):
    case = cluster()
    other = case.program.add("aws:ec2/subnet:Subnet", "second", vpcId="vpc-1", **second)
    case.program.change(case.scaling, vpcZoneIdentifiers=[case.subnet.id, other.id])
    shown = fabric(case, "created")
    assert shown.one_zone is one_zone


def test_one_subnet_from_elsewhere_is_still_one_zone():
    case = cluster()
    case.program.change(case.scaling, vpcZoneIdentifiers=["subnet-0elsewhere"])
    shown = fabric(case, "created")
    assert (shown.one_zone, shown.public_ip) == (True, UNKNOWN)


@both
@pytest.mark.parametrize(
    ("change", "placement"),
    [({"strategy": "spread"}, "spread"), ({"strategy": UNKNOWN}, UNKNOWN)],
    ids=["spread", "unknown"],
)
def test_the_strategy_of_the_placement_group(moment, change, placement):
    case = cluster()
    case.program.change(case.placement, **change)
    assert fabric(case, moment) == replace(GOOD, placement=placement)


@both
def test_placement_on_the_scaling_group_on_none_and_elsewhere(moment):
    case = cluster()
    case.program.change(case.template, placement=None)
    assert fabric(case, moment) == replace(GOOD, placement=None)
    case.program.change(case.scaling, placementGroup=case.placement.out("name"))
    assert fabric(case, moment) == GOOD
    case.program.change(case.scaling, placementGroup="made-by-hand")
    assert fabric(case, moment) == replace(GOOD, placement=UNKNOWN)


@both
def test_a_subnet_that_maps_addresses_is_refused_beside_several_interfaces(moment):
    case = cluster()
    case.program.change(case.subnet, mapPublicIpOnLaunch=True)
    assert fabric(case, moment) == replace(GOOD, public_ip=True)


@both
@pytest.mark.parametrize("key", ["associatePublicIpAddress", "associateCarrierIpAddress"])
def test_an_interface_that_asks_for_an_address(key, moment):
    public = {key: "true"}
    case = cluster(nics=lambda sg: [{**nic, **public} for nic in classic_nics(32, sg)])
    assert fabric(case, moment).public_ip is True
    assert only(case.program.resources(moment)).safety.public_ip is True


def test_a_capable_cluster_that_forgot_its_interfaces_half_asks_for_a_fabric():
    case = cluster(nics=lambda _: None)
    case.program.change(case.template, vpcSecurityGroupIds=[case.group.id])
    shown = fabric(case, "created")
    assert (shown.requirement, shown.interfaces, shown.self_ingress) == ("preferred", 0, True)


def test_machines_that_ask_for_no_fabric_have_none():
    case = cluster("g6.xlarge", nics=lambda _: None)
    case.program.change(case.template, placement=None)
    assert only(case.program.resources()).fabric is None


def test_interfaces_that_exist_already_do_not_show_their_kind():
    case = cluster(nics=lambda _: [{"networkInterfaceId": "eni-1", "deviceIndex": 0}])
    shown = fabric(case, "created")
    assert (shown.requirement, shown.interfaces) == ("preferred", UNKNOWN)
