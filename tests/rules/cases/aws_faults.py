"""What each rule refuses on AWS and what hides its answer: one change to what is good."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import UNKNOWN
from tests.rules.cases.cluster import Cluster, classic_nics
from tests.rules.cases.faults import changed

Break = Callable[[Cluster], None]


def second_zone(case: Cluster) -> None:
    other = case.program.add("aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1b")
    case.program.change(case.scaling, vpcZoneIdentifiers=[case.subnet.id, other.id])


def open_ssh(case: Cluster) -> None:
    case.program.add(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "ssh",
        securityGroupId=case.group.id,
        ipProtocol="tcp",
        fromPort=22,
        toPort=22,
        cidrIpv4="0.0.0.0/0",
    )


def few_interfaces(case: Cluster) -> None:
    case.program.change(case.template, networkInterfaces=classic_nics(4, case.group.id))


def last_interface(case: Cluster, **inputs: Any) -> None:
    *others, last = classic_nics(32, case.group.id)
    case.program.change(case.template, networkInterfaces=[*others, {**last, **inputs}])


def ninth_device(case: Cluster) -> None:
    last_interface(case, deviceIndex=9)


def hidden_card(case: Cluster) -> None:
    last_interface(case, networkCardIndex=UNKNOWN)


def public_interfaces(case: Cluster) -> None:
    nics = [{**n, "associatePublicIpAddress": "true"} for n in classic_nics(32, case.group.id)]
    case.program.change(case.template, networkInterfaces=nics)


BROKEN: dict[str, tuple[Break, str]] = {
    "fabric-capable": (
        changed("template", instanceType="g5.xlarge"),
        "g5.xlarge has no fabric interface",
    ),
    "fabric-interfaces": (few_interfaces, "4 of 32 fabric interfaces of p5.48xlarge"),
    "fabric-one-zone": (second_zone, "several zones"),
    "fabric-placement": (changed("template", placement=None), "no placement"),
    "fabric-self-ingress": (lambda case: case.program.drop(case.ingress), "inbound"),
    "fabric-self-egress": (lambda case: case.program.drop(case.egress), "outbound"),
    "fabric-cards": (ninth_device, "has devices 0 to 1"),
    "fabric-public-ip": (public_interfaces, "public address"),
    "metadata-v2": (changed("template", metadataOptions=None), "requires a metadata token"),
    "disk-encrypted": (
        changed("template", blockDeviceMappings=[{"deviceName": "/dev/sda1", "ebs": {}}]),
        "not declared as encrypted",
    ),
    "public-address": (public_interfaces, "public address"),
    "open-login": (open_ssh, "TCP 22 (SSH) of mpi is open to 0.0.0.0/0"),
    "administrator-role": (
        changed("role", managedPolicyArns=["arn:aws:iam::aws:policy/AdministratorAccess"]),
        "has administrator permissions",
    ),
    "long-lived-key": (changed("template", userData="AKIAIOSFODNN7EXAMPLE"), "access key"),
}

HIDDEN: dict[str, Break] = {
    "fabric-capable": changed("template", instanceType="p9.48xlarge"),
    "fabric-interfaces": changed("template", networkInterfaces=UNKNOWN),
    "fabric-one-zone": changed("scaling", vpcZoneIdentifiers=["subnet-1", "subnet-2"]),
    "fabric-placement": changed("template", placement={"groupName": "by-hand"}),
    "fabric-self-ingress": changed("ingress", securityGroupId=UNKNOWN),
    "fabric-self-egress": changed("egress", securityGroupId=UNKNOWN),
    "fabric-cards": hidden_card,
    "fabric-public-ip": changed("scaling", vpcZoneIdentifiers=["subnet-1"]),
    "metadata-v2": changed("template", metadataOptions=UNKNOWN),
    "disk-encrypted": changed("template", blockDeviceMappings=None),
    "public-address": changed("scaling", vpcZoneIdentifiers=["subnet-1"]),
    "open-login": changed("template", networkInterfaces=UNKNOWN),
    "administrator-role": changed("template", iamInstanceProfile={"name": "by-hand"}),
    "long-lived-key": changed("template", userData=UNKNOWN),
}


BUCKETS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "bucket-private": ("block", {"blockPublicAcls": False}, {"blockPublicAcls": UNKNOWN}),
    "bucket-encrypted": ("encryption", {"rules": []}, {"rules": UNKNOWN}),
    "bucket-tls": ("policy", {"policy": "{}"}, {"policy": UNKNOWN}),
    "bucket-lifecycle": ("lifecycle", {"rules": []}, {"rules": UNKNOWN}),
    "bucket-versioned": (
        "versioning",
        {"versioningConfiguration": {"status": "Suspended"}},
        {"versioningConfiguration": UNKNOWN},
    ),
    "bucket-versioned-expiry": ("lifecycle", {"rules": []}, {"rules": UNKNOWN}),
}
