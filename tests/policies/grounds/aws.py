"""Machines on AWS as strangers write them; boto3 says what runs."""

from typing import Any

import boto3
import pulumi

from tests.policies.ground import Cloud, Ground, Kind, PerHour

MACHINE = "p5.48xlarge"
IMAGES = ("ami-12c6146b", "ami-785db401")
INSTANCE = "aws:ec2/instance:Instance"
GROUP = "aws:autoscaling/group:Group"
REPOSITORY = "aws:ecr/repository:Repository"
TAG = "cap-test"


def instance(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    import pulumi_aws as aws

    return aws.ec2.Instance(
        name,
        ami=IMAGES[ground.edition],
        instance_type=MACHINE,
        associate_public_ip_address=False,
        root_block_device={"encrypted": True, "volume_size": 100, "volume_type": "gp3"},
        tags={TAG: ground.project},
        opts=ground.options,
    )


def group(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    """A scaling group of a fixed size."""
    return _group(ground, name, ground.size)


def pool(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    """A scaling group that may grow."""
    return _group(ground, name, 1)


def _group(ground: Ground, name: str, least: int) -> pulumi.Resource:
    import pulumi_aws as aws

    template = aws.ec2.LaunchTemplate(
        f"{name}-template", image_id=IMAGES[ground.edition], instance_type=MACHINE
    )
    return aws.autoscaling.Group(
        name,
        min_size=least,
        max_size=ground.size,
        availability_zones=["us-east-1a"],
        launch_template={"id": template.id, "version": "$Latest"},
        tags=[{"key": TAG, "value": ground.project, "propagate_at_launch": True}],
    )


def repository(made: list[pulumi.Resource]) -> None:
    import pulumi_aws as aws

    aws.ecr.Repository("work", opts=pulumi.ResourceOptions(depends_on=made))


def other_machine(made: list[pulumi.Resource]) -> None:
    import pulumi_aws as aws

    aws.ec2.Instance(
        "other",
        ami=IMAGES[0],
        instance_type="m5.metal",  # bare metal without GPUs is in no table of prices
        opts=pulumi.ResourceOptions(depends_on=made),
    )


def running(ground: Ground) -> int:
    """How many machines run, or may, in the groups and by themselves."""
    return _alone(ground) + _grouped(ground)


def _alone(ground: Ground) -> int:
    filters = [
        {"Name": f"tag:{TAG}", "Values": [ground.project]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    answer = _client("ec2", ground).describe_instances(Filters=filters)
    return sum(
        not any(tag["Key"].startswith("aws:autoscaling") for tag in instance["Tags"])
        for reservation in answer["Reservations"]
        for instance in reservation["Instances"]
    )


def _grouped(ground: Ground) -> int:
    listed = _client("autoscaling", ground).describe_auto_scaling_groups()
    return sum(
        auto_scaling_group["MaxSize"]
        for auto_scaling_group in listed["AutoScalingGroups"]
        if (TAG, ground.project)
        in {(tag["Key"], tag["Value"]) for tag in auto_scaling_group["Tags"]}
    )


def _client(service: str, ground: Ground) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=ground.environment["AWS_ENDPOINT_URL"],
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


CLOUD = Cloud(
    name="aws",
    price=PerHour("55.04"),
    kinds={
        "instance": Kind(INSTANCE, instance),
        "group": Kind(GROUP, group),
        "pool": Kind(GROUP, pool),
    },
    running=running,
    unpriced={"type": repository, "machine": other_machine},
    unpriced_type=REPOSITORY,
)
