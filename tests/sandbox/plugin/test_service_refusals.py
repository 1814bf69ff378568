"""What AWS refuses of reservations, buckets, file systems, schedules and functions, over the wire;
and what goes wrong there on request."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import grpc
import pytest

from gpuinfra import sandbox
from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault
from tests.sandbox.plugin.judged import NOWHERE, TRUST
from tests.sandbox.plugin.judged_services import SIGNATURE, archive

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
INSTANCE = "aws:ec2/instance:Instance"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
BUCKET = "aws:s3/bucket:Bucket"
VERSIONS = "aws:s3/bucketVersioning:BucketVersioning"
SCHEDULE = "aws:scheduler/schedule:Schedule"
FUNCTION = "aws:lambda/function:Function"
FLEET = "aws:ec2/fleet:Fleet"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
P5 = "p5.48xlarge"
ROLE = "arn:aws:iam::123456789012:role/"

Make = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("shared_home")


@pytest.fixture(scope="module")
def made(plugin: Any) -> Iterator[Make]:
    """Makes resources that are gone after the module."""
    standing: list[tuple[str, str, dict[str, Any]]] = []

    def make(token: str, **inputs: Any) -> str:
        resource_id, outputs = plugin.create(token, inputs, name=f"service{len(standing)}")
        standing.append((token, resource_id, outputs))
        return str(resource_id)

    yield make
    for token, resource_id, outputs in reversed(standing):
        plugin.delete(token, resource_id, outputs)


@pytest.fixture(scope="module")
def subnet(made: Make) -> str:
    vpc = made("aws:ec2/vpc:Vpc", cidrBlock="10.8.0.0/16")
    zone = {"availabilityZone": "us-east-1a"}
    return str(made("aws:ec2/subnet:Subnet", vpcId=vpc, cidrBlock="10.8.0.0/24", **zone))


@pytest.fixture
def waiting() -> Iterator[Callable[..., InjectedFault]]:
    """Adds faults that are cleared after the test."""
    yield lambda **fault: faults.add(InjectedFault(**fault))
    faults.clear()


def targeting(reservation: str, **more: Any) -> dict[str, Any]:
    target = {"capacityReservationTarget": {"capacityReservationId": reservation}}
    given = {"instanceType": P5, "imageId": "ami-05a4db0000d122041"}
    return {**given, "capacityReservationSpecification": target, **more}


def group_of(template: str, subnet: str, size: int = 1) -> dict[str, Any]:
    sizes = {"minSize": 0, "maxSize": size, "desiredCapacity": size}
    return {**sizes, "vpcZoneIdentifiers": [subnet], "launchTemplate": {"id": template}}


@pytest.fixture(scope="module")
def reserved(made: Make) -> tuple[str, str]:
    """Two p5 in a cluster placement group, and that group's name."""
    name = made(PLACEMENT, name="tight", strategy="cluster")
    arn = f"arn:aws:ec2:us-east-1:123456789012:placement-group/{name}"
    reservation = made(
        RESERVATION,
        instanceType=P5,
        instancePlatform="Linux/UNIX",
        availabilityZone="us-east-1a",
        instanceCount=2,
        placementGroupArn=arn,
    )
    return str(reservation), str(name)


def test_a_reservation_takes_a_cluster_placement_group_only(plugin: Any, made: Make) -> None:
    reservation = {
        "instanceType": P5,
        "instancePlatform": "Linux/UNIX",
        "availabilityZone": "us-east-1a",
        "instanceCount": 1,
    }
    spread = made(PLACEMENT, name="loose", strategy="spread")
    arn = "arn:aws:ec2:us-east-1:123456789012:placement-group/"

    loose = plugin.refusal(RESERVATION, {**reservation, "placementGroupArn": f"{arn}{spread}"})
    nowhere = plugin.refusal(RESERVATION, {**reservation, "placementGroupArn": f"{arn}none"})

    assert "takes a placement group of strategy cluster, and 'loose'" in loose
    assert nowhere.startswith("InvalidPlacementGroup.Unknown: ")


