"""The path of a request to machines: forwarding rule, backend service, health check, firewalls."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.network import HEALTH_CHECKS
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.network import traffic
from gpuinfra.clouds.gcp.observe.network.firewall_targets import FirewallTargets
from gpuinfra.clouds.gcp.observe.network.health_checks import HealthCheck, check_of
from gpuinfra.clouds.gcp.observe.network.mixed_pools import backends_of
from gpuinfra.clouds.gcp.observe.network.networks import Vpc
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_REGIONAL: Final = "gcp:compute/regionBackendService:RegionBackendService"
_PASSTHROUGH: Final = frozenset({None, "INTERNAL"})
"""Schemes of a regional backend service whose requests reach machines unchanged:
https://docs.cloud.google.com/load-balancing/docs/backend-service"""

_PACKETS: Final = frozenset({None, "TCP", "UDP", "UNSPECIFIED", "L3_DEFAULT"})
_CONNECTION_MODE: Final = "CONNECTION"


def machine_request_paths(
    resource: Resource, vpc: Vpc | None, targets: FirewallTargets, index: Index, *, serves: bool
) -> Iterator[Remark]:
    """Yield how requests reach a managed group, and what blocks them.

    `serves` is whether it is stated to be a pool: then requests have to reach it.
    """
    services = backends_of(resource, index)
    for service in services:
        yield from _backend_service_faults(service, vpc, targets, index)
    if serves and not services and _are_backends_visible(resource, index):
        yield False, "no load balancer forwards to it"
    for check in _checks(resource, services, index):
        yield from _health_check_remarks(check, vpc, targets, index)


def _are_backends_visible(resource: Resource, index: Index) -> bool:
    """Return whether every backend of the stack is visible, and none is of another kind."""
    if any(resource.inputs.get(key) for key in ("targetPools", "namedPorts")):
        return False
    return all(_is_read(service, index) for service in index.of_kind(resource_types.BACKEND))


def _is_read(service: Resource, index: Index) -> bool:
    backends = service.inputs.get("backends")
    groups = [at(backend, "group") for backend in as_list(backends)]
    if isinstance(backends, Unknown):
        return False
    return (
        UNKNOWN not in groups
        or index.targets(service, "backends", resource_types.GROUP, groups).exact
    )


def _is_passthrough(service: Resource) -> bool:
    scheme = text(service.inputs.get("loadBalancingScheme"))
    return service.type == _REGIONAL and scheme in _PASSTHROUGH


def _backend_service_faults(
    service: Resource, vpc: Vpc | None, targets: FirewallTargets, index: Index
) -> Iterator[Remark]:
    """Yield the faults of a backend service, and of the rules that lead to it.

    https://docs.cloud.google.com/load-balancing/docs/internal
    """
    if service.inputs.get("healthChecks") is None and service.inputs.get("haPolicy") is None:
        yield False, f"the backend service {service.name} has no health check, which it requires"
    if not _is_passthrough(service):
        return
    protocol = text(service.inputs.get("protocol"))
    if isinstance(protocol, str) and protocol not in _PACKETS:
        yield (
            False,
            (f"{service.name} passes packets through, and uses {protocol} instead of TCP or UDP"),
        )
    for mode in dict.fromkeys(_modes(service)):
        is_connection_mode = mode == _CONNECTION_MODE
        yield (
            is_connection_mode,
            (
                f"{service.name} balances by {mode}"
                f"{'' if is_connection_mode else f': use {_CONNECTION_MODE}'}"
            ),
        )
    rules = index.referrers(service, resource_types.FORWARDING, "backendService")
    if rules.complete and not rules.certain:
        yield False, f"no forwarding rule leads to the backend service {service.name}"
    for rule in rules.certain:
        yield from _forwarding_rule_faults(rule, vpc, targets, index)


def _modes(service: Resource) -> Iterator[str]:
    """Yield the balancing mode of each backend that states one; versions' defaults differ.

    https://registry.terraform.io/providers/hashicorp/google/latest/docs/guides/version_6_upgrade
    """
    for backend in as_list(service.inputs.get("backends")):
        mode = text(at(backend, "balancingMode"))
        if isinstance(mode, str):
            yield mode


def _forwarding_rule_faults(
    rule: Resource, vpc: Vpc | None, targets: FirewallTargets, index: Index
) -> Iterator[Remark]:
    """Yield the faults of a forwarding rule: its ports, blocked traffic, and its subnet."""
    stated_ports = [rule.inputs.get(key) for key in ("ports", "portRange")]
    all_ports = flag(rule.inputs.get("allPorts"))
    if all_ports in (None, False) and not any(stated_ports):
        yield False, f"the forwarding rule {rule.name} forwards no ports: name ports or all_ports"
    if rule.inputs.get("subnetwork") is None:
        yield from _missing_subnet_faults(rule, index)
    ports = [
        port for value in as_list(stated_ports[0]) if isinstance(port := whole_number(value), int)
    ]
    for port in ports:
        if vpc is not None and _is_closed(vpc, port, targets, index):
            yield False, f"no firewall allows inbound TCP {port}, which {rule.name} forwards"
    if ports:
        numbers = ", ".join(map(str, ports))
        yield True, f"requests to {text(rule.inputs.get('ipProtocol')) or 'TCP'} {numbers}"


def _is_closed(vpc: Vpc, port: int, targets: FirewallTargets, index: Index) -> bool:
    """Return whether the firewall surely blocks a port, or admits only health checks.

    A passthrough load balancer leaves the client's own address in each packet:
    https://docs.cloud.google.com/load-balancing/docs/internal#tcp-udp-request-response
    """
    is_let_through = traffic.lets_through(vpc, "INGRESS", port, None, targets, index)
    return (
        is_let_through is False
        or traffic.lets_others(vpc, port, HEALTH_CHECKS, targets, index) is False
    )


def _missing_subnet_faults(rule: Resource, index: Index) -> Iterator[Remark]:
    """Yield a forwarding rule without a subnet in a custom-mode network.

    https://docs.cloud.google.com/compute/docs/reference/rest/v1/forwardingRules
    """
    for network in index.targets(rule, "network", resource_types.NETWORK).certain:
        if flag(network.inputs.get("autoCreateSubnetworks")) is False:
            yield False, f"the forwarding rule {rule.name} names no subnet of {network.name}"


def _checks(resource: Resource, services: Sequence[Resource], index: Index) -> list[HealthCheck]:
    """Return the health checks of a group and of the services before it, each once."""
    checks: dict[str, HealthCheck] = {}
    policy: Any = resource.inputs.get("autoHealingPolicies")
    health_check = at(
        policy[0] if as_list(policy) and not isinstance(policy, dict) else policy, "healthCheck"
    )
    references = [(resource, "autoHealingPolicies", health_check)]
    references += [
        (service, "healthChecks", service.inputs.get("healthChecks")) for service in services
    ]
    for holder, prop, value in references:
        if value is None:
            continue
        for check in index.targets(holder, prop, resource_types.CHECK, value).certain:
            checks[check.urn] = check_of(check)
    return list(checks.values())


def _health_check_remarks(
    check: HealthCheck, vpc: Vpc | None, targets: FirewallTargets, index: Index
) -> Iterator[Remark]:
    """Yield the probe and the faults of a health check, and whether firewalls block it."""
    for probe_fault in check.faults:
        yield False, probe_fault
    if check.words:
        yield True, check.words
    if vpc is None or check.port is None:
        return
    closed = [
        source_range
        for source_range in HEALTH_CHECKS
        if traffic.lets_through(vpc, "INGRESS", check.port, source_range, targets, index) is False
    ]
    if closed:
        yield (
            False,
            (
                f"no firewall allows {check.name} in on TCP {check.port} from "
                f"{' and '.join(closed)}"
            ),
        )
