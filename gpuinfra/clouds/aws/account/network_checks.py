"""Checks that the caller's own subnets can take the machines."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account.account_machines import running
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.aws.registries import region_of
from gpuinfra.units import format_count

NAME: Final = "subnet"
NO_SUBNET: Final = frozenset({"InvalidSubnetID.NotFound", "InvalidSubnetId.Malformed"})
ANYWHERE: Final = "0.0.0.0/0"

_WAYS_OUT: Final = {
    "NatGatewayId": "NAT gateway",
    "TransitGatewayId": "transit gateway",
    "NetworkInterfaceId": "machine of the caller's",
    "InstanceId": "machine of the caller's",
    "VpcPeeringConnectionId": "peering",
    "CoreNetworkArn": "core network",
    "GatewayId": "gateway",
}
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html"""


def subnets(client: AccountClient, need: WorkloadNeed) -> list[Any] | NoAnswer:
    """Return the caller's own subnets as AWS describes them; empty if one doesn't exist.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html
    """
    answer = client.all_rows(
        "ec2",
        need.rung.region,
        "describe_subnets",
        "Subnets",
        SubnetIds=list(need.subnets or ()),
    )
    if isinstance(answer, NoAnswer) and answer.code in NO_SUBNET:
        return []
    return answer


def checks(
    client: AccountClient, need: WorkloadNeed, existing: Sequence[Any], stack: str
) -> Iterator[AccountCheck]:
    """Check the subnets that a workload names; `existing` is what AWS returned for them."""
    names = ", ".join(need.subnets or ())
    item = f"{names}: {need.workload_and_rung}"
    vpcs = sorted({subnet["VpcId"] for subnet in existing})
    yield answered_check(
        NAME,
        item,
        fine=len(existing) == len(need.subnets or ()) and vpcs == [need.network],
        value=f"{len(existing)} found, in {', '.join(vpcs) or 'no network'}",
        allowed=f"{len(need.subnets or ())} in {need.network}",
        fix=f"name subnets of {need.network}: aws ec2 describe-subnets --region "
        f"{need.rung.region} --filters Name=vpc-id,Values={need.network}",
    )
    if not existing:
        return
    zones = sorted({subnet["AvailabilityZone"] for subnet in existing})
    allowed_zones = need.allowed_zones
    yield answered_check(
        NAME,
        f"zone of {item}",
        fine=(len(zones) == 1 or not need.one_zone)
        and (not allowed_zones or set(zones) <= set(allowed_zones)),
        value=", ".join(zones),
        allowed=(", ".join(allowed_zones) or "any") + ("; only one" if need.one_zone else ""),
        fix="name subnets in these zones; machines that train together need one zone",
    )
    yield _public(need, existing, item)
    yield _addresses(client, need, existing, item, stack)
    yield from (_outbound_check(client, need, subnet) for subnet in existing)


def _public(need: WorkloadNeed, existing_subnets: Sequence[Any], label: str) -> AccountCheck:
    """Check that subnets with public addresses do not keep the machines from starting.

    EC2 refuses that for machines with several interfaces:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
    """
    label = f"public addresses in {label}"
    public = [subnet["SubnetId"] for subnet in existing_subnets if subnet["MapPublicIpOnLaunch"]]
    state = f"assigned to every machine in {', '.join(public)}" if public else "none"
    allowed = "none, because EC2 refuses them for several interfaces"
    if not need.has_several_interfaces and need.has_several_interfaces is not None:
        allowed = "any, because the machine has one interface; private subnets are safer"
    fix = (
        "name private subnets, or: aws ec2 modify-subnet-attribute --subnet-id "
        f"{''.join(public[:1])} --no-map-public-ip-on-launch --region {need.rung.region}"
    )
    if public and need.has_several_interfaces is None:
        reason = f"{state}; the number of interfaces per machine is unknown"
        return unknown(NAME, label, reason, fix, allowed)
    return answered_check(
        NAME,
        label,
        fine=not (public and need.has_several_interfaces),
        value=state,
        allowed=allowed,
        fix=fix,
    )