def test_a_launch_fits_the_reservation_that_it_targets(
    plugin: Any, made: Make, subnet: str, reserved: tuple[str, str]
) -> None:
    reservation, name = reserved
    inside = {"placement": {"groupName": name}}
    fits = made(TEMPLATE, **targeting(reservation, **inside))
    other = made(TEMPLATE, **targeting(reservation, instanceType="p4d.24xlarge", **inside))
    outside = made(TEMPLATE, **targeting(reservation))

    made(GROUP, **group_of(fits, subnet, 2))
    many = plugin.refusal(GROUP, group_of(fits, subnet, 3))
    different = plugin.refusal(GROUP, group_of(other, subnet))
    apart = plugin.refusal(GROUP, group_of(outside, subnet))

    assert many.startswith("ReservationCapacityExceeded: ")
    assert "instance type p4d.24xlarge does not match" in different
    assert "was made in the placement group 'tight', and the launch names none" in apart


def test_a_block_is_used_with_its_market_type_alone(
    plugin: Any, made: Make, subnet: str, reserved: tuple[str, str]
) -> None:
    block = "cr-0b10c00000000000b"
    facts = {"instanceType": P5, "availabilityZone": "us-east-1a", "instanceCount": 4}
    sandbox.add_existing(BLOCK, block, facts)
    market = {"instanceMarketOptions": {"marketType": "capacity-block"}}
    right = made(TEMPLATE, **targeting(block, **market))
    plain = made(TEMPLATE, **targeting(block))
    reservation, name = reserved
    inside = {"placement": {"groupName": name}}
    wrong = made(TEMPLATE, **targeting(reservation, **market, **inside))
    none = made(TEMPLATE, instanceType=P5, **market)

    made(GROUP, **group_of(right, subnet, 4))
    refused = [
        plugin.refusal(GROUP, group_of(options, subnet)) for options in (plain, wrong, none)
    ]

    assert "The market type (purchasing) option is not valid" in refused[0]
    assert "The market type (purchasing) option is not valid" in refused[1]
    assert "needs the id of a Capacity Block" in refused[2]
    assert sandbox.remove(block).properties["instanceCount"] == 4


def test_locks_and_copies_need_versions(plugin: Any, made: Make) -> None:
    bucket, copy = made(BUCKET, bucket="unversioned-a"), made(BUCKET, bucket="unversioned-b")
    role = made("aws:iam/role:Role", assumeRolePolicy=TRUST)
    rule = {"status": "Enabled", "destination": {"bucket": f"arn:aws:s3:::{copy}"}}
    copying = {"bucket": bucket, "role": f"{ROLE}{role}", "rules": [rule]}
    token = "aws:s3/bucketReplicationConfig:BucketReplicationConfig"

    lock = plugin.refusal(
        "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
        {"bucket": bucket, "rule": {"defaultRetention": {"mode": "COMPLIANCE", "days": 1}}},
    )
    source = plugin.refusal(token, copying)
    made(VERSIONS, bucket=bucket, versioningConfiguration={"status": "Enabled"})
    target = plugin.refusal(token, copying)

    assert lock.startswith("InvalidBucketState: Versioning must be 'Enabled' on the bucket")
    assert source.startswith("InvalidRequest: Versioning must be 'Enabled' on the bucket")
    assert target.startswith("InvalidRequest: Destination bucket must have versioning enabled")


def test_a_schedule_in_the_past_is_refused(plugin: Any, made: Make) -> None:
    role = made("aws:iam/role:Role", assumeRolePolicy=TRUST)
    arn = "arn:aws:sns:us-east-1:123456789012:x"
    target = {"arn": arn, "roleArn": f"{ROLE}{role}"}
    rest = {"flexibleTimeWindow": {"mode": "OFF"}, "target": target}
    soon = datetime.now(UTC) + timedelta(hours=1)

    past = plugin.refusal(SCHEDULE, {"scheduleExpression": "at(2020-01-01T00:00:00)", **rest})
    broken = plugin.refusal(SCHEDULE, {"scheduleExpression": "at(tomorrow)", **rest})
    made(SCHEDULE, scheduleExpression=f"at({soon:%Y-%m-%dT%H:%M:%S})", **rest)

    assert "ValidationException: Invalid Schedule Expression at(2020-01-01T00:00:00)" in past
    assert "Invalid Schedule Expression at(tomorrow)" in broken


