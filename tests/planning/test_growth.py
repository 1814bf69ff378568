"""Resources are read in steps that grow with their number: each kind refers to many others."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpuinfra.model import Caps, Resource
from gpuinfra.planning import from_resources

FEW, MANY = 10, 30
MOST = 3.1
"""The steps of three times the resources, in those of the few: a loop of each machine over all
resources of a kind takes nine times as many."""

POLICY = '{"Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}'
TRUST = (
    '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",'
    ' "Principal": {"Service": "ec2.amazonaws.com"}}]}'
)


def made(kind: str, name: str, inputs: dict[str, Any], **refers: str) -> Resource:
    """Return a resource; `refers` has the URN that each input comes from."""
    return Resource(
        urn=urn(kind, name),
        type=kind,
        name=name,
        inputs=inputs,
        relations={key: (value,) for key, value in refers.items()},
    )


def urn(kind: str, name: str) -> str:
    return f"urn:pulumi:dev::shop::{kind}::{name}"


def aws(at: int) -> Iterator[Resource]:
    """A machine and a scaling group with their own keys, networks, roles, disks and buckets."""
    zone, ami = "us-east-1a", "ami-0123456789abcdef0"
    key, place = "aws:ec2/keyPair:KeyPair", "aws:ec2/placementGroup:PlacementGroup"
    template = "aws:ec2/launchTemplate:LaunchTemplate"
    yield made(key, f"k{at}", {"keyName": f"k{at}"})
    yield made(place, f"p{at}", {"name": f"p{at}", "strategy": "cluster"})
    yield made("aws:ec2/vpc:Vpc", f"v{at}", {"cidrBlock": "10.0.0.0/16"})
    yield made("aws:ec2/subnet:Subnet", f"s{at}", {"vpcId": f"v{at}", "availabilityZone": zone})
    yield made("aws:ec2/securityGroup:SecurityGroup", f"g{at}", {"name": f"g{at}"})
    yield made("aws:iam/role:Role", f"r{at}", {"name": f"r{at}", "assumeRolePolicy": TRUST})
    yield made("aws:iam/rolePolicy:RolePolicy", f"r{at}", {"role": f"r{at}", "policy": POLICY})
    yield made("aws:iam/instanceProfile:InstanceProfile", f"r{at}", {"name": f"r{at}"})
    yield made("aws:ec2/eip:Eip", f"e{at}", {"instance": f"m{at}"})
    yield made("aws:ebs/volume:Volume", f"d{at}", {"availabilityZone": zone, "size": 10})
    yield made("aws:s3/bucket:Bucket", f"b{at}", {"bucket": f"b{at}"})
    yield made("aws:s3/bucketPolicy:BucketPolicy", f"b{at}", {"bucket": f"b{at}"})
    yield made(
        "aws:ec2/capacityReservation:CapacityReservation",
        f"c{at}",
        {"instanceType": "g6.xlarge", "instanceCount": 1, "availabilityZone": zone},
    )
    machine = {"imageId": ami, "vpcSecurityGroupIds": [f"g{at}"], "keyName": f"k{at}"}
    yield made(template, f"t{at}", {"name": f"t{at}", "instanceType": "g6.xlarge", **machine})
    group = {"minSize": 0, "maxSize": 2, "launchTemplate": {"name": f"t{at}"}}
    yield made("aws:autoscaling/group:Group", f"a{at}", {"name": f"a{at}", **group})
    yield made(
        "aws:ec2/instance:Instance",
        f"m{at}",
        {"instanceType": "g6.xlarge", "subnetId": f"s{at}", "placementGroup": f"p{at}", **machine},
        keyName=urn(key, f"k{at}"),
        placementGroup=urn(place, f"p{at}"),
    )


def gcp(at: int) -> Iterator[Resource]:
    """A machine and a managed group with their own networks, accounts and reservations."""
    zone = {"zone": "us-central1-a"}
    email = f"a{at}@p.iam.gserviceaccount.com"
    named = {"key": "compute.googleapis.com/reservation-name", "values": [f"c{at}"]}
    machine = {
        "machineType": "g2-standard-4",
        "networkInterfaces": [{"network": f"n{at}"}],
        "serviceAccount": {"email": email, "scopes": ["cloud-platform"]},
        "reservationAffinity": {"type": "SPECIFIC_RESERVATION", "specificReservation": named},
    }
    kept = {"count": 4, "instanceProperties": {"machineType": "g2-standard-4"}}
    yield made("gcp:compute/network:Network", f"n{at}", {"name": f"n{at}"})
    yield made("gcp:compute/disk:Disk", f"d{at}", {"name": f"d{at}", "size": 10, **zone})
    yield made(
        "gcp:projects/iAMMember:IAMMember",
        f"i{at}",
        {"role": "roles/storage.objectViewer", "member": f"serviceAccount:{email}"},
    )
    yield made("gcp:storage/bucket:Bucket", f"b{at}", {"name": f"b{at}", "location": "US"})
    yield made(
        "gcp:compute/reservation:Reservation",
        f"c{at}",
        {"name": f"c{at}", "specificReservation": kept, **zone},
    )
    template = {"name": f"t{at}", "disks": [{"sourceImage": "debian-12", "boot": True}]}
    yield made("gcp:compute/instanceTemplate:InstanceTemplate", f"t{at}", template | machine)
    group = {"name": f"g{at}", "targetSize": 1, "versions": [{"instanceTemplate": f"t{at}"}]}
    yield made("gcp:compute/instanceGroupManager:InstanceGroupManager", f"g{at}", group | zone)
    policy = {"autoscalingPolicy": {"minReplicas": 0, "maxReplicas": 2}}
    yield made("gcp:compute/autoscaler:Autoscaler", f"g{at}", {"target": f"g{at}", **policy})
    disks = {"attachedDisks": [{"source": f"d{at}"}]}
    yield made("gcp:compute/instance:Instance", f"m{at}", machine | disks | zone)


def azure(at: int) -> Iterator[Resource]:
    """A machine and a scale set with their own interfaces, identities and reservations."""
    around = {"resourceGroupName": "rg", "location": "eastus"}
    interface = {
        "networkInterfaceName": f"n{at}",
        "networkSecurityGroup": {"id": f"w{at}"},
        "ipConfigurations": [{"name": "a", "subnet": {"id": f"s{at}"}}],
    }
    machine = {
        "vmName": f"m{at}",
        "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
        "networkProfile": {"networkInterfaces": [{"id": f"n{at}"}]},
        "identity": {"type": "UserAssigned", "userAssignedIdentities": [f"u{at}"]},
        "capacityReservation": {"capacityReservationGroup": {"id": f"k{at}"}},
    }
    sku = {"name": "Standard_NC4as_T4_v3", "capacity": 1}
    kept = {"capacityReservationGroupName": f"k{at}"}
    for kind, name, inputs in (
        ("network:NetworkSecurityGroup", "w", {"networkSecurityGroupName": f"w{at}"}),
        ("network:NetworkInterface", "n", interface),
        ("managedidentity:UserAssignedIdentity", "u", {"resourceName": f"u{at}"}),
        ("compute:Disk", "d", {"diskName": f"d{at}", "diskSizeGB": 10}),
        ("compute:VirtualMachine", "m", machine),
        ("compute:VirtualMachineScaleSet", "x", {"vmScaleSetName": f"x{at}", "sku": sku}),
        ("compute:CapacityReservationGroup", "k", kept),
        ("compute:CapacityReservation", "c", kept | {"sku": sku}),
        ("insights:AutoscaleSetting", "x", {"targetResourceUri": f"x{at}"}),
        ("storage:StorageAccount", "b", {"accountName": f"b{at}", "kind": "StorageV2"}),
        ("devtestlab:GlobalSchedule", "m", {"targetResourceId": f"m{at}"}),
    ):
        yield made(f"azure-native:{kind}", f"{name}{at}", inputs | around)


@pytest.mark.parametrize("cloud", [aws, gcp, azure])
def test_steps_grow_with_the_resources(cloud: Callable[[int], Iterator[Resource]]) -> None:
    steps(cloud, 2)  # which loads modules and tables

    assert steps(cloud, MANY) <= MOST * steps(cloud, FEW)


def steps(cloud: Callable[[int], Iterator[Resource]], count: int) -> int:
    """Return the calls of Python functions that reading so many of each resource takes."""
    resources = [resource for at in range(count) for resource in cloud(at)]
    calls = 0

    def counted(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        plan = from_resources(resources, name="shop", caps=Caps())
    finally:
        sys.setprofile(before)
    assert len(plan.groups) >= 2 * count
    return calls
