"""Control ports of a private network that API Gateway exposes to the internet.

The API reaches a balancer or tasks by a link to their network, whatever their own firewalls say:
https://docs.aws.amazon.com/apigateway/latest/developerguide/private-integration.html
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import api_links
from gpuinfra.clouds.aws.observe.api_callers import (
    HTTP_API,
    REST_API,
    answers,
    is_public,
    lets_anyone_call,
    lets_anyone_route,
)
from gpuinfra.clouds.aws.observe.api_links import Way
from gpuinfra.clouds.aws.observe.forwarded_ports import Found, row, said
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, equals
from gpuinfra.model import Known, OpenPorts, Resource

_HTTP_INTEGRATION: Final = "aws:apigatewayv2/integration:Integration"
_REST_INTEGRATION: Final = "aws:apigateway/integration:Integration"
_REST_PUT: Final = "aws:apigateway/restApiPut:RestApiPut"
_PRIVATE: Final = "VPC_LINK"


def opened(index: Index) -> Iterator[OpenPorts]:
    """Yield the private integrations and the APIs that expose control ports to the internet."""
    for kind, asks, uri in (
        (_HTTP_INTEGRATION, lets_anyone_route, "integrationUri"),
        (_REST_INTEGRATION, lets_anyone_call, "uri"),
    ):
        for front in index.of(kind):
            if equals(front.inputs.get("connectionType"), _PRIVATE) is not False:
                lets, ways = asks(front, index), _ways(front, uri, index)
                yield from row(front, tuple(_found(front, lets, ways)))
    for kind, reached in ((HTTP_API, answers), (REST_API, is_public), (_REST_PUT, _is_put_public)):
        for api in index.of(kind):
            if api.inputs.get("body") is not None:
                ways = _document_ways(api, index)
                yield from row(api, tuple(_found(api, reached(api, index), ways)))


def _is_put_public(document: Resource, index: Index) -> Known:
    """Return whether the internet may call the REST API of a document that stands alone."""
    apis = index.targets(document, "restApiId", REST_API).certain
    return all_of(is_public(api, index) for api in apis)


def _ways(front: Resource, uri: str, index: Index) -> Iterator[Way]:
    inputs = (uri, "connectionId", "integrationTarget")
    where, connection, target = map(front.inputs.get, inputs)
    integration = api_links.Integration(
        holder=front, uri=where, connection=connection, target=target, inputs=inputs
    )
    return api_links.ways(integration, index)


def _document_ways(api: Resource, index: Index) -> Iterator[Way]:
    from gpuinfra.clouds.aws.observe import api_documents  # noqa: PLC0415  (few APIs have one)

    return api_documents.ways(api, index)


def _found(front: Resource, lets: Known, ways: Iterable[Way]) -> Iterator[Found]:
    for passes, served, port in ways if lets is not False else ():
        yield all_of((lets, passes)), said(port, served, front)
