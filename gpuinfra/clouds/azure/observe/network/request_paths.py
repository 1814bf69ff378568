"""The path of a request to machines: a balancer's rules, probes and pools, and the groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import ObservedInterface
from gpuinfra.clouds.azure.observe.network import security_groups, traffic
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.values import as_list, at, flag, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_PUBLIC: Final = ("publicIPAddress", "publicIPPrefix")
_CLIENTS: Final = {False: frozenset({"virtualnetwork"}), True: frozenset({"internet"})}
_PROBES: Final = frozenset({"azureloadbalancer"})
"""Whom requests and probes come from, as rules name them:
https://learn.microsoft.com/azure/virtual-network/service-tags-overview"""


def machine_request_paths(
    interface: ObservedInterface,
    guards: Sequence[Resource] | None,
    index: Index,
    subnet_ranges: frozenset[str],
) -> Iterator[Remark]:
    """Yield how requests reach machines through this stack's balancers, and what blocks them.

    Args:
        interface: of the machines.
        guards: the security groups around it; None where one may be hidden.
        index: the resources that it may refer to.
        subnet_ranges: the addresses of the machines' network.
    """
    pools = [
        at(reference, "id")
        for address in interface.addresses
        for reference in as_list(at(address, "loadBalancerBackendAddressPools"))
    ]
    for pool in pools:
        for balancer in _balancers(interface, pool, index):
            yield from _pool_remarks(balancer, pool)
            for rule in _rules(balancer, pool):
                yield from _rule_remarks(balancer, rule)
                yield from _let_in(balancer, rule, guards, (index, subnet_ranges))


def is_public(interface: ObservedInterface, index: Index) -> bool:
    """Return whether the machines may use a balancer's public address for outbound traffic."""
    return any(
        _is_open(resource)
        for address in interface.addresses
        for pool in as_list(at(address, "loadBalancerBackendAddressPools"))
        for resource in _balancers(interface, at(pool, "id"), index)
    )


def _balancers(interface: ObservedInterface, pool: Any, index: Index) -> Iterator[Resource]:
    """Yield the balancer that a pool's id names; while unknown, those that it comes from."""
    urns = {resource.urn for resource in index.related_resources(interface.holder, interface.prop)}
    for balancer in index.of_kind(resource_types.BALANCER):
        balancer_id = balancer.outputs.get("id")
        if isinstance(pool, str) and isinstance(balancer_id, str):
            if arm_ids.parent_id(pool).lower() == balancer_id.lower():
                yield balancer
        elif balancer.urn in urns:
            yield balancer


def _pool_remarks(balancer: Resource, pool: Any) -> Iterator[Remark]:
    if isinstance(pool, str) and not _has(balancer, "backendAddressPools", pool):
        lacks = f"has no pool {arm_ids.last_part(pool)}, which the machines are in"
        yield False, f"the load balancer {balancer.name} {lacks}"
    rule_keys = ("loadBalancingRules", "inboundNatRules", "inboundNatPools", "outboundRules")
    rule_lists = [balancer.inputs.get(key) for key in rule_keys]
    if not any(rule_lists[1:]) and not list(_rules(balancer, pool)):
        yield False, f"no rule of the load balancer {balancer.name} sends requests to the machines"
    frontends = balancer.inputs.get("frontendIPConfigurations")
    if not all(_has_address(frontend) for frontend in as_list(frontends)):
        yield False, f"the load balancer {balancer.name} is in no subnet"
    if not frontends:
        yield False, f"the load balancer {balancer.name} has no address"


def _has_address(frontend: Any) -> bool:
    """Return whether an address is of a subnet, or public, as far as it is known."""
    keys = ("subnet", *_PUBLIC)
    return isinstance(frontend, Unknown) or any(
        at(frontend, key) is not None and at(frontend, key, "id") is not None for key in keys
    )


