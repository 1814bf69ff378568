"""Control ports that Front Door, or an application gateway, reaches by an internal load balancer.

The groups of machines let in the balancer's network, and so tell nothing of who comes:
https://learn.microsoft.com/azure/frontdoor/standard-premium/how-to-enable-private-link-internal-load-balancer
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.control_ports import SOURCES, forwarded_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    opposite,
    text,
    whole_or,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_ENDPOINT: Final = "azure-native:cdn:AFDEndpoint"
_ORIGIN_GROUP: Final = "azure-native:cdn:AFDOriginGroup"
_ORIGIN: Final = "azure-native:cdn:AFDOrigin"
_LINK_SERVICE: Final = "azure-native:network:PrivateLinkService"
_FIREWALL: Final = "azure-native:cdn:SecurityPolicy"
_FRONTENDS: Final = "loadBalancerFrontendIpConfigurations"
_PORTS: Final = {"httponly": ("httpPort",), "httpsonly": ("httpsPort",)}
_USUAL: Final = {"httpPort": 80, "httpsPort": 443}
"""The ports of an origin, by the protocol that a route forwards by; both by any other:
https://learn.microsoft.com/rest/api/frontdoor/azurefrontdoorstandardpremium/afd-origins/create"""
_DISABLED: Final = "Disabled"
_ANY_PORT: Final = 0


def route(resource: Resource, index: Index) -> Iterator[ExposedPort]:
    """Yield the control ports that a route of Front Door opens by Private Link."""
    is_filtered = bool(index.of_kind(_FIREWALL))
    lets = all_of((answers(resource, index), UNKNOWN if is_filtered else True))
    group_id = at(resource.inputs.get("originGroup"), "id")
    groups = index.targets(resource, "originGroup", _ORIGIN_GROUP, group_id) if group_id else None
    for group in groups.certain if groups else ():
        for origin in index.referrers(group, _ORIGIN, "originGroupName").certain:
            for port in _origin_ports(resource, origin):
                for balancer, target in _linked_ports(origin, port, index):
                    port_text = forwarded_port_text(target, balancer.name, resource.name, "behind")
                    yield all_of((lets, _is_enabled(origin))), port_text


def answers(route: Resource, index: Index) -> Known:
    """Return whether a route and its endpoint are enabled, as both are by default."""
    return all_of((_is_enabled(route), _has_enabled_endpoint(route, index)))


def _is_enabled(resource: Resource) -> Known:
    return opposite(equals(resource.inputs.get("enabledState"), _DISABLED))


def _has_enabled_endpoint(resource: Resource, index: Index) -> Known:
    """Return whether the endpoint of a route answers; one that is not in the stack may."""
    endpoints = index.targets(resource, "endpointName", _ENDPOINT)
    return any_of(map(_is_enabled, endpoints.certain)) if endpoints.certain else True


def _origin_ports(resource: Resource, origin: Resource) -> Iterator[int | Unknown]:
    protocol = str(text(resource.inputs.get("forwardingProtocol"))).lower()
    for key in _PORTS.get(protocol, tuple(_USUAL)):
        yield whole_or(origin.inputs.get(key), _USUAL[key])


def _linked_ports(
    origin: Resource, port: int | Unknown, index: Index
) -> Iterator[tuple[Resource, int]]:
    link_id = at(origin.inputs.get("sharedPrivateLinkResource"), "privateLink", "id")
    if link_id is None:
        return
    services = index.targets(origin, "sharedPrivateLinkResource", _LINK_SERVICE, link_id)
    for service in services.certain:
        for frontend in as_list(service.inputs.get(_FRONTENDS)):
            reference = at(frontend, "id")
            holder = arm_ids.parent_id(reference) if isinstance(reference, str) else reference
            balancers = index.targets(service, _FRONTENDS, resource_types.BALANCER, [holder])
            for balancer in balancers.certain:
                for served_port in balanced_ports(balancer, reference, port):
                    yield balancer, served_port


def balanced_ports(balancer: Resource, frontend: Any, port: int | Unknown) -> Iterator[int]:
    """Yield the control ports that a balancer's address forwards a port to."""
    for rule in as_list(balancer.inputs.get("loadBalancingRules")):
        frontend_id = at(rule, "frontendIPConfiguration", "id")
        are_ids_known = isinstance(frontend_id, str) and isinstance(frontend, str)
        is_other_frontend = are_ids_known and arm_ids.last_part(frontend_id) != arm_ids.last_part(
            frontend
        )
        listens = whole_or(at(rule, "frontendPort"), UNKNOWN)
        backend_port = whole_or(at(rule, "backendPort"), UNKNOWN)
        is_any_port = listens == _ANY_PORT
        if not is_other_frontend and isinstance(port, int) and (is_any_port or listens == port):
            number = port if is_any_port else backend_port
            if isinstance(number, int) and number in SOURCES:
                yield number
