import base64
import gzip
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Fabric, Group, Resource, Safety
from tests.rules.cases.cluster import Cluster, classic_nics, cluster, current_nics
from tests.rules.cases.program import Moment

KEY = b"#!/bin/sh\nexport KEY=AKIAIOSFODNN7EXAMPLE\n"
COMPRESSED = base64.b64encode(gzip.compress(KEY, mtime=0)).decode()

both = pytest.mark.parametrize("moment", ["preview", "created"])

GOOD = Fabric(
    requirement="required",
    interfaces=32,
    one_zone=True,
    placement="cluster",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=UNKNOWN,
)


def only(resources: list[Resource]) -> Group:
    (group,) = observe(resources).groups
    fabric = group.fabric and replace(
        group.fabric, sites=(), placements=(), firewalls=(), subnets=()
    )
    return replace(group, fabric=fabric)


def fabric(case: Cluster, moment: Moment) -> Fabric:
    shown = only(case.program.resources(moment)).fabric
    assert shown is not None
    return shown


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


def test_a_reference_to_the_deep_learning_images_is_a_driver_image():
    case = cluster()
    image = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"
    case.program.change(case.template, imageId=image)
    assert fabric(case, "created") == replace(GOOD, driver_image=True)


@both
def test_an_administrator_in_each_of_the_ways_a_role_can_become_one(moment):
    star = '{"Statement": [{"Effect": "Allow", "Action": ["*"], "Resource": "*"}]}'
    arn = "arn:aws:iam::aws:policy/AdministratorAccess"
    case = cluster()
    own = case.program.add("aws:iam/policy:Policy", "own", policy=star)
    attach = {"role": case.role.out("name")}
    ways = [
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {**attach, "policyArn": arn}),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {**attach, "policyArn": own.arn}),
        ("aws:iam/rolePolicy:RolePolicy", {**attach, "policy": star}),
    ]
    for token, inputs in ways:
        handle = case.program.add(token, "way", **inputs)
        assert only(case.program.resources(moment)).safety.administrator is True, inputs
        case.program.drop(handle)
    for inputs in ({"managedPolicyArns": [arn]}, {"inlinePolicies": [{"policy": star}]}):
        case.program.change(case.role, **inputs)
        assert only(case.program.resources(moment)).safety.administrator is True, inputs
        case.program.change(case.role, **dict.fromkeys(inputs))
    assert only(case.program.resources(moment)).safety.administrator is False


def test_a_policy_that_is_not_known_yet_makes_the_role_unknown():
    case = cluster()
    case.program.add(
        "aws:iam/rolePolicy:RolePolicy", "later", role=case.role.out("name"), policy=UNKNOWN
    )
    assert only(case.program.resources()).safety.administrator is UNKNOWN


@both
@pytest.mark.parametrize(
    ("rule", "is_open"),
    [
        ({"ipProtocol": "tcp", "fromPort": 22, "toPort": 22, "cidrIpv4": "0.0.0.0/0"}, True),
        ({"ipProtocol": "tcp", "fromPort": 0, "toPort": 65535, "cidrIpv6": "::/0"}, True),
        ({"ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"}, True),
        ({"ipProtocol": "tcp", "fromPort": 3389, "toPort": 3389, "cidrIpv4": "0.0.0.0/0"}, True),
        ({"ipProtocol": "tcp", "fromPort": 22, "toPort": 22, "cidrIpv4": "10.0.0.0/8"}, False),
        ({"ipProtocol": "udp", "fromPort": 22, "toPort": 22, "cidrIpv4": "0.0.0.0/0"}, False),
        ({"ipProtocol": "tcp", "fromPort": 443, "toPort": 443, "cidrIpv4": "0.0.0.0/0"}, False),
        ({"ipProtocol": "tcp", "fromPort": 22, "toPort": 22, "cidrIpv4": UNKNOWN}, UNKNOWN),
    ],
    ids=["ssh", "all tcp v6", "everything", "rdp", "inside", "udp", "https", "unknown"],
)
def test_who_may_log_in(moment, rule, is_open):
    case = cluster()
    token = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
    case.program.add(token, "login", securityGroupId=case.group.id, **rule)
    assert only(case.program.resources(moment)).safety.open_login is is_open


