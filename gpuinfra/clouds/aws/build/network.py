"""The network of a workload: its own, or the caller's."""

from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.network import Network, Subnet
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place

ANYWHERE: Final = "0.0.0.0/0"

KINDS: Final[Kinds] = {
    "vpc": aws.ec2.Vpc,
    "internet_gateway": aws.ec2.InternetGateway,
    "nat_address": aws.ec2.Eip,
    "nat_gateway": aws.ec2.NatGateway,
    "public_routes": aws.ec2.RouteTable,
    "public_default": aws.ec2.Route,
    "private_routes": aws.ec2.RouteTable,
    "private_default": aws.ec2.Route,
    "s3_endpoint": aws.ec2.VpcEndpoint,
}


def kinds(network: Network) -> Kinds:
    """Every child that an own network of this shape has."""
    subnets: dict[str, type[pulumi.CustomResource]] = {}
    for subnet in network.subnets:
        subnets[_subnet(subnet)] = aws.ec2.Subnet
        subnets[f"{_subnet(subnet)}_routes"] = aws.ec2.RouteTableAssociation
    return {**KINDS, **subnets}


def make_own(children: Children, network: Network) -> Place:
    """Make a network: private subnets for machines, a NAT gateway as the way out, S3 direct.

    The S3 gateway endpoint is free and keeps data off the NAT gateway, which bills by the byte:
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html
    """
    vpc = children.make(
        aws.ec2.Vpc,
        "vpc",
        cidr_block=network.cidr,
        enable_dns_hostnames=True,
        enable_dns_support=True,
    )
    gateway = children.make(aws.ec2.InternetGateway, "internet_gateway", vpc_id=vpc.id)
    public_routes = children.make(aws.ec2.RouteTable, "public_routes", vpc_id=vpc.id)
    private_routes = children.make(aws.ec2.RouteTable, "private_routes", vpc_id=vpc.id)
    public = [_make(children, vpc, subnet, public_routes) for subnet in network.public]
    private = [_make(children, vpc, subnet, private_routes) for subnet in network.private]
    outward = children.make(
        aws.ec2.Route,
        "public_default",
        route_table_id=public_routes.id,
        destination_cidr_block=ANYWHERE,
        gateway_id=gateway.id,
    )
    address = children.make(aws.ec2.Eip, "nat_address", domain="vpc")
    nat = children.make(
        aws.ec2.NatGateway,
        "nat_gateway",
        # Two gateways can't hold one address, so a new one is made after the old one is gone.
        opts=children.options(depends_on=[outward], delete_before_replace=True),
        allocation_id=address.id,
        subnet_id=public[0][0].id,
    )
    way_out = children.make(
        aws.ec2.Route,
        "private_default",
        route_table_id=private_routes.id,
        destination_cidr_block=ANYWHERE,
        nat_gateway_id=nat.id,
    )
    endpoint = children.make(
        aws.ec2.VpcEndpoint,
        "s3_endpoint",
        vpc_id=vpc.id,
        service_name=f"com.amazonaws.{children.order.region}.s3",
        vpc_endpoint_type="Gateway",
        route_table_ids=[private_routes.id],
    )
    return Place(
        vpc_id=vpc.id,
        subnet_ids=[subnet.id for subnet, _ in private],
        cidr_block=network.cidr,
        ready=[way_out, endpoint, *(association for _, association in private)],
    )


def _make(
    children: Children, vpc: aws.ec2.Vpc, subnet: Subnet, routes: aws.ec2.RouteTable
) -> tuple[Any, Any]:
    """A subnet, and its association with a route table."""
    made = children.make(
        aws.ec2.Subnet,
        _subnet(subnet),
        vpc_id=vpc.id,
        availability_zone=subnet.zone,
        cidr_block=subnet.cidr,
        map_public_ip_on_launch=False,
    )
    association = children.make(
        aws.ec2.RouteTableAssociation,
        f"{_subnet(subnet)}_routes",
        subnet_id=made.id,
        route_table_id=routes.id,
    )
    return made, association


def _subnet(subnet: Subnet) -> str:
    return f"{subnet.name.replace('-', '_')}_subnet"
