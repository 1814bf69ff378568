"""Firewalls that apply to no machine of this stack, and load balancers."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import launch_options
from gpuinfra.clouds.gcp.observe.network import firewall_policy_rules, firewalls, traffic
from gpuinfra.clouds.gcp.observe.network.firewall_targets import (
    FirewallTargets,
    firewall_targets_of,
)
from gpuinfra.clouds.gcp.observe.network.networks import Vpc, interfaces_of, vpc_of
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.model import Group, OpenPorts, Resource, Unknown

_Machines = dict[str, dict[str, FirewallTargets]]
"""The tags and accounts of machines, by network."""


def opened_firewalls(groups: Iterable[Group], index: Index) -> Iterator[OpenPorts]:
    """Yield firewalls without machines, and balancers, that open login to the internet."""
    for rule in firewall_policy_rules.rules(index):
        yield from open_port_row("gcp", rule, firewall_policy_rules.lets_login(rule, index))
    if any(rule.inputs.get("target") for rule in index.of_kind(resource_types.FORWARDING)):
        from gpuinfra.clouds.gcp.observe.exposure import balancer_ports  # noqa: PLC0415  (few have any)

        yield from balancer_ports.exposed_ports(index)
    if any(map(index.of_kind, resource_types.CLOUD_RUN_SERVICES)):
        from gpuinfra.clouds.gcp.observe.exposure import serverless_ports  # noqa: PLC0415  (few have any)

        yield from serverless_ports.exposed_services(index)
    every_firewall = index.of_kind(resource_types.FIREWALL)
    if not every_firewall:
        return
    machines = _machines({group.subject for group in groups}, index)
    for firewall in every_firewall:
        vpc = vpc_of(firewall, "network", firewall.inputs.get("network"), index)
        if not _applies_to_judged_machines(firewall, vpc, machines, index):
            opens_login = traffic.lets_login(firewall, vpc, index)
            yield from open_port_row("gcp", firewall, opens_login, firewalls.open_ports(firewall))


def _machines(subjects: set[str], index: Index) -> _Machines:
    """Return the tags and accounts of judged machines by network, duplicates removed."""
    by_network: _Machines = {}
    for machines in (
        resource for kind in sorted(resource_types.MACHINES) for resource in index.of_kind(kind)
    ):
        if machines.urn not in subjects:
            continue
        for option in launch_options.group_request_of(machines, index).options:
            interfaces = interfaces_of(option.launch, index)
            targets = firewall_targets_of(option.launch, index)
            for interface in () if isinstance(interfaces, Unknown) else interfaces:
                if not isinstance(interface.vpc, Unknown):
                    by_network.setdefault(interface.vpc.key, {})[targets.key] = targets
    return by_network


def _applies_to_judged_machines(
    firewall: Resource, vpc: Vpc | Unknown, machines: _Machines, index: Index
) -> bool:
    """Return whether a firewall applies to judged machines, whose rows state what it opens."""
    return not isinstance(vpc, Unknown) and any(
        traffic.is_behind(firewall, vpc, firewall_targets, index) is not False
        for firewall_targets in machines.get(vpc.key, {}).values()
    )
