"""Private integrations in an API's own OpenAPI document, and whether callers need authorization.

https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.exposure import api_links
from gpuinfra.clouds.aws.observe.exposure.api_callers import allows_anyone
from gpuinfra.clouds.aws.observe.exposure.api_links import ControlPort, Integration
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import sign_up
from gpuinfra.clouds.observing.values import all_of, as_list, at, read_json
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_BODY: Final = "body"
_INTEGRATION: Final = "x-amazon-apigateway-integration"
_AUTHORIZATION: Final = "x-amazon-apigateway-auth"
"""https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-auth.html"""
_POLICY: Final = "x-amazon-apigateway-policy"
"""https://docs.aws.amazon.com/apigateway/latest/developerguide/openapi-extensions-policy.html"""
_AUTHORIZER: Final = "x-amazon-apigateway-authorizer"
_KIND: Final = "x-amazon-apigateway-authtype"
"""Extensions of a security scheme, without which API Gateway asks for nothing but an API key:
https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authorizer.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authtype.html"""
_PRIVATE: Final = "VPC_LINK"


def document_ports(
    holder: Resource, apis: tuple[Resource, ...], index: Index
) -> Iterator[ControlPort]:
    """Yield the control ports that the private integrations of an API's document reach."""
    document = _document(holder)
    if isinstance(document, Unknown):
        yield from _unknown_ways(holder, index)
        return
    policy = at(document, _POLICY)
    allowed = True if policy is None else allows_anyone(policy)
    for lets_anyone, integration_ports in _integrations(holder, document, index):
        integration = Integration(
            holder=holder,
            uri=integration_ports.get("uri"),
            connection=integration_ports.get("connectionId"),
            target=integration_ports.get("integrationTarget"),
            inputs=(_BODY, _BODY, _BODY),
            apis=apis,
        )
        for passes_on, target, port in api_links.private_integration_ports(integration, index):
            yield all_of((allowed, lets_anyone, passes_on)), target, port


def _integrations(
    holder: Resource, document: Any, index: Index
) -> Iterator[tuple[Known, Mapping[str, Any]]]:
    """Yield the private integrations of a document, and whether they need no authorization."""
    for path in _values(at(document, "paths")):
        for operation in _values(path):
            integration = _resolve_reference(at(operation, _INTEGRATION), document)
            is_private = str(at(integration, "connectionType")).upper() == _PRIVATE
            lets_anyone = _lets_anyone(holder, operation, document, index) if is_private else False
            if lets_anyone is not False:
                yield lets_anyone, integration


def _resolve_reference(value: Any, document: Any) -> Any:
    """Return the target of a `$ref` in an OpenAPI document; other values unchanged.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-extensions-integrations.html
    """
    reference = at(value, "$ref")
    if not isinstance(reference, str):
        return value
    return at(document, *reference.removeprefix("#/").split("/"))


def _lets_anyone(holder: Resource, operation: Any, document: Any, index: Index) -> Known:
    """Return whether an operation needs no authorization; UNKNOWN where only some ways need it."""
    if str(at(operation, _AUTHORIZATION, "type")).upper() == "AWS_IAM":
        return False
    security = at(operation, "security")
    alternatives = as_list(at(document, "security") if security is None else security)
    schemes = _schemes(document)
    facts = {
        all_of(_lets_in(holder, schemes.get(name), index) for name in _mapping(alternative))
        for alternative in alternatives
    }
    if not facts:
        return True
    return facts.pop() if len(facts) == 1 else UNKNOWN


def _schemes(document: Any) -> Mapping[str, Any]:
    return {
        **_mapping(at(document, "securityDefinitions")),
        **_mapping(at(document, "components", "securitySchemes")),
    }


def _lets_in(holder: Resource, scheme: Any, index: Index) -> Known:
    """Return whether a scheme lets anyone in; UNKNOWN for API keys and without a definition."""
    authorizer = at(scheme, _AUTHORIZER)
    if authorizer is not None:
        return _takes_anyones_tokens(holder, authorizer, index)
    if at(scheme, _KIND) is not None:
        return False
    return UNKNOWN if at(scheme, "type") in (None, "apiKey") else True


def _takes_anyones_tokens(holder: Resource, authorizer: Any, index: Index) -> Known:
    issuer, arns = at(authorizer, "jwtConfiguration", "issuer"), at(authorizer, "providerARNs")
    pools: tuple[Resource, ...] = ()
    if issuer is not None:
        pools = sign_up.issued_by(holder, _BODY, issuer, index)
    elif arns is not None:
        pools = index.targets(holder, _BODY, sign_up.USERS, arns).certain
    return sign_up.gives_anyone_tokens(pools, index)


def _unknown_ways(holder: Resource, index: Index) -> Iterator[ControlPort]:
    """Yield the control ports of what an unknown API document depends on."""
    for api_resource in index.related_resources(holder, _BODY):
        for passes_on, target, port in api_links.reached_by(api_resource, index):
            yield passes_on and UNKNOWN, target, port


def _document(holder: Resource) -> Any:
    """Return the content of a document in JSON or YAML; UNKNOWN where it can't be read.

    https://docs.aws.amazon.com/apigateway/latest/api/API_PutRestApi.html
    """
    body = holder.inputs.get(_BODY)
    if not isinstance(body, str):
        return body
    content = read_json(body)
    if isinstance(content, Unknown):
        content = _read_yaml(body)
    return content if isinstance(content, Mapping) else UNKNOWN


def _read_yaml(text: str) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415  (few documents are YAML)
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  (as above)

    reader = YAML(typ="safe")
    reader.allow_duplicate_keys = True
    try:
        return reader.load(text)
    except (YAMLError, ValueError, RecursionError):
        return UNKNOWN


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _values(value: Any) -> Iterator[Any]:
    yield from _mapping(value).values()
