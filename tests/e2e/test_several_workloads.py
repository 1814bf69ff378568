"""Workloads of two regions in one program, with outputs of other resources as arguments."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpuinfra import (
    BucketArgs,
    Checkpoints,
    DataBucket,
    InferencePool,
    Mount,
    Network,
    PoolArgs,
    TrainingArgs,
    TrainingCluster,
    TrainingNode,
    sandbox,
)
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, RunRequest, Target

pytestmark = pytest.mark.e2e

POLICIES = Path(__file__).parents[2] / "policies"
CAPS = {"budget": {"per_hour": "30", "per_month": "20000"}}
AMI = "ami-12c6146b"  # one of the sandbox's own
DIGEST = "@sha256:" + "0" * 64


def program() -> None:
    """Two clusters, a machine that shares the network of one, a pool, and two buckets."""
    import pulumi_aws as aws

    east = aws.Provider("east", region="us-east-1", default_tags={"tags": {"team": "platform"}})
    west = aws.Provider("west", region="us-west-2")
    in_east = pulumi.ResourceOptions(providers=[east])
    in_west = pulumi.ResourceOptions(providers=[west])
    own = pulumi.ResourceOptions(provider=east)

    key = aws.kms.Key("data", enable_key_rotation=True, opts=own)
    ops = aws.sns.Topic("ops", opts=own)
    repository = aws.ecr.Repository("serving", opts=own)
    certificate = aws.acm.Certificate(
        "certificate", domain_name="chat.example.com", validation_method="DNS", opts=own
    )
    image = aws.ssm.Parameter("image", type="String", value=AMI, opts=own)
    vpc = aws.ec2.Vpc("serving", cidr_block="10.20.0.0/16", enable_dns_hostnames=True, opts=own)
    subnets = [
        aws.ec2.Subnet(
            f"serving-{zone}",
            vpc_id=vpc.id,
            cidr_block=f"10.20.{start}.0/20",
            availability_zone=f"us-east-1{zone}",
            opts=own,
        )
        for start, zone in ((16, "a"), (32, "b"))
    ]

    data = DataBucket(
        "data",
        BucketArgs(region="us-east-1", encryption=key.arn),
        opts=in_east,
    )
    far = DataBucket("far", BucketArgs(region="us-west-2"), opts=in_west)

    def trainer(name: str, region: str, **more: Any) -> TrainingCluster:
        args = TrainingArgs(
            region=region,
            instance="g6.8xlarge",
            nodes=2,
            fabric="required",
            capacity="spot",
            max_price="1.50",
            duration="4h",
            checkpoints=Checkpoints(bucket="data"),
            notify=[ops.arn] if region == "us-east-1" else [],
        )
        return TrainingCluster(name, args, tags={"topic": ops.name}, **more)

    near = trainer(
        "near",
        "us-east-1",
        buckets={"data": data.bucket_name},
        keys={"data": key.arn},
        opts=in_east,
    )
    trainer("away", "us-west-2", buckets={"data": far}, opts=in_west)
    TrainingNode(
        "box",
        TrainingArgs(region="us-east-1", gpu="L4:1", duration="4h", machine_image=image.value),
        network=Network(vpc_id=near.network_id, subnet_ids=[near.subnet_id]),
        opts=in_east,
    )
    InferencePool(
        "chat",
        PoolArgs(
            region="us-east-1",
            gpu="L4:1",
            replicas="1..2",
            scale_on={"gpu_utilization": "70%"},
            image=pulumi.Output.concat(repository.repository_url, DIGEST),
            args=["--served-model-name", ops.name],
            port=8000,
            data=[Mount(bucket="data")],
            certificate=certificate.arn,
            notify=[ops.arn],
        ),
        buckets={"data": data},
        network=Network(
            vpc_id=vpc.id,
            subnet_ids=[subnet.id for subnet in subnets],
            cidr_block=vpc.cidr_block,
        ),
        opts=in_east,
    )


def test_workloads_of_two_regions_stand_beside_each_other(sandbox_home: Path) -> None:
    request = RunRequest(
        project="several",
        program=program,
        target=Target(name="sandbox", environment=sandbox.environment(region="us-east-1")),
        packs=(Pack(folder=POLICIES / "all", config={"settings": CAPS}),),
    )
    made = lifecycle.up(request)
    again = lifecycle.up(request)
    standing = {record.name: record for record in sandbox.existing_resources()}
    values = {name: record.properties for name, record in standing.items()}
    gone = lifecycle.destroy(request)

    assert made.ok, (made.reason, made.diagnostics)
    assert again.is_unchanged, again.changes
    assert gone.ok, gone.reason
    assert {name for name in values if name.endswith("-nat-gateway")} == {
        "near-nat-gateway",
        "away-nat-gateway",
    }
    assert values["box-group"]["vpcZoneIdentifiers"] == values["near-group"]["vpcZoneIdentifiers"]
    assert values["box-launch-template"]["imageId"] == AMI
    assert values["near-idle"]["alarmActions"] == [values["ops"]["arn"]]
    assert values["chat-unhealthy"]["alarmActions"] == [values["ops"]["arn"]]
    assert "away-idle" not in values
    assert values["chat-listener"]["certificateArn"] == values["certificate"]["arn"]
