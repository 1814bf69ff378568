"""Components in a program that has a network, a provider and conventions of its own."""

import ipaddress

import pulumi
import pulumi_aws as aws

from gpuinfra import (
    BucketArgs,
    Checkpoints,
    DataBucket,
    Mount,
    Network,
    TrainingArgs,
    TrainingCluster,
)

REGION = "us-east-1"
ZONE = "us-east-1b"
RANGE = ipaddress.ip_network("10.20.0.0/16")


def described(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """The company's convention: every security group says who made it."""
    if args.type_ != "aws:ec2/securityGroup:SecurityGroup":
        return None
    props = {**args.props, "description": "Managed by the platform team's program"}
    return pulumi.ResourceTransformResult(props=props, opts=args.opts)


def network(provider: aws.Provider) -> Network:
    """A VPC with a private subnet, whose way out and whose way to S3 are the program's own."""
    own = pulumi.ResourceOptions(provider=provider)
    public_range, private_range = list(RANGE.subnets(new_prefix=20))[:2]
    vpc = aws.ec2.Vpc("shared", cidr_block=str(RANGE), enable_dns_hostnames=True, opts=own)
    gateway = aws.ec2.InternetGateway("shared", vpc_id=vpc.id, opts=own)
    public = aws.ec2.Subnet(
        "public",
        vpc_id=vpc.id,
        cidr_block=str(public_range),
        availability_zone=ZONE,
        opts=own,
    )
    private = aws.ec2.Subnet(
        "private",
        vpc_id=vpc.id,
        cidr_block=str(private_range),
        availability_zone=ZONE,
        opts=own,
    )
    outward = aws.ec2.RouteTable(
        "public",
        vpc_id=vpc.id,
        routes=[{"cidr_block": "0.0.0.0/0", "gateway_id": gateway.id}],
        opts=own,
    )
    aws.ec2.RouteTableAssociation(
        "public", subnet_id=public.id, route_table_id=outward.id, opts=own
    )
    address = aws.ec2.Eip("nat", domain="vpc", opts=own)
    nat = aws.ec2.NatGateway("nat", subnet_id=public.id, allocation_id=address.id, opts=own)
    inward = aws.ec2.RouteTable(
        "private",
        vpc_id=vpc.id,
        routes=[{"cidr_block": "0.0.0.0/0", "nat_gateway_id": nat.id}],
        opts=own,
    )
    aws.ec2.RouteTableAssociation(
        "private", subnet_id=private.id, route_table_id=inward.id, opts=own
    )
    aws.ec2.VpcEndpoint(
        "s3",
        vpc_id=vpc.id,
        service_name=f"com.amazonaws.{REGION}.s3",
        route_table_ids=[inward.id],
        opts=own,
    )
    return Network(vpc_id=vpc.id, subnet_ids=[private.id], cidr_block=vpc.cidr_block)


pulumi.runtime.register_resource_transform(described)
account = aws.Provider("platform", region=REGION, default_tags={"tags": {"team": "platform"}})
place = network(account)

data = DataBucket(
    "tokens",
    BucketArgs(region=REGION, size="2TB", keep_noncurrent="14d"),
    tags={"cost-center": "4711"},
    opts=pulumi.ResourceOptions(providers=[account]),
)
cluster = TrainingCluster(
    "trainer",
    TrainingArgs(
        region=REGION,
        zones=[ZONE],
        instance="g6.8xlarge",
        nodes=2,
        fabric="required",
        capacity="spot",
        max_price="1.50",
        duration="4h",
        data=[Mount(bucket="tokens", prefix="train/")],
        checkpoints=Checkpoints(bucket="tokens", prefix="checkpoints/", every="10m"),
    ),
    buckets={"tokens": data},
    network=place,
    tags={"cost-center": "4711"},
    customize={"launch_template": {"ebs_optimized": "true"}},
    opts=pulumi.ResourceOptions(providers=[account]),
)

# What another stack may build on: stacks/import-consumer does.
pulumi.export("machineRole", cluster.identity)
pulumi.export("groupName", cluster.group_name)
pulumi.export("bucketName", data.bucket_name)
pulumi.export("networkId", place.vpc_id)
