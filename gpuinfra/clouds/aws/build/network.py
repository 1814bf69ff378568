"""The network of a workload: its own, or the caller's."""

from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import callers, flow_logs
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.network import Network, Subnet
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import CallersNetwork, Place, take_callers

ANYWHERE: Final = "0.0.0.0/0"

KINDS: Final[Kinds] = {
    "vpc": aws.ec2.Vpc,
    "private_routes": aws.ec2.RouteTable,
    "s3_endpoint": aws.ec2.VpcEndpoint,
}

WAY_OUT: Final[Kinds] = {
    "internet_gateway": aws.ec2.InternetGateway,
    "nat_address": aws.ec2.Eip,
    "nat_gateway": aws.ec2.NatGateway,
    "public_routes": aws.ec2.RouteTable,
    "public_default": aws.ec2.Route,
    "private_default": aws.ec2.Route,
}

CLOSED: Final[Kinds] = {
    "endpoint_firewall": aws.ec2.SecurityGroup,
    "endpoint_ingress": aws.vpc.SecurityGroupIngressRule,
}


def kinds(network: Network) -> Kinds:
    """Every child that an own network of this shape has."""
    subnets: dict[str, type[pulumi.CustomResource]] = {}
    for subnet in network.subnets:
        subnets[_subnet(subnet)] = aws.ec2.Subnet
        subnets[f"{_subnet(subnet)}_routes"] = aws.ec2.RouteTableAssociation
    return {
        **KINDS,
        **(WAY_OUT if network.public else {}),
        **(CLOSED if network.endpoints else {}),
        **{_endpoint(service): aws.ec2.VpcEndpoint for service in network.endpoints},
        **(flow_logs.KINDS if network.flow_logs else {}),
        **subnets,
    }


def place_of(
    children: Children,
    layout: Network,
    theirs: CallersNetwork | None,
    need: callers.Need,
) -> Place:
    """Where a workload's machines stand.

    Args:
        children: of its component.
        layout: of a network of its own.
        theirs: a network that the component is given; before the one that the stack file names.
        need: what the machines need of subnets that are there.

    Raises:
        InputError: the number of subnets does not fit.
    """
    wish = children.order.network
    if theirs is not None:
        return take_callers(
            children.order.name,
            theirs,
            subnets=need.words,
            accepted=need.takes(len(theirs.subnet_ids)),
        )
    if wish is not None and wish.vpc is not None:
        return callers.looked_at(children, wish, need)
    return make_own(children, layout)


def make_own(children: Children, network: Network) -> Place:
    """Make a network: private subnets for machines, S3 direct, and a way to the other services.

    That way is a NAT gateway or, in a network without one, endpoints of the services. The S3
    gateway endpoint is free and keeps data off the NAT gateway, which bills by the byte:
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html
    """
    vpc = children.make(
        aws.ec2.Vpc,
        "vpc",
        cidr_block=network.cidr,
        enable_dns_hostnames=True,
        enable_dns_support=True,
    )
    private_routes = children.make(aws.ec2.RouteTable, "private_routes", vpc_id=vpc.id)
    private = [_make(children, vpc, subnet, private_routes) for subnet in network.private]
    ready = [
        *(_way_out(children, network, vpc, private_routes) if network.public else ()),
        children.make(
            aws.ec2.VpcEndpoint,
            "s3_endpoint",
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{children.order.region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=[private_routes.id],
        ),
        *_endpoints(children, network, vpc, [subnet.id for subnet, _ in private]),
    ]
    if network.flow_logs:
        flow_logs.make(children, vpc)
    return Place(
        vpc_id=vpc.id,
        subnet_ids=[subnet.id for subnet, _ in private],
        cidr_block=network.cidr,
        ready=[*ready, *(association for _, association in private)],
    )


def _way_out(
    children: Children, network: Network, vpc: aws.ec2.Vpc, private_routes: aws.ec2.RouteTable
) -> list[pulumi.Resource]:
    """A NAT gateway in a public subnet; gives what has to be there before a machine starts."""
    gateway = children.make(aws.ec2.InternetGateway, "internet_gateway", vpc_id=vpc.id)
    public_routes = children.make(aws.ec2.RouteTable, "public_routes", vpc_id=vpc.id)
    public = [_make(children, vpc, subnet, public_routes) for subnet in network.public]
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
    return [way_out]


def _endpoints(
    children: Children,
    network: Network,
    vpc: aws.ec2.Vpc,
    subnet_ids: list[pulumi.Output[str]],
) -> list[pulumi.Resource]:
    """The services inside the network, which only its own machines reach, by HTTPS."""
    if not network.endpoints:
        return []
    firewall = children.make(
        aws.ec2.SecurityGroup,
        "endpoint_firewall",
        vpc_id=vpc.id,
        description=f"Endpoints of {children.order.name}",
    )
    children.make(
        aws.vpc.SecurityGroupIngressRule,
        "endpoint_ingress",
        security_group_id=firewall.id,
        cidr_ipv4=network.cidr,
        ip_protocol="tcp",
        from_port=443,
        to_port=443,
    )
    return [
        children.make(
            aws.ec2.VpcEndpoint,
            _endpoint(service),
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{children.order.region}.{service}",
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=subnet_ids,
            security_group_ids=[firewall.id],
        )
        for service in network.endpoints
    ]


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


def _endpoint(service: str) -> str:
    return f"{service.replace('.', '_')}_endpoint"