@pytest.mark.parametrize(
    ("change", "fact", "value"),
    [
        ({"metadataOptions": {"httpTokens": "optional"}}, "metadata_v2", False),
        ({"metadataOptions": None}, "metadata_v2", False),
        ({"metadataOptions": {"httpEndpoint": "disabled"}}, "metadata_v2", True),
        ({"metadataOptions": UNKNOWN}, "metadata_v2", UNKNOWN),
        ({"blockDeviceMappings": None}, "disks_encrypted", UNKNOWN),
        (
            {"blockDeviceMappings": [{"deviceName": "/dev/sda1", "ebs": {"volumeSize": 9}}]},
            "disks_encrypted",
            False,
        ),
        ({"userData": "QUtJQUlPU0ZPRE5ON0VYQU1QTEU="}, "long_lived_key", True),
        ({"userData": "export KEY=AKIAIOSFODNN7EXAMPLE"}, "long_lived_key", True),
        (
            {"userData": "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
            "long_lived_key",
            True,
        ),
        ({"userData": "AWS_SECRET_ACCESS_KEY=$FROM_STORE"}, "long_lived_key", False),
        ({"userData": UNKNOWN}, "long_lived_key", UNKNOWN),
        ({"userData": COMPRESSED}, "long_lived_key", True),
        ({"userData": COMPRESSED[:40]}, "long_lived_key", UNKNOWN),
        ({"iamInstanceProfile": None}, "administrator", False),
        ({"iamInstanceProfile": {"name": "made-by-hand"}}, "administrator", UNKNOWN),
    ],
    ids=[
        *("v1", "no options", "off", "unknown options", "no disk", "plain disk"),
        *("encoded key", "key", "secret of a key", "key from elsewhere", "unknown script"),
        *("compressed key", "broken script"),
        *("no role", "role elsewhere"),
    ],
)
def test_basics_of_the_template(change, fact, value):
    case = cluster()
    case.program.change(case.template, **change)
    assert getattr(only(case.program.resources()).safety, fact) is value


def test_encryption_by_default_covers_what_declares_nothing():
    case = cluster()
    case.program.change(case.template, blockDeviceMappings=None)
    case.program.add("aws:ebs/encryptionByDefault:EncryptionByDefault", "on", enabled=True)
    assert only(case.program.resources()).safety.disks_encrypted is True


def test_disks_are_rows_per_machine():
    case = cluster()
    disk = {"volumeSize": 500, "volumeType": "gp3", "iops": 5000, "throughput": 400}
    case.program.change(
        case.template, blockDeviceMappings=[{"deviceName": "/dev/sda1", "ebs": disk}]
    )
    items = observe(case.program.resources()).items
    rows = [(item.item, item.unit, item.quantity, item.per_machine, item.group) for item in items]
    assert rows == [
        ("ebs-gp3-storage", "GB-month", Decimal(500), True, "workers"),
        ("ebs-gp3-iops", "IOPS-month", Decimal(2000), True, "workers"),
        ("ebs-gp3-throughput", "MBps-month", Decimal(275), True, "workers"),
    ]


def test_a_disk_that_the_image_sizes_has_a_rate_and_no_quantity():
    case = cluster()
    case.program.change(case.template, blockDeviceMappings=None)
    (item,) = observe(case.program.resources()).items
    assert (item.quantity, item.per_machine) == (None, True)
    assert "image" in item.name


@pytest.mark.parametrize(
    ("statements", "administrator"),
    [
        ([{"Effect": "Allow", "Action": ["s3:*", "*"], "Resource": ["*"]}], True),
        ([{"Effect": "Allow", "Action": "*:*", "Resource": "*"}], True),
        ([{"Effect": "Deny", "Action": "*", "Resource": "*"}], False),
        ([{"Effect": "Allow", "Action": "*", "Resource": "arn:aws:s3:::data/*"}], False),
        ([{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}], False),
        (
            [
                {"Effect": "Allow", "Action": "s3:*", "Resource": "*"},
                {"Effect": "Allow", "Action": "*", "Resource": "*"},
            ],
            True,
        ),
    ],
    ids=["listed", "star", "deny", "one bucket", "one service", "second statement"],
)
def test_which_policies_make_an_administrator(statements, administrator):
    case = cluster()
    case.program.change(case.role, inlinePolicies=[{"policy": {"Statement": statements}}])
    assert only(case.program.resources()).safety.administrator is administrator


@pytest.mark.parametrize("key", ["associatePublicIpAddress", "associateCarrierIpAddress"])
def test_an_address_that_is_not_known_yet(key):
    unknown = {key: UNKNOWN}
    case = cluster(nics=lambda sg: [{**nic, **unknown} for nic in classic_nics(32, sg)])
    assert fabric(case, "created").public_ip is UNKNOWN


def test_interfaces_that_exist_already_do_not_show_their_kind():
    case = cluster(nics=lambda _: [{"networkInterfaceId": "eni-1", "deviceIndex": 0}])
    shown = fabric(case, "created")
    assert (shown.requirement, shown.interfaces) == ("preferred", UNKNOWN)


def test_a_disk_whose_device_the_image_names_may_be_the_root_disk():
    case = cluster()
    disk = {"volumeSize": 500, "volumeType": "gp3", "encrypted": "true"}
    case.program.change(case.template, blockDeviceMappings=[{"deviceName": UNKNOWN, "ebs": disk}])
    seen = observe(case.program.resources())
    assert [item.quantity for item in seen.items] == [500]
    assert seen.groups[0].safety.disks_encrypted is True


def test_the_deep_learning_images_have_no_driver_for_other_accelerators():
    case = cluster("trn1.32xlarge")
    image = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"
    case.program.change(case.template, imageId=image)
    assert fabric(case, "created").driver_image is UNKNOWN