def test_a_file_system_needs_its_ports_open(plugin: Any, made: Make, subnet: str) -> None:
    inputs = {
        "subnetIds": subnet,
        "deploymentType": "PERSISTENT_2",
        "perUnitStorageThroughput": 250,
        "storageCapacity": 4800,
        "metadataConfiguration": {"mode": "AUTOMATIC"},
    }
    vpc = boto3_of("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"]
    group = made("aws:ec2/securityGroup:SecurityGroup", vpcId=vpc)
    own = {"securityGroupId": group, "ipProtocol": "-1", "referencedSecurityGroupId": group}
    closed = plugin.refusal(LUSTRE, {**inputs, "securityGroupIds": [group]})
    made("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", **own)
    efa = {**inputs, "securityGroupIds": [group], "efaEnabled": True}
    one_way = plugin.refusal(LUSTRE, efa)
    made("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", **own)
    made(LUSTRE, **efa)

    assert "do not permit Lustre LNET network traffic on port 988" in closed
    assert "to allow all internal inbound and outbound traffic" in one_way


def test_an_instant_fleet_ends_with_its_machines_and_never_changes(
    plugin: Any, made: Make, subnet: str
) -> None:
    template = made(TEMPLATE, instanceType="g5.xlarge", imageId="ami-05a4db0000d122041")
    launch = {"launchTemplateSpecification": {"launchTemplateId": template, "version": "1"}}
    inputs = {
        "type": "instant",
        "launchTemplateConfigs": [{**launch, "overrides": [{"subnetId": subnet}]}],
        "targetCapacitySpecification": {
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 2,
        },
    }
    fleet, outputs = plugin.create(FLEET, inputs, name="burst")
    more = {**inputs["targetCapacitySpecification"], "totalTargetCapacity": 3}
    grown = {**inputs, "targetCapacitySpecification": more}

    assert outputs["fulfilledCapacity"] == 2
    assert [len(instances["instanceIds"]) for instances in outputs["fleetInstanceSets"]] == [2]
    with pytest.raises(grpc.RpcError, match="a fleet of type instant can't be modified"):
        plugin.update(FLEET, fleet, grown, inputs, outputs)
    with pytest.raises(grpc.RpcError, match="can be deleted only with its instances"):
        plugin.delete(FLEET, fleet, outputs)
    plugin.delete(FLEET, fleet, {**outputs, "terminateInstances": True})
    assert plugin.read(FLEET, fleet, "burst", outputs=outputs).id == ""


def test_code_that_is_not_there_is_said(plugin: Any, made: Make) -> None:
    role = made("aws:iam/role:Role", assumeRolePolicy=TRUST)
    lost = {SIGNATURE: archive()[SIGNATURE], "path": "/nowhere", "hash": "1"}
    inputs = {"role": f"{ROLE}{role}", "handler": "main.main", "runtime": "python3.12"}

    message = plugin.refusal(FUNCTION, {**inputs, "code": lost})
    none = plugin.check(FUNCTION, inputs)[1]

    assert "UnreadableAsset: the asset /nowhere can't be read" in message
    assert "missing required one of 'code', 'imageUri', 's3Bucket'" in none["code"]


def test_images_keys_and_identities_are_looked_up(plugin: Any, made: Make) -> None:
    made("aws:ecr/repository:Repository", name="served", forceDelete=True)
    layer = {"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": 1}
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {"size": 1, "digest": f"sha256:{'1' * 64}"},
        "layers": [{**layer, "digest": f"sha256:{'2' * 64}"}],
    }
    put = boto3_of("ecr").put_image(
        repositoryName="served", imageManifest=json.dumps(manifest), imageTag="v1"
    )
    digest = put["image"]["imageId"]["imageDigest"]
    key = made("aws:kms/key:Key", description="data")
    made("aws:kms/alias:Alias", name="alias/data", targetKeyId=key)
    provider = made(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        url="https://login.example.com",
        clientIdLists=["ci"],
    )
    queue = made("aws:sqs/queue:Queue", name="asked")
    image, url = "aws:ecr/getImage:getImage", "https://login.example.com"

    answer = plugin.invoke(image, repositoryName="served", imageTag="v1")
    by_digest = plugin.invoke(image, repositoryName="served", imageDigest=digest)

    assert answer["imageDigest"] == by_digest["imageDigest"] == digest
    assert answer["imageUri"].endswith(f"/served@{digest}")
    assert plugin.invoke("aws:kms/getKey:getKey", keyId="alias/data")["id"] == key
    assert plugin.invoke("aws:kms/getAlias:getAlias", name="alias/data")["targetKeyId"] == key
    token = "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"
    assert plugin.invoke(token, url=url)["arn"] == provider
    assert plugin.invoke("aws:sqs/getQueue:getQueue", name="asked")["url"] == queue
    with pytest.raises(grpc.RpcError, match="ImageNotFoundException"):
        plugin.invoke(image, repositoryName="served", imageDigest=f"sha256:{'0' * 64}")
    with pytest.raises(grpc.RpcError, match="RepositoryNotFoundException"):
        plugin.invoke(image, repositoryName="nowhere", imageTag="v1")


