"""Control ports of a private network that API Gateway exposes to the internet.

The API reaches a balancer or tasks by a link to their network, whatever their own firewalls say:
https://docs.aws.amazon.com/apigateway/latest/developerguide/private-integration.html
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.forwarded_ports import Found, control_ports, row, said
from gpuinfra.clouds.aws.observe.identity import statements_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.public_statements import keeps_out
from gpuinfra.clouds.observing.control_ports import SOURCES
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    at,
    equals,
    flag,
    listed,
    opposite,
    text,
    whole,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_HTTP_INTEGRATION: Final = "aws:apigatewayv2/integration:Integration"
_REST_INTEGRATION: Final = "aws:apigateway/integration:Integration"
_HTTP_API: Final = "aws:apigatewayv2/api:Api"
_REST_API: Final = "aws:apigateway/restApi:RestApi"
_ROUTE: Final = "aws:apigatewayv2/route:Route"
_METHOD: Final = "aws:apigateway/method:Method"
_POLICY: Final = "aws:apigateway/restApiPolicy:RestApiPolicy"
_LINK: Final = "aws:apigateway/vpcLink:VpcLink"
_MAPPING: Final = "aws:apigatewayv2/apiMapping:ApiMapping"
_DOMAIN: Final = "aws:apigatewayv2/domainName:DomainName"
_DIRECTORY: Final = "aws:servicediscovery/service:Service"
_MEMBER: Final = "aws:servicediscovery/instance:Instance"
_PRIVATE: Final = "VPC_LINK"
_CONNECT: Final = "$connect"
"""The route of a WebSocket API that alone may ask who comes:
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-control-access-iam.html"""
_ADDRESS: Final = re.compile(r"(?P<scheme>https?)://[^/:]*(?::(?P<port>\d+))?")
_USUAL: Final = {"http": 80, "https": 443}
_ANYONE: Final = frozenset({None, "NONE"})
_Way = tuple[Known, Resource, int]


def opened(index: Index) -> Iterator[OpenPorts]:
    """Yield the private integrations and the APIs that expose control ports to the internet."""
    for kind, asks, ways in (
        (_HTTP_INTEGRATION, _lets_anyone_route, _http_ways),
        (_REST_INTEGRATION, _lets_anyone_call, _rest_ways),
    ):
        for front in index.of(kind):
            if equals(front.inputs.get("connectionType"), _PRIVATE) is not False:
                yield from row(front, tuple(_found(front, asks(front, index), ways(front, index))))
    for kind, answers in ((_HTTP_API, _answers), (_REST_API, _is_public)):
        for api in index.of(kind):
            if api.inputs.get("body") is not None:
                ways_of = _document_ways(api, index)
                yield from row(api, tuple(_found(api, answers(api, index), ways_of)))


def _document_ways(api: Resource, index: Index) -> Iterator[_Way]:
    from gpuinfra.clouds.aws.observe import api_documents  # noqa: PLC0415  (few APIs have one)

    yield from api_documents.unknown_ways(api, index)
    for integration in api_documents.integrations(api):
        uri = integration.get("uri")
        for listener in index.targets(api, "body", resource_types.LISTENER, uri).certain:
            yield from control_ports(listener, index)
        for directory in index.targets(api, "body", _DIRECTORY, uri).certain:
            yield from _registered(directory, index)
        for link in index.targets(api, "body", _LINK, integration.get("connectionId")).certain:
            balancers = index.targets(link, "targetArn", resource_types.BALANCER).certain
            yield from behind(balancers, _port_of(uri), index)


def _found(front: Resource, lets: Known, ways: Iterable[_Way]) -> Iterator[Found]:
    for passes, served, port in ways if lets is not False else ():
        yield all_of((lets, passes)), said(port, served, front)


def _http_ways(integration: Resource, index: Index) -> Iterator[_Way]:
    """Yield an HTTP or WebSocket integration's control ports: by listener, Cloud Map or link.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-private.html
    """
    prop = "integrationUri"
    for listener in index.targets(integration, prop, resource_types.LISTENER).certain:
        yield from control_ports(listener, index)
    for directory in index.targets(integration, prop, _DIRECTORY).certain:
        yield from _registered(directory, index)
    yield from _linked(integration, integration.inputs.get(prop), index)


def _rest_ways(integration: Resource, index: Index) -> Iterator[_Way]:
    """Yield a REST integration's control ports: by its VPC link, or by the target that it names.

    https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
    """
    yield from _linked(integration, integration.inputs.get("uri"), index)
    for listener in index.targets(
        integration, "integrationTarget", resource_types.LISTENER
    ).certain:
        yield from control_ports(listener, index)
    named = index.targets(integration, "integrationTarget", resource_types.BALANCER).certain
    yield from behind(named, _port_of(integration.inputs.get("uri")), index)


def _linked(integration: Resource, uri: Any, index: Index) -> Iterator[_Way]:
    for link in index.targets(integration, "connectionId", _LINK).certain:
        balancers = index.targets(link, "targetArn", resource_types.BALANCER).certain
        yield from behind(balancers, _port_of(uri), index)


def behind(
    balancers: Iterable[Resource], port: int | Unknown | None, index: Index
) -> Iterator[_Way]:
    """Yield the control ports behind the listeners of load balancers on a port.

    Which of several listeners it is, is not known where the port is not.
    """
    for balancer in balancers:
        listeners = index.referrers(balancer, resource_types.LISTENER, "loadBalancerArn").certain
        for listener in listeners:
            own = whole(listener.inputs.get("port"))
            fact = own == port if isinstance(own, int) and isinstance(port, int) else UNKNOWN
            if fact is UNKNOWN and len(listeners) == 1:
                fact = True
            for passes, group, served in control_ports(listener, index) if fact else ():
                yield all_of((fact, passes)), group, served


def _port_of(uri: Any) -> int | Unknown | None:
    found = _ADDRESS.match(uri) if isinstance(uri, str) else None
    if found is None:
        return UNKNOWN
    return int(found["port"]) if found["port"] else _USUAL[found["scheme"]]


def _registered(directory: Resource, index: Index) -> Iterator[_Way]:
    """Yield the control ports that are registered in a Cloud Map service.

    https://docs.aws.amazon.com/cloud-map/latest/api/API_RegisterInstance.html
    https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ServiceRegistry.html
    """
    ports = [
        whole(at(member.inputs.get("attributes"), "AWS_INSTANCE_PORT"))
        for member in index.referrers(directory, _MEMBER, "serviceId").certain
    ]
    for service in index.of(resource_types.ECS_SERVICE):
        registry = service.inputs.get("serviceRegistries")
        arn = at(registry, "registryArn")
        named = index.targets(service, "serviceRegistries", _DIRECTORY, arn) if arn else None
        if named is not None and directory in named.certain:
            ports += [whole(at(registry, "containerPort")), whole(at(registry, "port"))]
    yield from (
        (True, directory, port)
        for port in sorted({port for port in ports if isinstance(port, int) and port in SOURCES})
    )


def _lets_anyone_route(integration: Resource, index: Index) -> Known:
    """Return whether anyone may call an integration through an HTTP or WebSocket API's route."""
    apis = index.targets(integration, "apiId", _HTTP_API).certain
    routes = [route for route in index.of(_ROUTE) if _leads(route, integration, index)]
    if any(equals(api.inputs.get("protocolType"), "WEBSOCKET") is True for api in apis):
        routes = [route for api in apis for route in _connecting(api, index)] or routes
    lets = any_of(_asks_nothing(route, "authorizationType") for route in routes)
    return all_of((lets, *(_answers(api, index) for api in apis)))


