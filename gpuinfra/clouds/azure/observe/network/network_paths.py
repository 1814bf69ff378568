"""The network paths of machines: outbound, storage, each other, login and requests."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface, Profile
from gpuinfra.clouds.azure.observe.network import (
    cross_region,
    request_paths,
    routes,
    security_groups,
    traffic,
)
from gpuinfra.clouds.azure.observe.rights import machine_roles
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag, is_present, text
from gpuinfra.model import UNKNOWN, Known, Reachability, Resource, Unknown

_HTTPS: Final = 443
_PORTS: Final = (80, _HTTPS)
_OTHER_PORT: Final = 22
"""A port for every port that no rule names."""

_ANYONE: Final = frozenset({"internet", "*"})
_BLOCKED: Final = "the network security groups do not allow the other machines' traffic"
_RENDEZVOUS: Final = 29_500
"""Where the machines of a PyTorch run find each other:
https://docs.pytorch.org/docs/stable/elastic/run.html"""


def reach_of(
    profile: Profile,
    interfaces: tuple[ObservedInterface, ...] | Unknown,
    index: Index,
    *,
    together: bool,
) -> Reachability | None:
    """Return what machines reach, as far as this stack shows it; None where it shows nothing.

    Resources outside of the stack, for example the caller's network, are never a fault.

    Args:
        profile: the machines' model.
        interfaces: of one machine.
        index: the resources that they may refer to.
        together: whether several machines train together.
    """
    findings: list[Remark] = []
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        findings += _interface_remarks(profile, interface, index, together=together)
    findings += _login(profile)
    findings += machine_roles.machine_role_remarks(profile.resource, index)
    findings += cross_region.other_region_remarks(profile.resource, index)
    return reach_from("network-access", findings) if findings else None


def _interface_remarks(
    profile: Profile, interface: ObservedInterface, index: Index, *, together: bool
) -> Iterator[Remark]:
    guards = security_groups.security_groups_of(interface, index)
    subnets = subnets_of(interface, index)
    subnet_ranges = frozenset(_ranges(subnets, index))
    if guards:
        yield from _outbound_ports(guards, index)
        if together:
            yield from _each_other(guards, index, subnet_ranges)
    if flag(at(interface.spec, "enableAcceleratedNetworking")) is True:
        yield True, "accelerated networking"
    public = any_of((interface.public, request_paths.is_public(interface, index)))
    stores = machine_roles.stores(profile.resource, index)
    for subnet in subnets:
        yield from routes.outbound_remarks(subnet, index, public=public, stores=stores)
    yield from request_paths.machine_request_paths(interface, guards, index, subnet_ranges)


def _outbound_ports(guards: Sequence[Resource], index: Index) -> Iterator[Remark]:
    """Yield the TCP ports on which the security groups allow outbound connections."""
    open_ports: dict[int, Known] = {
        port: security_groups.allow(
            guards, traffic.TcpPath(direction=traffic.OUTBOUND, peers=_ANYONE, port=port), index
        )
        for port in _PORTS
    }
    ports = [str(port) for port, fact in open_ports.items() if fact is True]
    names = ", ".join(guard.name for guard in guards)
    other = traffic.TcpPath(direction=traffic.OUTBOUND, peers=_ANYONE, port=_OTHER_PORT)
    alone_text = " alone" if security_groups.allow(guards, other, index) is False else ""
    if ports:
        yield True, f"connections out to TCP {' and '.join(ports)}{alone_text}, past {names}"
    if open_ports[_HTTPS] is False:
        yield False, f"{names} allows no outbound HTTPS (TCP 443)"


def _each_other(
    guards: Sequence[Resource], index: Index, subnet_ranges: frozenset[str]
) -> Iterator[Remark]:
    """Yield whether the machines of a run reach each other, in both directions."""
    facts = {
        direction: _lets_peers(guards, index, subnet_ranges, traffic_direction)
        for direction, traffic_direction in (("in", traffic.INBOUND), ("out", traffic.OUTBOUND))
    }
    if all(fact is True for fact in facts.values()):
        yield True, "the other machines"
    for direction, fact in facts.items():
        if fact is False:
            yield False, f"{_BLOCKED} {direction}"


def _lets_peers(
    guards: Sequence[Resource], index: Index, subnet_ranges: frozenset[str], direction: str
) -> Known:
    path = traffic.TcpPath(
        direction=direction, peers=subnet_ranges | {"virtualnetwork"}, port=_RENDEZVOUS
    )
    return security_groups.allow(guards, path, index)


def traffic_between(
    interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index, direction: str
) -> Known | None:
    """Return False if groups block traffic between machines, None if nothing does.

    The machines find each other in their network, which those with InfiniBand need as well. What
    stands in another stack is for that one to say.
    """
    facts: list[Known] = []
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        guards = security_groups.security_groups_of(interface, index)
        subnet_ranges = frozenset(_ranges(subnets_of(interface, index), index))
        if not guards:
            return None
        facts.append(_lets_peers(guards, index, subnet_ranges, direction))
    is_open = any_of(facts)
    return None if not facts or is_open is True else is_open


def subnets_of(interface: ObservedInterface, index: Index) -> list[Resource]:
    """Return the subnets of this stack that an interface is in."""
    return [
        subnet
        for reference in interface.subnets
        if reference.value is not None
        for subnet in reference.targets(index, resource_types.SUBNET).certain
    ]


def _ranges(subnets: Sequence[Resource], index: Index) -> Iterator[str]:
    """Yield the addresses of subnets and of their networks, as rules may name them."""
    for subnet in subnets:
        yield from _texts(subnet.inputs.get("addressPrefix"))
        yield from _texts(subnet.inputs.get("addressPrefixes"))
        for network in index.targets(subnet, "virtualNetworkName", resource_types.NETWORK).certain:
            yield from _texts(at(network.inputs.get("addressSpace"), "addressPrefixes"))


def _texts(value: Any) -> Iterator[str]:
    return (text_value.lower() for text_value in as_list(value) if isinstance(text_value, str))


def _login(profile: Profile) -> Iterator[Remark]:
    """Yield the login by a key or a password, and the machines' start-up script."""
    system = profile.get("osProfile")
    linux = at(system, "linuxConfiguration")
    keys = as_list(at(linux, "ssh", "publicKeys"))
    closed = flag(at(linux, "disablePasswordAuthentication"))
    if keys and closed is True:
        yield True, "login with a key alone"
    elif linux is not None and closed is not True and closed is not UNKNOWN:
        yield True, "login with a password"
    scripts = (at(system, "customData"), profile.get("userData"))
    if any(is_present(script) is True for script in scripts):
        user = text(at(system, "adminUsername"))
        yield True, f"a start-up script{f', user {user}' if isinstance(user, str) else ''}"