@pytest.mark.parametrize(
    ("token", "inputs", "message"),
    [
        (
            "aws:ec2/vpc:Vpc",
            {"cidrBlock": "10.99.0.0/16"},
            "UnauthorizedOperation: You are not authorized to perform this operation. User: ",
        ),
        (BUCKET, {}, "AccessDenied: User: "),
        ("aws:kms/key:Key", {}, "AccessDeniedException: User: "),
    ],
)
def test_a_right_that_is_missing(
    token: str,
    inputs: dict[str, Any],
    message: str,
    plugin: Any,
    waiting: Callable[..., InjectedFault],
) -> None:
    waiting(kind="unauthorized", type=token, times=1)

    refusal = plugin.refusal(token, inputs)

    assert refusal.startswith(message)
    assert "is not authorized to perform: " in refusal


def test_what_is_not_seen_yet_is_tried_again(
    plugin: Any, made: Make, waiting: Callable[..., InjectedFault]
) -> None:
    waiting(kind="not-found-yet", type="aws:ec2/internetGateway:InternetGateway", times=2)
    vpc = made("aws:ec2/vpc:Vpc", cidrBlock="10.98.0.0/16")

    made("aws:ec2/internetGateway:InternetGateway", vpcId=vpc)

    assert faults.active_faults() == []


def test_what_is_never_seen_is_refused(
    plugin: Any, made: Make, subnet: str, waiting: Callable[..., InjectedFault]
) -> None:
    waiting(kind="not-found-yet", type=GROUP, times=9)
    template = made(TEMPLATE, instanceType="g5.xlarge")

    refusal = plugin.refusal(GROUP, group_of(template, subnet))

    assert refusal.startswith(f"InvalidSubnetID.NotFound: The subnet ID '{subnet}' does not exist")


def test_spot_costs_more_than_was_offered(
    plugin: Any, subnet: str, waiting: Callable[..., InjectedFault]
) -> None:
    waiting(kind="spot-price", zone="us-east-1a")
    offered = {"marketType": "spot", "spotOptions": {"maxPrice": "1.25"}}
    machine = {"instanceType": "g5.xlarge", "ami": "ami-05a4db0000d122041", "subnetId": subnet}

    refusal = plugin.refusal(INSTANCE, {**machine, "instanceMarketOptions": offered})
    resource_id, outputs = plugin.create(INSTANCE, machine, name="plain")
    plugin.delete(INSTANCE, resource_id, outputs)

    assert refusal.startswith("SpotMaxPriceTooLow: Your Spot request price of 1.25 for g5.xlarge")


def test_a_group_that_waits_for_nothing_stands_without_machines(
    plugin: Any, made: Make, subnet: str, waiting: Callable[..., InjectedFault]
) -> None:
    waiting(kind="launches-fail", times=1)
    template = made(TEMPLATE, instanceType="g5.xlarge", imageId="ami-05a4db0000d122041")
    inputs = {**group_of(template, subnet, 2), "name": "empty", "waitForCapacityTimeout": "0"}

    made(GROUP, **inputs)

    listed = boto3_of("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=["empty"])
    assert listed["AutoScalingGroups"][0]["Instances"] == []
    assert faults.active_faults() == []


def test_a_function_needs_a_role_that_stands(plugin: Any) -> None:
    inputs = {"handler": "main.main", "runtime": "python3.12", "code": archive()}

    refusal = plugin.refusal(FUNCTION, {**inputs, "role": f"{ROLE}{NOWHERE}"})

    assert "The role defined for the function cannot be assumed by Lambda" in refusal


def boto3_of(service: str) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )
