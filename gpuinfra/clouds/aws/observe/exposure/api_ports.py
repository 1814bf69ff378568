"""Control ports of a private network that API Gateway exposes to the internet.

The API reaches a balancer or tasks by a link to their network, whatever their own firewalls say:
https://docs.aws.amazon.com/apigateway/latest/developerguide/private-integration.html
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe.exposure import api_links
from gpuinfra.clouds.aws.observe.exposure.api_callers import (
    HTTP_API,
    REST_API,
    answers,
    is_public,
    lets_anyone_call,
    lets_anyone_route,
)
from gpuinfra.clouds.aws.observe.exposure.api_links import ControlPort
from gpuinfra.clouds.aws.observe.exposure.forwarded_ports import served_port_text
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.values import all_of, equals
from gpuinfra.model import Known, OpenPorts, Resource

_HTTP_INTEGRATION: Final = "aws:apigatewayv2/integration:Integration"
_REST_INTEGRATION: Final = "aws:apigateway/integration:Integration"
_REST_PUT: Final = "aws:apigateway/restApiPut:RestApiPut"
_PRIVATE: Final = "VPC_LINK"


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the private integrations and the APIs that expose control ports to the internet."""
    for kind, lets_anyone_of, uri, owner in (
        (_HTTP_INTEGRATION, lets_anyone_route, "integrationUri", ("apiId", HTTP_API)),
        (_REST_INTEGRATION, lets_anyone_call, "uri", ("restApi", REST_API)),
    ):
        for frontend in index.of_kind(kind):
            if equals(frontend.inputs.get("connectionType"), _PRIVATE) is not False:
                apis = index.targets(frontend, *owner).certain
                lets_anyone = lets_anyone_of(frontend, index)
                links = _integration_ports(frontend, uri, apis, index)
                yield from exposed_port_rows(
                    "aws", frontend, _exposed_ports(frontend, lets_anyone, links)
                )
    for kind, reach_check in ((HTTP_API, answers), (REST_API, is_public), (_REST_PUT, is_public)):
        for holder in index.of_kind(kind):
            if holder.inputs.get("body") is not None:
                apis = (holder,)
                if kind == _REST_PUT:
                    apis = index.targets(holder, "restApiId", REST_API).certain
                lets_anyone = all_of(reach_check(api, index) for api in apis)
                links = _document_ways(holder, apis, index)
                yield from exposed_port_rows(
                    "aws", holder, _exposed_ports(holder, lets_anyone, links)
                )


def _integration_ports(
    frontend: Resource, uri: str, apis: tuple[Resource, ...], index: Index
) -> Iterator[ControlPort]:
    inputs = (uri, "connectionId", "integrationTarget")
    address, connection, target = map(frontend.inputs.get, inputs)
    integration = api_links.Integration(
        holder=frontend,
        uri=address,
        connection=connection,
        target=target,
        inputs=inputs,
        apis=apis,
    )
    return api_links.private_integration_ports(integration, index)


def _document_ways(
    holder: Resource, apis: tuple[Resource, ...], index: Index
) -> Iterator[ControlPort]:
    from gpuinfra.clouds.aws.observe.exposure import api_documents  # noqa: PLC0415  (few APIs have one)

    return api_documents.document_ports(holder, apis, index)


def _exposed_ports(
    frontend: Resource, lets_anyone: Known, links: Iterable[ControlPort]
) -> Iterator[ExposedPort]:
    for passes_on, target, port in links if lets_anyone is not False else ():
        yield all_of((lets_anyone, passes_on)), served_port_text(port, target, frontend)
