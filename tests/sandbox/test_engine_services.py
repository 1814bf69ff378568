"""The newer AWS types under the real engine, many in one program: life, content, drift, end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pulumi
import pytest
from pulumi import automation
from pulumi.automation.errors import CommandError
from pulumi_aws import (
    acm,
    autoscaling,
    cloudwatch,
    ec2,
    ecr,
    fsx,
    iam,
    kms,
    lambda_,
    s3,
    scheduler,
    sns,
    sqs,
    ssm,
    vpc,
)

from gpuinfra import sandbox
from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault

pytestmark = pytest.mark.e2e

Stack = Callable[..., automation.Stack]
ZONE = "us-east-1a"
WEEK = 7


def trusted(service: str) -> str:
    allow = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow]})


def changed(result: Any) -> dict[str, int]:
    return {key: n for key, n in result.summary.resource_changes.items() if key != "same"}


def client(service: str) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


def guards(code: pulumi.Archive, minutes: int, tags: dict[str, str]) -> None:
    """What stops a stack: topic, function, schedule, alarm, and the rights around them."""
    role = iam.Role("stop", assume_role_policy=trusted("lambda.amazonaws.com"))
    waker = iam.Role("waker", assume_role_policy=trusted("scheduler.amazonaws.com"))
    topic = sns.Topic("alerts", tags=tags)
    sns.TopicPolicy("alerts", arn=topic.arn, policy=trusted("budgets.amazonaws.com"))
    stop = lambda_.Function(
        "stop",
        role=role.arn,
        runtime="python3.12",
        handler="stop.main",
        code=code,
        timeout=minutes * 60,
        environment={"variables": {"STACK": "demo"}},
        tags=tags,
    )
    lambda_.Permission(
        "alerts",
        function=stop.name,
        action="lambda:InvokeFunction",
        principal="sns.amazonaws.com",
        source_arn=topic.arn,
    )
    group = scheduler.ScheduleGroup("demo", tags=tags)
    scheduler.Schedule(
        "deadline",
        group_name=group.name,
        schedule_expression="at(2036-01-01T00:00:00)",
        flexible_time_window={"mode": "OFF"},
        target={"arn": stop.arn, "role_arn": waker.arn},
    )
    rule = cloudwatch.EventRule("spot", event_pattern=json.dumps({"source": ["aws.ec2"]}))
    cloudwatch.EventTarget("spot", rule=rule.name, arn=topic.arn)
    logs = cloudwatch.LogGroup("nodes", retention_in_days=7)
    cloudwatch.LogMetricFilter(
        "xid",
        log_group_name=logs.name,
        pattern="NVRM Xid",
        metric_transformation={"name": "Xid", "namespace": "gpuinfra", "value": "1"},
    )
    cloudwatch.CompositeAlarm("any", alarm_name="any", alarm_rule="ALARM(idle)", tags=tags)
    iam.OpenIdConnectProvider(
        "ci",
        url="https://token.actions.githubusercontent.com",
        client_id_lists=["sts.amazonaws.com"],
    )
    iam.ServiceLinkedRole("spot", aws_service_name="spot.amazonaws.com")


def stores(script: pulumi.Asset, days: int, tags: dict[str, str]) -> None:
    """A bucket with companions, its objects, a key with a grant, images, a file system."""
    key = kms.Key("data", description="data")
    role = iam.Role("copy", assume_role_policy=trusted("s3.amazonaws.com"))
    kms.Grant(
        "machines",
        key_id=key.key_id,
        grantee_principal=role.arn,
        operations=["Decrypt", "GenerateDataKey"],
    )
    buckets = [s3.Bucket(name, force_destroy=True, tags=tags) for name in ("data", "copy")]
    versions = [
        s3.BucketVersioning(
            f"versions{place}",
            bucket=bucket.id,
            versioning_configuration={"status": "Enabled"},
        )
        for place, bucket in enumerate(buckets)
    ]
    data, copy = buckets
    after = pulumi.ResourceOptions(depends_on=versions)
    s3.BucketObjectLockConfiguration(
        "lock",
        bucket=data.id,
        rule={"default_retention": {"mode": "GOVERNANCE", "days": days}},
        opts=after,
    )
    s3.BucketReplicationConfig(
        "copy",
        bucket=data.id,
        role=role.arn,
        rules=[{"status": "Enabled", "destination": {"bucket": copy.arn}}],
        opts=after,
    )
    s3.BucketIntelligentTieringConfiguration(
        "cold",
        bucket=copy.id,
        tierings=[{"access_tier": "ARCHIVE_ACCESS", "days": 90}],
    )
    s3.BucketObjectv2("start.sh", bucket=copy.id, source=script)
    s3.BucketObjectv2("note", bucket=copy.id, content=f"{days} days")
    queue = sqs.Queue("jobs")
    sqs.QueuePolicy("jobs", queue_url=queue.url, policy=trusted("s3.amazonaws.com"))
    sqs.RedriveAllowPolicy(
        "jobs",
        queue_url=queue.url,
        redrive_allow_policy=json.dumps({"redrivePermission": "denyAll"}),
    )
    images = ecr.Repository("serving", force_delete=True, tags=tags)
    ecr.LifecyclePolicy("serving", repository=images.name, policy=kept(days))
    ecr.RepositoryPolicy("serving", repository=images.name, policy=trusted("ecs.amazonaws.com"))
    acm.Certificate("front", domain_name="serving.example.com", validation_method="DNS")
    run = {"schemaVersion": "2.2", "description": f"{days}", "mainSteps": []}
    ssm.Document("check", document_type="Command", content=json.dumps(run))
    net = ec2.Vpc("net", cidr_block="10.0.0.0/16")
    ec2.FlowLog(
        "net",
        vpc_id=net.id,
        traffic_type="ALL",
        log_destination_type="s3",
        log_destination=copy.arn,
    )
    files(net, copy, days)


def files(net: ec2.Vpc, bucket: s3.Bucket, days: int) -> None:
    """A file system with a bucket behind it, and the way to it."""
    place = ec2.Subnet("a", vpc_id=net.id, cidr_block="10.0.1.0/24", availability_zone=ZONE)
    group = ec2.SecurityGroup("files", vpc_id=net.id)
    way = vpc.SecurityGroupIngressRule(
        "files",
        security_group_id=group.id,
        ip_protocol="-1",
        referenced_security_group_id=group.id,
    )
    system = fsx.LustreFileSystem(
        "files",
        subnet_ids=place.id,
        security_group_ids=[group.id],
        deployment_type="PERSISTENT_2",
        per_unit_storage_throughput=125,
        storage_capacity=2400 if days == WEEK else 1200,
        opts=pulumi.ResourceOptions(depends_on=[way]),
    )
    fsx.DataRepositoryAssociation(
        "tokens",
        file_system_id=system.id,
        file_system_path="/tokens",
        data_repository_path=pulumi.Output.format("s3://{0}/tokens", bucket.id),
    )


def kept(days: int) -> str:
    """A lifecycle policy that keeps so many images."""
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": days}
    rule = {"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}
    return json.dumps({"rules": [rule]})


def test_many_live_change_in_place_and_leave_nothing(stack: Stack, tmp_path: Path) -> None:
    code = tmp_path / "stop.py"
    code.write_text("print(1)")
    wishes: dict[str, Any] = {"minutes": 1, "days": 30, "tags": {"team": "a"}}

    def program() -> None:
        packed = pulumi.AssetArchive(
            {"stop.py": pulumi.FileAsset(str(code)), "lib/x.py": pulumi.StringAsset("x = 1")}
        )
        guards(packed, wishes["minutes"], wishes["tags"])
        stores(pulumi.FileAsset(str(code)), wishes["days"], wishes["tags"])

    town = stack(program)
    town.up()
    made = {
        record.urn.split("::")[-2] + " " + record.name: record
        for record in sandbox.existing_resources()
    }
    function = made["aws:lambda/function:Function stop"]
    script = made["aws:s3/bucketObjectv2:BucketObjectv2 start.sh"]

    assert changed(town.refresh()) == {}
    assert body(script) == b"print(1)"
    assert script.id.endswith("/start.sh")

    # Exactly what holds the file: all else, and its other content, is found unchanged.
    code.write_text("print(2)")
    assert changed(town.up()) == {"update": 2}
    assert body(script) == b"print(2)"
    assert hash_of(function) != function.properties["codeSha256"]

    wishes |= {"minutes": 2, "days": WEEK, "tags": {"team": "b"}}
    # The function, its schedule group, topic, alarm; lock, buckets, note, repository, document,
    # file system; ECR's lifecycle policies only replace.
    assert changed(town.up()) == {"update": 11, "replace": 1}

    client("lambda").update_function_configuration(FunctionName=function.id, Timeout=3)
    assert changed(town.refresh()) == {"update": 1}
    assert changed(town.up()) == {"update": 1}

    town.destroy()
    assert sandbox.existing_resources() == []
    assert client("lambda").list_functions()["Functions"] == []
    assert client("s3").list_buckets()["Buckets"] == []


def body(script: sandbox.SandboxResource) -> bytes:
    """The object as S3 has it."""
    bucket, _, key = script.id.partition("/")
    return bytes(client("s3").get_object(Bucket=bucket, Key=key)["Body"].read())


def hash_of(function: sandbox.SandboxResource) -> str:
    """The hash of the code as Lambda has it."""
    answer = client("lambda").get_function(FunctionName=function.id)
    return str(answer["Configuration"]["CodeSha256"])


def fleet_and_group() -> None:
    """A group of two machines and, beside it, a fleet of two that start at once."""
    net = ec2.Vpc("net", cidr_block="10.0.0.0/16")
    place = ec2.Subnet(
        "a", vpc_id=net.id, cidr_block="10.0.1.0/24", availability_zone="us-east-1a"
    )
    image = "ami-05a4db0000d122041"
    template = ec2.LaunchTemplate("node", image_id=image, instance_type="g5.xlarge")
    autoscaling.ScalingGroup(
        "nodes",
        min_size=2,
        max_size=2,
        desired_capacity=2,
        vpc_zone_identifiers=[place.id],
        launch_template={"id": template.id, "version": "1"},
    )
    ec2.Fleet(
        "burst",
        type="instant",
        terminate_instances=True,
        launch_template_configs=[
            {
                "launch_template_specification": {
                    "launch_template_id": template.id,
                    "version": "1",
                },
                "overrides": [{"subnet_id": place.id}],
            }
        ],
        target_capacity_specification={
            "default_target_capacity_type": "on-demand",
            "total_target_capacity": 2,
        },
    )


def machines() -> int:
    """How many machines run."""
    alive = [{"Name": "instance-state-name", "Values": ["running", "pending"]}]
    reservations = client("ec2").describe_instances(Filters=alive)["Reservations"]
    return sum(len(reservation["Instances"]) for reservation in reservations)


def test_a_group_without_machines_is_kept_and_mended_by_the_next_up(stack: Stack) -> None:
    group = "aws:autoscaling/group:Group"
    faults.add(InjectedFault(kind="launches-fail", type=group, zone=ZONE, times=1))
    faults.add(InjectedFault(kind="no-capacity", type="aws:ec2/fleet:Fleet", zone=ZONE, times=1))
    town = stack(fleet_and_group)

    with pytest.raises(CommandError) as caught:
        town.up()

    assert "capacity satisfied: scaling activity: Failed: We currently do not have" in str(
        caught.value
    )
    standing = {record.name: record for record in sandbox.existing_resources()}
    assert standing["nodes"].properties["desiredCapacity"] == 2
    assert standing["burst"].properties["fulfilledCapacity"] == 0
    assert machines() == 0

    assert changed(town.up()) == {"update": 1}
    assert machines() == 2
    assert (
        standing["nodes"].id
        == {record.name: record for record in sandbox.existing_resources()}["nodes"].id
    )

    town.destroy()
    assert (machines(), sandbox.existing_resources()) == (0, [])
