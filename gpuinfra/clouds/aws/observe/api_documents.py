"""Private integrations in an API's own OpenAPI document, and whether callers need authorization.

https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import api_links, resource_types
from gpuinfra.clouds.aws.observe.api_links import Integration, Way
from gpuinfra.clouds.aws.observe.forwarded_ports import control_ports
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at, listed, read_json
from gpuinfra.model import UNKNOWN, Resource, Unknown

_BODY: Final = "body"
_INTEGRATION: Final = "x-amazon-apigateway-integration"
_PRIVATE: Final = "VPC_LINK"


def ways(api: Resource, index: Index) -> Iterator[Way]:
    """Yield the control ports that the private integrations of an API's document reach."""
    yield from _unknown_ways(api, index)
    for each in _integrations(api):
        uri, connection = each.get("uri"), each.get("connectionId")
        integration = Integration(
            holder=api,
            uri=uri,
            connection=connection,
            target=None,
            inputs=(_BODY, _BODY, _BODY),
        )
        yield from api_links.ways(integration, index)


def _integrations(api: Resource) -> Iterator[Mapping[str, Any]]:
    """Yield the private integrations of an API's document that require no authorization."""
    document = _document(api)
    usual = listed(at(document, "security"))
    for path in _values(at(document, "paths")):
        for operation in _values(path):
            own = at(operation, "security")
            asks = usual if own is None else tuple(each for each in listed(own) if each)
            integration = at(operation, _INTEGRATION)
            private = str(at(integration, "connectionType")).upper() == _PRIVATE
            if private and not asks and isinstance(integration, Mapping):
                yield integration


def _unknown_ways(api: Resource, index: Index) -> Iterator[Way]:
    """Yield the control ports of listeners that an unknown API document depends on."""
    if isinstance(api.inputs.get(_BODY), Unknown):
        for listener in index.related(api, _BODY):
            if resource_types.canonical(listener.type) == resource_types.LISTENER:
                for passes, group, port in control_ports(listener, index):
                    yield passes and UNKNOWN, group, port


def _document(api: Resource) -> Any:
    body = api.inputs.get(_BODY)
    return read_json(body) if isinstance(body, str) else body


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
