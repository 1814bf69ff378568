"""A moto server on loopback, and what resources need to stand on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.request import Request, urlopen

import pytest

from gpuinfra.sandbox.plugin.contract import Call

REGION = "us-east-1"
TRUST = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",'
    ' "Principal": {"Service": "ec2.amazonaws.com"}}]}'
)


@pytest.fixture(scope="module")
def client() -> Iterator[Callable[[str], Any]]:
    import logging

    import boto3
    from botocore.config import Config
    from moto.server import ThreadedMotoServer

    environment = pytest.MonkeyPatch()
    environment.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    # Another test of this process may have left moto without AWS's own policies.
    urlopen(Request(f"http://{host}:{port}/moto-api/reset", method="POST")).close()

    @cache
    def make(service: str) -> Any:
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=f"http://{host}:{port}",
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",
            config=Config(s3={"addressing_style": "path"}),
        )

    yield make
    for service in ("ec2", "s3"):
        make(service).close()
    server.stop()
    environment.undo()


@dataclass
class Stage:
    """Things made with boto3 alone, once per module, for resources to refer to."""

    client: Callable[[str], Any]
    made: dict[str, Any] = field(default_factory=dict)

    def call(self, token: str, inputs: dict[str, Any], name: str = "it") -> Call:
        urn = f"urn:pulumi:test::sandbox::{token}::{name}"
        return Call(token, name, urn, inputs, REGION, self.client)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    @property
    def vpc(self) -> str:
        ec2 = self.client("ec2")
        return self.once("vpc", lambda: ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"])

    @property
    def subnet(self) -> str:
        return self._subnet("10.9.1.0/24", "us-east-1a")

    @property
    def other_subnet(self) -> str:
        return self._subnet("10.9.2.0/24", "us-east-1b")

    def _subnet(self, cidr: str, zone: str) -> str:
        ec2, vpc = self.client("ec2"), self.vpc
        return self.once(
            cidr,
            lambda: ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"][
                "SubnetId"
            ],
        )

    @property
    def group(self) -> str:
        return self._group("stage")

    @property
    def other_group(self) -> str:
        return self._group("stage-other")

    def _group(self, name: str) -> str:
        ec2, vpc = self.client("ec2"), self.vpc
        return self.once(
            name,
            lambda: ec2.create_security_group(GroupName=name, Description="stage", VpcId=vpc)[
                "GroupId"
            ],
        )

    @property
    def gateway(self) -> str:
        ec2 = self.client("ec2")

        def make() -> str:
            made = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
            ec2.attach_internet_gateway(InternetGatewayId=made, VpcId=self.vpc)
            return made

        return self.once("gateway", make)

    @property
    def table(self) -> str:
        ec2 = self.client("ec2")
        return self.once(
            "table",
            lambda: ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"],
        )

    @property
    def allocation(self) -> str:
        ec2 = self.client("ec2")
        return self.once("eip", lambda: ec2.allocate_address(Domain="vpc")["AllocationId"])

    @property
    def image(self) -> str:
        return "ami-12c6146b"  # one of moto's own

    @property
    def template(self) -> str:
        ec2 = self.client("ec2")
        data = {
            "ImageId": self.image,
            "InstanceType": "t3.micro",
            "MetadataOptions": {"HttpTokens": "required"},
        }
        return self.once(
            "template",
            lambda: ec2.create_launch_template(
                LaunchTemplateName="stage", LaunchTemplateData=data
            )["LaunchTemplate"]["LaunchTemplateId"],
        )

    @property
    def asg(self) -> str:
        def make() -> str:
            self.client("autoscaling").create_auto_scaling_group(
                AutoScalingGroupName="stage",
                MinSize=0,
                MaxSize=1,
                VPCZoneIdentifier=self.subnet,
                LaunchTemplate={"LaunchTemplateId": self.template, "Version": "$Latest"},
            )
            return "stage"

        return self.once("asg", make)

    @property
    def role(self) -> str:
        iam = self.client("iam")

        def make() -> str:
            iam.create_role(RoleName="stage", AssumeRolePolicyDocument=TRUST)
            iam.create_instance_profile(InstanceProfileName="stage")
            return "stage"

        return self.once("role", make)

    @property
    def bucket(self) -> str:
        s3 = self.client("s3")
        return self.once(
            "bucket", lambda: s3.create_bucket(Bucket="stage-bucket") and "stage-bucket"
        )

    @property
    def target_group(self) -> str:
        elb = self.client("elbv2")
        return self.once(
            "target group",
            lambda: elb.create_target_group(
                Name="stage", Protocol="HTTP", Port=80, VpcId=self.vpc
            )["TargetGroups"][0]["TargetGroupArn"],
        )

    @property
    def balancer(self) -> str:
        elb, subnets = self.client("elbv2"), [self.subnet, self.other_subnet]
        return self.once(
            "balancer",
            lambda: elb.create_load_balancer(Name="stage", Subnets=subnets, Scheme="internal")[
                "LoadBalancers"
            ][0]["LoadBalancerArn"],
        )

    @property
    def topic(self) -> str:
        sns = self.client("sns")
        return self.once("topic", lambda: sns.create_topic(Name="stage")["TopicArn"])

    @property
    def key(self) -> str:
        kms = self.client("kms")
        return self.once("key", lambda: kms.create_key()["KeyMetadata"]["KeyId"])


@pytest.fixture(scope="module")
def stage(client: Callable[[str], Any]) -> Stage:
    return Stage(client)
