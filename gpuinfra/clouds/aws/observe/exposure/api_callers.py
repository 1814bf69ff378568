"""Checks whether anyone may call an API of API Gateway, or one of its integrations."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import sign_up
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.observe.rights.public_statements import keeps_out
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

HTTP_API: Final = "aws:apigatewayv2/api:Api"
REST_API: Final = "aws:apigateway/restApi:RestApi"
_ROUTE: Final = "aws:apigatewayv2/route:Route"
_METHOD: Final = "aws:apigateway/method:Method"
_POLICY: Final = "aws:apigateway/restApiPolicy:RestApiPolicy"
_MAPPING: Final = "aws:apigatewayv2/apiMapping:ApiMapping"
_DOMAIN: Final = "aws:apigatewayv2/domainName:DomainName"
_CONNECT: Final = "$connect"
"""The route of a WebSocket API that alone may ask who comes:
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-control-access-iam.html"""
_TOKEN_AUTHORIZERS: Final = ("JWT", "COGNITO_USER_POOLS")
_AUTHORIZERS: Final = (
    "aws:apigateway/authorizer:Authorizer",
    "aws:apigatewayv2/authorizer:Authorizer",
)
_ANYONE: Final = frozenset({None, "NONE"})


def lets_anyone_route(integration: Resource, index: Index) -> Known:
    """Return whether anyone may call an integration through an HTTP or WebSocket API's route."""
    apis = index.targets(integration, "apiId", HTTP_API).certain
    routes = [
        route
        for route in index.of_kind(_ROUTE)
        if _leads_to_integration(route, integration, index)
    ]
    if any(equals(api.inputs.get("protocolType"), "WEBSOCKET") is True for api in apis):
        routes = [route for api in apis for route in _connect_routes(api, index)] or routes
    lets_anyone = any_of(_lets_in(route, "authorizationType", index) for route in routes)
    return all_of((lets_anyone, *(answers(api, index) for api in apis)))


def _leads_to_integration(route: Resource, integration: Resource, index: Index) -> bool:
    target = route.inputs.get("target")
    if isinstance(target, str):
        return target.removeprefix("integrations/") == integration.outputs.get("id")
    return integration in index.related_resources(route, "target")


def _connect_routes(api: Resource, index: Index) -> Iterator[Resource]:
    for route in index.referrers(api, _ROUTE, "apiId").certain:
        if route.inputs.get("routeKey") == _CONNECT:
            yield route


def _lets_in(route: Resource, key: str, index: Index) -> Known:
    """Return whether a route or method lets anyone in, if only as a user of a user pool."""
    lets_anyone = _has_no_authorization(route, key)
    if lets_anyone is not False or route.inputs.get(key) not in _TOKEN_AUTHORIZERS:
        return lets_anyone
    takes_any_token = any_of(
        _takes_anyones_tokens(authorizer, index)
        for kind in _AUTHORIZERS
        for authorizer in index.targets(route, "authorizerId", kind).certain
    )
    has_scopes = bool(as_list(route.inputs.get("authorizationScopes")))
    return all_of((takes_any_token, UNKNOWN if has_scopes else True))


def _takes_anyones_tokens(authorizer: Resource, index: Index) -> Known:
    """Return whether an authorizer takes tokens that anyone gets by signing up."""
    issuer = at(authorizer.inputs.get("jwtConfiguration"), "issuer")
    if issuer is not None:
        pools = sign_up.issued_by(authorizer, "jwtConfiguration", issuer, index)
    else:
        pools = index.targets(authorizer, "providerArns", sign_up.USERS).certain
    return sign_up.gives_anyone_tokens(pools, index)


def _has_no_authorization(route: Resource, key: str) -> Known:
    kind = text(route.inputs.get(key))
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind in _ANYONE:
        return True if flag(route.inputs.get("apiKeyRequired")) in {None, False} else UNKNOWN
    return False


def answers(api: Resource, index: Index) -> Known:
    """Return whether an API answers at its own address, or at a domain without mutual TLS.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/rest-api-mutual-tls.html
    """
    is_off = flag(api.inputs.get("disableExecuteApiEndpoint"))
    if is_off in {None, False}:
        return True
    mappings = index.referrers(api, _MAPPING, "apiId").certain
    domains = [
        domain
        for mapping in mappings
        for domain in index.targets(mapping, "domainName", _DOMAIN).certain
    ]
    demands = [domain.inputs.get("mutualTlsAuthentication") is not None for domain in domains]
    return any_of(opposite(demand) for demand in demands) if demands else UNKNOWN


def lets_anyone_call(integration: Resource, index: Index) -> Known:
    """Return whether anyone may call an integration through a method of a REST API."""
    apis = index.targets(integration, "restApi", REST_API).certain
    methods = [method for method in index.of_kind(_METHOD) if _is_of(method, integration, index)]
    lets_anyone = any_of(_lets_in(method, "authorization", index) for method in methods)
    return all_of((lets_anyone, *(is_public(api, index) for api in apis)))


def _is_of(method: Resource, integration: Resource, index: Index) -> bool:
    """Return whether an integration is of a method: the same API, resource and HTTP method."""
    method_inputs, other = method.inputs, integration.inputs
    if equals(method_inputs.get("httpMethod"), str(other.get("httpMethod"))) is False:
        return False
    return all(
        method_inputs.get(key) == other.get(key)
        if isinstance(method_inputs.get(key), str)
        else index.related_resources(method, key) == index.related_resources(integration, key)
        for key in ("restApi", "resourceId")
    )


def is_public(api: Resource, index: Index) -> Known:
    """Return whether the internet may call a REST API, by its endpoint type, address and policy.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-resource-policies.html
    """
    kinds = as_list(at(api.inputs.get("endpointConfiguration"), "types"))
    private = any_of(equals(kind, "PRIVATE") for kind in kinds)
    documents = [api.inputs.get("policy")]
    documents += [
        policy.inputs.get("policy")
        for policy in index.referrers(api, _POLICY, "restApiId").certain
    ]
    known_documents = [document for document in documents if document is not None]
    lets_anyone = all_of(allows_anyone(document) for document in known_documents)
    return all_of((opposite(private), answers(api, index), lets_anyone))


def allows_anyone(document: Any) -> Known:
    """Return whether an API's policy allows anyone; UNKNOWN with a denial."""
    statements = tuple(statements_of(document))
    if any(
        isinstance(statement, Unknown) or at(statement, "Effect") == "Deny"
        for statement in statements
    ):
        return UNKNOWN
    return any(_is_for_anyone(statement) for statement in statements)


def _is_for_anyone(statement: Any) -> bool:
    principal = at(statement, "Principal")
    is_everyone = principal == "*" or "*" in as_list(at(principal, "AWS"))
    return is_everyone and not keeps_out(at(statement, "Condition"))
