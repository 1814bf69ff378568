"""The control ports behind the VPC links, listeners and directories of private integrations.

https://docs.aws.amazon.com/apigateway/latest/developerguide/private-integration.html
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.exposure import stage_variables
from gpuinfra.clouds.aws.observe.exposure.forwarded_ports import control_ports
from gpuinfra.clouds.aws.observe.exposure.stage_variables import StatedValue
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.control_ports import control_ports_in
from gpuinfra.clouds.observing.values import all_of, at, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

LINK: Final = "aws:apigateway/vpcLink:VpcLink"
DIRECTORY: Final = "aws:servicediscovery/service:Service"
_MEMBER: Final = "aws:servicediscovery/instance:Instance"
_ADDRESS: Final = re.compile(r"(?P<scheme>https?)://[^/:]*(?::(?P<port>\d+))?")
_USUAL: Final = {"http": 80, "https": 443}
ControlPort = tuple[Known, Resource, int]
"""Whether a control port gets anyone's requests, what serves it, and its number."""


@record
class Integration:
    """A private integration, as an own resource or the document of an API states it.

    Attributes:
        holder: the resource whose inputs state it.
        uri: where it sends requests, or the ARN of a listener or of a Cloud Map service.
        connection: the id of its VPC link.
        target: the ARN of the balancer or listener that a REST API reaches by a VPC link.
        inputs: of the holder, that state the URI, the link and the target.
        apis: whose stages may have variables for them.
    """

    holder: Resource
    uri: Any
    connection: Any
    target: Any
    inputs: tuple[str, str, str]
    apis: tuple[Resource, ...]


def private_integration_ports(integration: Integration, index: Index) -> Iterator[ControlPort]:
    """Yield the control ports that a private integration reaches.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-private.html
    https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
    """
    holder, (by_uri, by_link, by_target) = integration.holder, integration.inputs
    uris = stage_variables.values_in_stages(
        (holder, by_uri, integration.uri), integration.apis, index
    )
    for stated_uri in uris:
        for listener in _named_resources(stated_uri, resource_types.LISTENER, index):
            yield from control_ports(listener, index)
        for directory in _named_resources(stated_uri, DIRECTORY, index):
            yield from cloud_map_ports(directory, index)
    target = (holder, by_target, integration.target)
    for listener in _named_resources(target, resource_types.LISTENER, index):
        yield from control_ports(listener, index)
    links = tuple(_links((holder, by_link, integration.connection), integration.apis, index))
    balancers = _named_resources(target, resource_types.BALANCER, index)
    for port in dict.fromkeys(port_of(uri) for _, _, uri in uris) or (UNKNOWN,):
        for is_certain, link in links:
            for passes_on, served_target, number in vpc_link_ports(link, port, index):
                yield all_of((is_certain, passes_on)), served_target, number
        yield from ports_behind_balancers(balancers, port, index)


def _links(
    connection: StatedValue, apis: tuple[Resource, ...], index: Index
) -> Iterator[tuple[Known, Resource]]:
    """Yield the VPC links that a connection may mean; UNKNOWN with variables of no stage here."""
    values = stage_variables.values_in_stages(connection, apis, index)
    for value in values:
        yield from ((True, link) for link in _named_resources(value, LINK, index))
    if not values:
        yield from ((UNKNOWN, link) for link in index.of_kind(LINK))


def _named_resources(stated_value: StatedValue, kind: str, index: Index) -> tuple[Resource, ...]:
    holder, prop, value = stated_value
    return () if value is None else index.targets(holder, prop, kind, value).certain


def reached_by(target_resource: Resource, index: Index) -> Iterator[ControlPort]:
    """Yield the control ports behind a resource that an integration may name, on any port."""
    kind = resource_types.canonical(target_resource.type)
    if kind == resource_types.LISTENER:
        yield from control_ports(target_resource, index)
    elif kind == resource_types.BALANCER:
        yield from ports_behind_balancers((target_resource,), UNKNOWN, index)
    elif kind == DIRECTORY:
        yield from cloud_map_ports(target_resource, index)
    elif kind == LINK:
        yield from vpc_link_ports(target_resource, UNKNOWN, index)


def vpc_link_ports(
    link: Resource, port: int | Unknown | None, index: Index
) -> Iterator[ControlPort]:
    """Yield the control ports behind the balancer of a REST API's VPC link."""
    balancers = index.targets(link, "targetArn", resource_types.BALANCER).certain
    yield from ports_behind_balancers(balancers, port, index)


def ports_behind_balancers(
    balancers: Iterable[Resource], port: int | Unknown | None, index: Index
) -> Iterator[ControlPort]:
    """Yield the control ports behind the listeners of load balancers on a port.

    Which of several listeners it is, is not known where the port is not.
    """
    for balancer in balancers:
        listeners = index.referrers(balancer, resource_types.LISTENER, "loadBalancerArn").certain
        for listener in listeners:
            listener_port = whole_number(listener.inputs.get("port"))
            fact = (
                listener_port == port
                if isinstance(listener_port, int) and isinstance(port, int)
                else UNKNOWN
            )
            if fact is UNKNOWN and len(listeners) == 1:
                fact = True
            for passes_on, group, target in control_ports(listener, index) if fact else ():
                yield all_of((fact, passes_on)), group, target


def port_of(uri: Any) -> int | Unknown | None:
    """Return the port of a URI; UNKNOWN where it has none."""
    match = _ADDRESS.match(uri) if isinstance(uri, str) else None
    if match is None:
        return UNKNOWN
    return int(match["port"]) if match["port"] else _USUAL[match["scheme"]]


def cloud_map_ports(directory: Resource, index: Index) -> Iterator[ControlPort]:
    """Yield the control ports that are registered in a Cloud Map service.

    https://docs.aws.amazon.com/cloud-map/latest/api/API_RegisterInstance.html
    https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ServiceRegistry.html
    """
    ports = [
        at(member.inputs.get("attributes"), "AWS_INSTANCE_PORT")
        for member in index.referrers(directory, _MEMBER, "serviceId").certain
    ]
    for service in index.of_kind(resource_types.ECS_SERVICE):
        registry = service.inputs.get("serviceRegistries")
        arn = at(registry, "registryArn")
        registries = index.targets(service, "serviceRegistries", DIRECTORY, arn) if arn else None
        if registries is not None and directory in registries.certain:
            ports += [at(registry, "containerPort"), at(registry, "port")]
    yield from ((True, directory, port) for port in control_ports_in(ports))
