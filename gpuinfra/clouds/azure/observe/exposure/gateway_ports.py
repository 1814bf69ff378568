"""Control ports that an application gateway forwards from the internet.

Its machines let in the gateway alone, so that their own groups tell nothing of who comes:
https://learn.microsoft.com/azure/application-gateway/configuration-http-settings
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.exposure import front_door_ports
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.observing.control_ports import SOURCES, forwarded_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    is_present,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_SETTINGS: Final = ("backendHttpSettingsCollection", "backendSettingsCollection")
"""How HTTP and, of layer 4, connections go to backends."""
_FRONTENDS: Final = "frontendIPConfigurations"
_PLACES: Final = "gatewayIPConfigurations"
_FILTERS: Final = (
    "firewallPolicy",
    "webApplicationFirewallConfiguration",
    "trustedClientCertificates",
    "sslProfiles",
)
"""What may keep requests out: rules of a firewall, or certificates of clients.
https://learn.microsoft.com/azure/application-gateway/mutual-authentication-overview"""
_USUAL: Final = (80, 443)


def exposed_ports(gateway: Resource, public: Known, index: Index) -> Iterator[OpenPorts]:
    """Yield a gateway that lets the internet reach control ports of its backends.

    Args:
        gateway: an application gateway.
        public: whether it has a public address.
        index: of the resources.
    """
    facts: list[ExposedPort] = []
    blocks = (settings for key in _SETTINGS for settings in as_list(gateway.inputs.get(key)))
    for settings in blocks:
        port, name = whole_number(at(settings, "port")), at(settings, "name")
        if isinstance(port, int) and port in SOURCES:
            port_text = forwarded_port_text(port, name, gateway.name, "behind")
            facts.append((_is_used(gateway, name), port_text))
        for balancer, served in _backend_balancers(gateway, name, port, index):
            port_text = forwarded_port_text(served, balancer.name, gateway.name, "behind")
            facts.append((_is_used(gateway, name), port_text))
    if facts:
        is_reached = all_of((public, _is_unfiltered(gateway), _lets_anyone_in(gateway, index)))
        port_facts = (
            (all_of((is_reached, is_port_reached)), port_text)
            for is_port_reached, port_text in facts
        )
        yield from exposed_port_rows("azure", gateway, port_facts)


def _is_used(gateway: Resource, name: Any) -> Known:
    """Return whether a rule forwards to the backends of some settings."""
    return any_of(arm_ids.is_called(reference, name) for reference, _ in _references(gateway))


def _references(gateway: Resource) -> Iterator[tuple[Any, Any]]:
    """Yield the settings that rules forward by, each with the pool that they forward to."""
    keys = ("backendHttpSettings", "backendAddressPool")
    usual = ("defaultBackendHttpSettings", "defaultBackendAddressPool")
    for rule in as_list(gateway.inputs.get("requestRoutingRules")):
        yield _ids(rule, keys)
    for rule in as_list(gateway.inputs.get("routingRules")):
        yield _ids(rule, ("backendSettings", "backendAddressPool"))
    for paths in as_list(gateway.inputs.get("urlPathMaps")):
        yield _ids(paths, usual)
        for rule in as_list(at(paths, "pathRules")):
            yield _ids(rule, keys)


def _ids(rule: Any, keys: tuple[str, str]) -> tuple[Any, Any]:
    return at(rule, keys[0], "id"), at(rule, keys[1], "id")


def _backend_balancers(
    gateway: Resource, name: Any, port: int | Unknown | None, index: Index
) -> Iterator[tuple[Resource, int]]:
    """Yield the internal balancers whose addresses are backends, with control ports behind them.

    https://learn.microsoft.com/azure/application-gateway/application-gateway-components#backend-pools
    """
    addresses = set(_addresses(gateway, name))
    for balancer in index.of_kind(resource_types.BALANCER) if addresses else ():
        for frontend in as_list(balancer.inputs.get(_FRONTENDS)):
            address = text(at(frontend, "privateIPAddress"))
            if address in addresses and isinstance(port, int):
                for served in front_door_ports.balanced_ports(
                    balancer, at(frontend, "name"), port
                ):
                    yield balancer, served


def _addresses(gateway: Resource, name: Any) -> Iterator[str]:
    """Yield the addresses of the pools to which rules forward by some settings."""
    pools = [
        pool
        for settings, pool in _references(gateway)
        if arm_ids.is_called(settings, name) is True
    ]
    for pool_inputs in as_list(gateway.inputs.get("backendAddressPools")):
        if any(arm_ids.is_called(pool, at(pool_inputs, "name")) is True for pool in pools):
            for backend_address in as_list(at(pool_inputs, "backendAddresses")):
                address = at(backend_address, "ipAddress")
                if isinstance(address, str):
                    yield address


def _is_unfiltered(gateway: Resource) -> Known:
    """Return whether nothing of a gateway keeps requests out; UNKNOWN where something may.

    Which listener has a private address, where others have a public one, is not read.
    """
    has_filter = any(is_present(gateway.inputs.get(key)) is not False for key in _FILTERS)
    frontends = as_list(gateway.inputs.get(_FRONTENDS))
    has_private_front = any(
        is_present(at(frontend, "publicIPAddress")) is not True for frontend in frontends
    )
    return UNKNOWN if has_filter or (has_private_front and len(frontends) > 1) else True


def _lets_anyone_in(gateway: Resource, index: Index) -> Known:
    """Return whether the group of a gateway's subnet, if any, lets anyone in to its ports.

    https://learn.microsoft.com/azure/application-gateway/configuration-infrastructure
    """
    ports = [
        whole_number(at(each, "port")) for each in as_list(gateway.inputs.get("frontendPorts"))
    ]
    known_ports = [port for port in ports if isinstance(port, int)] or _USUAL
    ids = [at(each, "subnet", "id") for each in as_list(gateway.inputs.get(_PLACES))]
    subnets = index.targets(gateway, _PLACES, resource_types.SUBNET, ids) if ids else None

    def is_let_in(subnet: Resource) -> Known:
        group = at(subnet.inputs.get("networkSecurityGroup"), "id")
        if group is None:
            return True
        guards = index.targets(subnet, "networkSecurityGroup", resource_types.FIREWALL, [group])
        return guards.any_target(
            lambda guard: any_of(
                traffic.lets_anyone_in(guard, port, index) for port in known_ports
            )
        )

    return UNKNOWN if subnets is None else subnets.any_target(is_let_in)
