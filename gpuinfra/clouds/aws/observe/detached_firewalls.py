"""Security groups without machines, and rules of groups that are in another stack."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.network import endpoint_firewalls, security_groups, traffic
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, flag, whole_number
from gpuinfra.model import UNKNOWN, Group, Known, OpenPorts, Resource, Unknown

SERVICES_WITH_FIREWALL: Final = (
    "aws:gamelift/fleet:Fleet",
    "aws:lightsail/instancePublicPorts:InstancePublicPorts",
    "aws:lightsail/instance:Instance",
    "aws:lightsail/database:Database",
)
"""The types of `service_firewalls`."""
CONTAINER_SERVICES: Final = (
    "aws:apprunner/service:Service",
    "aws:lightsail/containerServiceDeploymentVersion:ContainerServiceDeploymentVersion",
    "aws:ecs/expressGatewayService:ExpressGatewayService",
)
"""The types of `container_services`."""
_APIS: Final = (
    "aws:apigateway/restApi:RestApi",
    "aws:apigateway/restApiPut:RestApiPut",
    "aws:apigatewayv2/api:Api",
    "aws:apigateway/integration:Integration",
    "aws:apigatewayv2/integration:Integration",
)
_EDGES: Final = (
    "aws:cloudfront/distribution:Distribution",
    "aws:cloudfront/multitenantDistribution:MultitenantDistribution",
    "aws:globalaccelerator/endpointGroup:EndpointGroup",
)
_DATABASE: Final = "its data port is open to the whole internet"


def opened_firewalls(groups: Iterable[Group], index: Index) -> Iterator[OpenPorts]:
    """Yield security groups without machines of this stack that open login to the internet."""
    answered = set(_groups_of_judged_machines({group.subject for group in groups}, index))
    for resource in index.of_kind(resource_types.SECURITY_GROUP):
        if resource.urn not in answered:
            opens_login = traffic.lets_login(resource, index)
            if opens_login is not False and endpoint_firewalls.is_of_endpoints(resource, index):
                continue
            yield from open_port_row(
                "aws", resource, opens_login, traffic.open_ports(resource, index)
            )
    yield from _exposed_services(index)
    for kind in (resource_types.INGRESS, resource_types.SECURITY_RULE):
        for resource in index.of_kind(kind):
            if not index.targets(
                resource, "securityGroupId", resource_types.SECURITY_GROUP
            ).certain:
                opens_login = traffic.rule_lets_login(resource, index)
                ports = traffic.rule_open_ports(resource, index)
                yield from open_port_row("aws", resource, opens_login, ports)


def _exposed_services(index: Index) -> Iterator[OpenPorts]:
    """Yield balancers, APIs, edge services and databases with ports open to the internet."""
    if index.of_kind(resource_types.LISTENER) or index.of_kind(resource_types.CLASSIC_BALANCER):
        from gpuinfra.clouds.aws.observe.exposure import forwarded_ports  # noqa: PLC0415  (few have any)

        yield from forwarded_ports.exposed_ports(index)
    if any(map(index.of_kind, _APIS)):
        from gpuinfra.clouds.aws.observe.exposure import api_ports  # noqa: PLC0415  (as above)

        yield from api_ports.exposed_ports(index)
    if any(map(index.of_kind, _EDGES)):
        from gpuinfra.clouds.aws.observe.exposure import edge_exposed_ports  # noqa: PLC0415  (as above)

        yield from edge_exposed_ports.exposed_ports(index)
    yield from _databases(index)
    if any(map(index.of_kind, SERVICES_WITH_FIREWALL)):
        from gpuinfra.clouds.aws.observe.network import service_firewalls  # noqa: PLC0415  (as above)

        yield from service_firewalls.exposed_ports(index)
    if any(map(index.of_kind, CONTAINER_SERVICES)):
        from gpuinfra.clouds.aws.observe.exposure import container_services  # noqa: PLC0415  (as above)

        yield from container_services.exposed_ports(index)


def _groups_of_judged_machines(subjects: set[str], index: Index) -> Iterator[str]:
    """Yield the security groups of judged machines; their open ports are in the machines' rows."""
    for kind in sorted(resource_types.MACHINES):
        for machines in index.of_kind(kind):
            if machines.urn not in subjects:
                continue
            for option in group_request_of(machines, index).options:
                for targets in security_groups.security_groups_of(machines, option.launch, index):
                    yield from (resource.urn for resource in (*targets.certain, *targets.possible))


def _databases(index: Index) -> Iterator[OpenPorts]:
    """Yield the databases that anyone on the internet reaches, or may reach."""
    for row in TABLES.rows("public_databases"):
        for database in index.of_kind(row["type"]):
            public = _is_public(database, row)
            is_open = (
                public if public is False else all_of((public, _lets_in(database, row, index)))
            )
            open_databases = (_DATABASE,) if is_open is True else ()
            yield from open_port_row("aws", database, is_open, open_databases)


def _is_public(database: Resource, row: Mapping[str, Any]) -> Known:
    value = at(database.inputs, *row["public"].split("."))
    if row["word"] is not None:
        return UNKNOWN if isinstance(value, Unknown) else str(value).lower() == row["word"]
    public = flag(value)
    return False if public is None else public


def _lets_in(database: Resource, row: Mapping[str, Any], index: Index) -> Known:
    """Return whether a database's groups let anyone in; UNKNOWN without any: the default one."""
    owners: tuple[Resource, ...] = (database,)
    if row["through"] is not None:
        prop, kind = row["through"]
        owners = index.targets(database, prop, kind).certain
    return any_of(_group_opens(owner, row, index) for owner in owners) if owners else UNKNOWN


def _group_opens(owner: Resource, row: Mapping[str, Any], index: Index) -> Known:
    path = row["groups"].split(".")
    group_ids = at(owner.inputs, *path)
    if not as_list(group_ids):
        return UNKNOWN
    stated_port = whole_number(owner.inputs.get(row["port"])) if row["port"] else None
    if isinstance(stated_port, Unknown):
        return UNKNOWN
    ports = row["ports"] if stated_port is None else (stated_port,)
    groups = index.targets(owner, path[0], resource_types.SECURITY_GROUP, group_ids)
    return groups.any_target(
        lambda group: any_of(traffic.lets_anyone_in(group, port, index) for port in ports)
    )