def _leads(route: Resource, integration: Resource, index: Index) -> bool:
    target = route.inputs.get("target")
    if isinstance(target, str):
        return target.removeprefix("integrations/") == integration.outputs.get("id")
    return integration in index.related(route, "target")


def _connecting(api: Resource, index: Index) -> Iterator[Resource]:
    for route in index.referrers(api, _ROUTE, "apiId").certain:
        if route.inputs.get("routeKey") == _CONNECT:
            yield route


def _asks_nothing(asker: Resource, key: str) -> Known:
    kind = text(asker.inputs.get(key))
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind in _ANYONE:
        return True if flag(asker.inputs.get("apiKeyRequired")) in {None, False} else UNKNOWN
    return False


def _answers(api: Resource, index: Index) -> Known:
    """Return whether an API answers at its own address, or at a domain without mutual TLS.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/rest-api-mutual-tls.html
    """
    off = flag(api.inputs.get("disableExecuteApiEndpoint"))
    if off in {None, False}:
        return True
    mappings = index.referrers(api, _MAPPING, "apiId").certain
    domains = [
        domain
        for mapping in mappings
        for domain in index.targets(mapping, "domainName", _DOMAIN).certain
    ]
    demands = [domain.inputs.get("mutualTlsAuthentication") is not None for domain in domains]
    return any_of(opposite(demand) for demand in demands) if demands else UNKNOWN


def _lets_anyone_call(integration: Resource, index: Index) -> Known:
    """Return whether anyone may call an integration through a method of a REST API."""
    apis = index.targets(integration, "restApi", _REST_API).certain
    methods = [method for method in index.of(_METHOD) if _is_of(method, integration, index)]
    lets = any_of(_asks_nothing(method, "authorization") for method in methods)
    return all_of((lets, *(_is_public(api, index) for api in apis)))


def _is_of(method: Resource, integration: Resource, index: Index) -> bool:
    """Return whether an integration is of a method: the same API, resource and HTTP method."""
    own, other = method.inputs, integration.inputs
    if equals(own.get("httpMethod"), str(other.get("httpMethod"))) is False:
        return False
    return all(
        own.get(key) == other.get(key)
        if isinstance(own.get(key), str)
        else index.related(method, key) == index.related(integration, key)
        for key in ("restApi", "resourceId")
    )


def _is_public(api: Resource, index: Index) -> Known:
    """Return whether the internet may call a REST API, by its endpoint type, address and policy.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-resource-policies.html
    """
    kinds = listed(at(api.inputs.get("endpointConfiguration"), "types"))
    private = any_of(equals(kind, "PRIVATE") for kind in kinds)
    documents = [api.inputs.get("policy")]
    documents += [
        each.inputs.get("policy") for each in index.referrers(api, _POLICY, "restApiId").certain
    ]
    written = [document for document in documents if document is not None]
    lets = all_of(_lets_anyone(document) for document in written)
    return all_of((opposite(private), _answers(api, index), lets))


def _lets_anyone(document: Any) -> Known:
    """Return whether an API's policy allows anyone; UNKNOWN with a denial."""
    statements = tuple(statements_of(document))
    if any(isinstance(each, Unknown) or at(each, "Effect") == "Deny" for each in statements):
        return UNKNOWN
    return any(_is_for_anyone(each) for each in statements)


def _is_for_anyone(statement: Any) -> bool:
    principal = at(statement, "Principal")
    everyone = principal == "*" or "*" in listed(at(principal, "AWS"))
    return everyone and not keeps_out(at(statement, "Condition"))