def _addresses(
    client: AccountClient,
    need: WorkloadNeed,
    existing_subnets: Sequence[Any],
    label: str,
    stack: str,
) -> AccountCheck:
    """Check that enough addresses are free, counting those of this stack's machines as free."""
    label = f"free addresses in {label}"
    free = sum(subnet["AvailableIpAddressCount"] for subnet in existing_subnets)
    if need.count is None or need.interfaces is None:
        missing = "machines" if need.count is None else "interfaces per machine"
        return unknown(
            NAME, label, f"{free} addresses are free; the number of {missing} is unknown", ""
        )
    needed_addresses = need.count * need.interfaces
    allowed = (
        f"{needed_addresses}: {format_count(need.count, 'machine')} with {need.interfaces} each"
    )
    freed_addresses = 0
    if free < needed_addresses:
        machines = running(client, need.rung.region)
        if isinstance(machines, NoAnswer):
            return unknown(NAME, label, f"{free} are free; {machines.why}", machines.fix, allowed)
        subnet_ids = {subnet["SubnetId"] for subnet in existing_subnets}
        freed_addresses = need.interfaces * sum(
            machine.stack == stack and machine.subnet in subnet_ids and machine.type in need.types
            for machine in machines
        )
    return answered_check(
        NAME,
        label,
        fine=free + freed_addresses >= needed_addresses,
        value=f"{free}"
        + (f", and {freed_addresses} of this stack's own machines" if freed_addresses else ""),
        allowed=allowed,
        fix="use a larger subnet, or fewer machines",
    )


def _outbound_check(client: AccountClient, need: WorkloadNeed, subnet: Any) -> AccountCheck:
    """Check that a subnet has a default route or endpoints to the services."""
    item = f"route out of {subnet['SubnetId']}: {need.workload_and_rung}"
    table = _table(client, need.rung.region, subnet)
    if isinstance(table, NoAnswer):
        return unknown(NAME, item, table.why, table.fix)
    routes = [
        candidate
        for candidate in table["Routes"]
        if candidate.get("DestinationCidrBlock") == ANYWHERE
    ]
    for route in routes:
        gateway_kind = next((key for key in _WAYS_OUT if route.get(key)), "")
        if not route.get("GatewayId", "").startswith("igw-"):
            return answered_check(
                NAME,
                item,
                fine=route.get("State") == "active",
                value=f"{_WAYS_OUT.get(gateway_kind, 'route')} {route.get(gateway_kind, '')}, "
                f"{route.get('State')}",
                allowed="an active default route, not to an internet gateway",
                fix="correct the route: its target no longer exists",
            )
    return _endpoints(client, need, subnet, table, item, public=bool(routes))


def _table(client: AccountClient, region: str, subnet: Any) -> dict[str, Any] | NoAnswer:
    """Return the route table of a subnet: its own, else the main one of the network.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html
    """
    tables = client.all_rows(
        "ec2",
        region,
        "describe_route_tables",
        "RouteTables",
        Filters=[{"Name": "vpc-id", "Values": [subnet["VpcId"]]}],
    )
    if isinstance(tables, NoAnswer):
        return tables
    main: dict[str, Any] = {"Routes": [], "RouteTableId": ""}
    for table in tables:
        for association in table["Associations"]:
            if association.get("SubnetId") == subnet["SubnetId"]:
                checked_table: dict[str, Any] = table
                return checked_table
            if association.get("Main"):
                main = table
    return main


def _endpoints(
    client: AccountClient,
    need: WorkloadNeed,
    subnet: Any,
    table: dict[str, Any],
    label: str,
    *,
    public: bool,
) -> AccountCheck:
    """Return the check of a subnet's VPC endpoints.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcEndpoints.html.
    """
    region = need.rung.region
    endpoints = client.all_rows(
        "ec2",
        region,
        "describe_vpc_endpoints",
        "VpcEndpoints",
        Filters=[{"Name": "vpc-id", "Values": [subnet["VpcId"]]}],
    )
    if isinstance(endpoints, NoAnswer):
        return unknown(NAME, label, endpoints.why, endpoints.fix)
    existing_endpoints = {
        endpoint["ServiceName"].rpartition(f"{region}.")[2]
        for endpoint in endpoints
        if endpoint.get("State", "").lower() == "available"
        and (
            endpoint.get("VpcEndpointType") != "Gateway"
            or table["RouteTableId"] in endpoint.get("RouteTableIds", ())
        )
    }
    missing = [service for service in need.services if service not in existing_endpoints]
    if need.container is not None and region_of(need.container) != region:
        missing = [f"a registry in {region} ({need.container} is not in ECR there)", *missing]
    gateway = "an internet gateway, which serves only public addresses"
    route_text = gateway if public else "no default route"
    return answered_check(
        NAME,
        label,
        fine=not missing,
        value=f"{route_text}; endpoints: {', '.join(sorted(existing_endpoints)) or 'none'}",
        allowed=f"a NAT gateway, or endpoints of {', '.join(need.services)}",
        fix=f"add a default route to a NAT gateway, or endpoints of {', '.join(missing)}",
    )
