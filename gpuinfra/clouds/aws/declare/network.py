"""The network of a workload: its own, or the caller's."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.declare import existing_network
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.zones import offered_zones
from gpuinfra.clouds.aws.network import NetworkPlan, SubnetPlan
from gpuinfra.clouds.declaring.inputs import CallersNetwork
from gpuinfra.clouds.declaring.network import NetworkPlace, take_callers
from gpuinfra.graph import Options, Ref, Resource

ANYWHERE: Final = "0.0.0.0/0"

SECURITY_GROUP: Final = "aws:ec2/securityGroup:SecurityGroup"
INGRESS: Final = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"

_ROUTE: Final = "aws:ec2/route:Route"
_ROUTES: Final = "aws:ec2/routeTable:RouteTable"
_ENDPOINT: Final = "aws:ec2/vpcEndpoint:VpcEndpoint"


def place_of(
    children: Children,
    network: NetworkPlan,
    callers_network: CallersNetwork | None,
    need: existing_network.SubnetNeed,
) -> NetworkPlace:
    """Return the network location of a workload's machines.

    Args:
        children: of its component.
        network: of a network of its own.
        callers_network: a network that the component is given; before the one that the stack
            file names.
        need: the requirements on existing subnets.

    Raises:
        InputError: the number of subnets does not fit.
    """
    spec = children.spec.network
    if callers_network is not None:
        return take_callers(
            children.spec.name,
            callers_network,
            subnets=need.count_text,
            accepts_count=need.accepts,
        )
    if spec is not None and spec.vpc is not None:
        return existing_network.existing_network(children, spec, need)
    return make_own(children, network, offered_zones(children, network, need.types))


def make_own(children: Children, network: NetworkPlan, zones: Mapping[str, Any]) -> NetworkPlace:
    """Declare a network: private subnets, an S3 endpoint, and a route to the other services.

    That way is a NAT gateway or, in a network without one, endpoints of the services. The S3
    gateway endpoint is free and keeps data off the NAT gateway, which bills by the byte:
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html

    Args:
        children: of the component that has it.
        network: its layout.
        zones: its zones by name, once they are seen to offer the machines.
    """
    vpc = children.make(
        "aws:ec2/vpc:Vpc",
        "vpc",
        cidrBlock=network.cidr,
        enableDnsHostnames=True,
        enableDnsSupport=True,
    )
    private_routes = children.make(_ROUTES, "private_routes", vpcId=vpc["id"])
    private = [_make(children, vpc, subnet, private_routes, zones) for subnet in network.private]
    subnet_ids = [subnet["id"] for subnet, _ in private]
    start_after = [
        *(_nat_gateway(children, network, vpc, private_routes, zones) if network.public else ()),
        children.make(
            _ENDPOINT,
            "s3_endpoint",
            vpcId=vpc["id"],
            serviceName=f"com.amazonaws.{children.spec.region}.s3",
            vpcEndpointType="Gateway",
            routeTableIds=[private_routes["id"]],
        ),
        *_endpoints(children, network, vpc, subnet_ids),
        *(association for _, association in private),
    ]
    if network.flow_logs:
        from gpuinfra.clouds.aws.declare import flow_logs  # noqa: PLC0415  (few stacks ask for them)

        flow_logs.make(children, vpc)
    return NetworkPlace(
        vpc_id=vpc["id"],
        subnet_ids=subnet_ids,
        cidr_block=network.cidr,
        start_after=[resource.key for resource in start_after],
    )


def _nat_gateway(
    children: Children,
    network: NetworkPlan,
    vpc: Resource,
    private_routes: Resource,
    zones: Mapping[str, Any],
) -> list[Resource]:
    """Declare a NAT gateway in a public subnet; return the resources that outlive the machines."""
    gateway = children.make(
        "aws:ec2/internetGateway:InternetGateway", "internet_gateway", vpcId=vpc["id"]
    )
    public_routes = children.make(_ROUTES, "public_routes", vpcId=vpc["id"])
    public = [_make(children, vpc, subnet, public_routes, zones) for subnet in network.public]
    outward = children.make(
        _ROUTE,
        "public_default",
        routeTableId=public_routes["id"],
        destinationCidrBlock=ANYWHERE,
        gatewayId=gateway["id"],
    )
    address = children.make("aws:ec2/eip:Eip", "nat_address", domain="vpc")
    nat = children.make(
        "aws:ec2/natGateway:NatGateway",
        "nat_gateway",
        # Two gateways can't hold one address, so a new one is made after the old one is gone.
        Options(depends_on=(outward.key,), delete_before_replace=True),
        allocationId=address["id"],
        subnetId=public[0][0]["id"],
    )
    nat_route = children.make(
        _ROUTE,
        "private_default",
        routeTableId=private_routes["id"],
        destinationCidrBlock=ANYWHERE,
        natGatewayId=nat["id"],
    )
    return [nat_route, *(association for _, association in public)]


def _endpoints(
    children: Children, network: NetworkPlan, vpc: Resource, subnet_ids: Sequence[Ref]
) -> list[Resource]:
    """Declare the endpoints of services, which only the network's machines reach, by HTTPS."""
    if not network.endpoints:
        return []
    firewall = children.make(
        SECURITY_GROUP,
        "endpoint_firewall",
        vpcId=vpc["id"],
        description=f"Endpoints of {children.spec.name}",
    )
    children.make(
        INGRESS,
        "endpoint_ingress",
        securityGroupId=firewall["id"],
        cidrIpv4=network.cidr,
        ipProtocol="tcp",
        fromPort=443,
        toPort=443,
    )
    return [
        children.make(
            _ENDPOINT,
            f"{service.replace('.', '_')}_endpoint",
            vpcId=vpc["id"],
            serviceName=f"com.amazonaws.{children.spec.region}.{service}",
            vpcEndpointType="Interface",
            privateDnsEnabled=True,
            subnetIds=subnet_ids,
            securityGroupIds=[firewall["id"]],
        )
        for service in network.endpoints
    ]


def _make(
    children: Children,
    vpc: Resource,
    subnet: SubnetPlan,
    routes: Resource,
    zones: Mapping[str, Any],
) -> tuple[Resource, Resource]:
    """Declare a subnet and its association with a route table."""
    child = _child(subnet.name)
    resource = children.make(
        "aws:ec2/subnet:Subnet",
        child,
        vpcId=vpc["id"],
        availabilityZone=zones[subnet.zone],
        cidrBlock=subnet.cidr,
        mapPublicIpOnLaunch=False,
    )
    association = children.make(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        association_of(subnet.name),
        subnetId=resource["id"],
        routeTableId=routes["id"],
    )
    return resource, association


def association_of(subnet: str) -> str:
    """Return the child name of a subnet's association with its routes."""
    return f"{_child(subnet)}_routes"


def _child(subnet: str) -> str:
    return f"{subnet.replace('-', '_')}_subnet"
