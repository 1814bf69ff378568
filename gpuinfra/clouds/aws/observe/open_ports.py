"""Security groups without machines, and rules of groups that are in another stack."""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types, security_groups, traffic
from gpuinfra.clouds.aws.observe.groups import asked_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.open_ports import open_ports_of
from gpuinfra.model import Group, OpenPorts

DATABASES: Final = (
    "aws:rds/instance:Instance",
    "aws:rds/cluster:Cluster",
    "aws:rds/clusterInstance:ClusterInstance",
    "aws:redshift/cluster:Cluster",
    "aws:redshiftserverless/workgroup:Workgroup",
    "aws:mq/broker:Broker",
    "aws:msk/cluster:Cluster",
    "aws:neptune/clusterInstance:ClusterInstance",
    "aws:timestreaminfluxdb/dbInstance:DbInstance",
    "aws:timestreaminfluxdb/dbCluster:DbCluster",
)
"""The types of the table `public_databases`."""
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


def opened_firewalls(groups: Iterable[Group], index: Index) -> Iterator[OpenPorts]:
    """Yield the security groups that let the internet log in, besides those of the machines."""
    answered = set(_answered({group.subject for group in groups}, index))
    for resource in index.of(resource_types.SECURITY_GROUP):
        if resource.urn not in answered:
            opens = traffic.lets_login(resource, index)
            yield from open_ports_of("aws", resource, opens, traffic.open_ports(resource, index))
    yield from _fronts(index)
    for kind in (resource_types.INGRESS, resource_types.SECURITY_RULE):
        for resource in index.of(kind):
            if not index.targets(
                resource, "securityGroupId", resource_types.SECURITY_GROUP
            ).certain:
                opens = traffic.rule_lets_login(resource, index)
                ports = traffic.rule_open_ports(resource, index)
                yield from open_ports_of("aws", resource, opens, ports)


def _fronts(index: Index) -> Iterator[OpenPorts]:
    """Yield balancers, APIs, edge services and databases with ports open to the internet."""
    if index.of(resource_types.LISTENER) or index.of(resource_types.CLASSIC_BALANCER):
        from gpuinfra.clouds.aws.observe import forwarded_ports  # noqa: PLC0415  (few have any)

        yield from forwarded_ports.opened(index)
    if any(map(index.of, _APIS)):
        from gpuinfra.clouds.aws.observe import api_fronts  # noqa: PLC0415  (as above)

        yield from api_fronts.opened(index)
    if any(map(index.of, _EDGES)):
        from gpuinfra.clouds.aws.observe import edge_fronts  # noqa: PLC0415  (as above)

        yield from edge_fronts.opened(index)
    if any(map(index.of, DATABASES)):
        from gpuinfra.clouds.aws.observe import public_databases  # noqa: PLC0415  (as above)

        yield from public_databases.opened(index)


def _answered(subjects: set[str], index: Index) -> Iterator[str]:
    """Yield the security groups of judged machines, whose own rows state the open ports."""
    for kind in sorted(resource_types.MACHINES):
        for machines in index.of(kind):
            if machines.urn not in subjects:
                continue
            for option in asked_of(machines, index).options:
                for targets in security_groups.security_groups_of(machines, option.launch, index):
                    yield from (resource.urn for resource in (*targets.certain, *targets.possible))