def _rules(balancer: Resource, pool: Any) -> Iterator[Any]:
    """Yield the rules that send requests to a pool; a rule with an unknown pool may."""
    for rule in as_list(balancer.inputs.get("loadBalancingRules")):
        references = [
            at(reference, "id") for reference in as_list(at(rule, "backendAddressPools"))
        ]
        pool_ids = [
            pool_id for pool_id in (at(rule, "backendAddressPool", "id"), *references) if pool_id
        ]
        if any(_is_same_pool(pool_id, pool) for pool_id in pool_ids):
            yield rule


def _is_same_pool(reference: Any, pool: Any) -> bool:
    if isinstance(reference, Unknown) or isinstance(pool, Unknown):
        return True
    return arm_ids.last_part(str(reference)) == arm_ids.last_part(str(pool))


def _has(balancer: Resource, kind: str, reference: Any) -> bool:
    """Return whether a balancer has, or may have, the part that a reference names."""
    parts = balancer.inputs.get(kind)
    names = [at(named_entry, "name") for named_entry in as_list(parts)]
    if isinstance(reference, Unknown) or UNKNOWN in (parts, *names):
        return True
    return arm_ids.last_part(str(reference)) in [str(name).lower() for name in names]


def _rule_remarks(balancer: Resource, rule: Any) -> Iterator[Remark]:
    name = at(rule, "name")
    frontend = at(rule, "frontendIPConfiguration", "id")
    probe = at(rule, "probe", "id")
    if frontend is None or not _has(balancer, "frontendIPConfigurations", frontend):
        yield False, f"the rule {name} of {balancer.name} names an address that it doesn't have"
    if probe is None:
        yield False, f"the rule {name} of {balancer.name} forwards requests without a health probe"
    elif not _has(balancer, "probes", probe):
        yield False, f"the rule {name} of {balancer.name} names a probe that it doesn't have"
    listens, serves = whole_number(at(rule, "frontendPort")), whole_number(at(rule, "backendPort"))
    reset = " with TCP reset" if flag(at(rule, "enableTcpReset")) is True else ""
    if isinstance(listens, int) and isinstance(serves, int):
        yield True, f"requests by {at(rule, 'protocol')} {listens} to {serves}{reset}"
    for check in _probes(balancer, rule):
        path = at(check, "requestPath")
        probe_text = f"{whole_number(at(check, 'port'))}{path if isinstance(path, str) else ''}"
        yield True, f"healthy where {at(check, 'protocol')} {probe_text} answers"


def _let_in(
    balancer: Resource,
    rule: Any,
    guards: Sequence[Resource] | None,
    surroundings: tuple[Index, frozenset[str]],
) -> Iterator[Remark]:
    """Yield the traffic that security groups block; requests keep the clients' addresses."""
    index, subnet_ranges = surroundings
    public = _is_open(balancer)
    clients = _CLIENTS[public] | (frozenset() if public else subnet_ranges)
    incoming = [("requests", clients, at(rule, "backendPort"))]
    incoming += [("probes", _PROBES, at(probe, "port")) for probe in _probes(balancer, rule)]
    for direction, peers, port_value in incoming:
        port = whole_number(port_value)
        if not guards or not isinstance(port, int) or port == 0:
            continue
        tcp_path = traffic.TcpPath(direction=traffic.INBOUND, peers=peers, port=port)
        if security_groups.allow(guards, tcp_path, index) is False:
            yield False, f"the network security groups allow no inbound {direction} on TCP {port}"


def _probes(balancer: Resource, rule: Any) -> Iterator[Any]:
    """Yield the probes that a rule uses, as far as they are known."""
    probe = at(rule, "probe", "id")
    for entry in as_list(balancer.inputs.get("probes")):
        if isinstance(entry, Mapping) and _is_same_pool(probe, entry.get("name")):
            yield entry


def _is_open(balancer: Resource) -> bool:
    return any(
        at(frontend, key) is not None
        for frontend in as_list(balancer.inputs.get("frontendIPConfigurations"))
        for key in _PUBLIC
    )
