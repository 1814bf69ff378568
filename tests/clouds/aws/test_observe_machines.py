"""Images, roles, logins and disks of machines of others."""

import base64
import gzip
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.clusters import GOOD, fabric, only
from tests.rules.cases.cluster import classic_nics, cluster
from tests.rules.cases.moments import both

KEY = b"#!/bin/sh\nexport KEY=AKIAIOSFODNN7EXAMPLE\n"
COMPRESSED = base64.b64encode(gzip.compress(KEY, mtime=0)).decode()


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
