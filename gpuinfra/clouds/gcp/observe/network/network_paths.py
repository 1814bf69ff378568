"""The network paths of machines: outbound, buckets, each other, and requests."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.network import HEALTH_CHECKS, LOGIN_PROXY, POOL_MTU
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.network import cross_region, egress, request_paths, traffic
from gpuinfra.clouds.gcp.observe.network.firewall_targets import (
    FirewallTargets,
    firewall_targets_of,
)
from gpuinfra.clouds.gcp.observe.network.login import is_login_by_ssh, is_login_meant
from gpuinfra.clouds.gcp.observe.network.networks import (
    ObservedInterface,
    Vpc,
    interfaces_of,
    subnets_on,
)
from gpuinfra.clouds.gcp.observe.storage import bucket_access
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import Reachability, Resource, Unknown
from gpuinfra.records import record

_KNOWN_SOURCES: Final = {
    LOGIN_PROXY: "Identity-Aware Proxy",
    **dict.fromkeys(HEALTH_CHECKS, "health checks"),
}
"""Ranges of Google's own: https://docs.cloud.google.com/iap/docs/using-tcp-forwarding"""

_SSH: Final = 22
_SSH_FROM: Final = f"SSH in (TCP {_SSH}; Identity-Aware Proxy connects from {LOGIN_PROXY})"


@record(kw_only=False)
class ReachedGroup:
    """A group of machines: its launches, and whether it serves or works together."""

    resource: Resource
    launches: Sequence[LaunchSources]
    serves: bool = False
    together: bool = False


def reach_of(group: ReachedGroup, index: Index) -> Reachability | None:
    """Return what machines reach, as far as this stack shows it; None where it shows nothing.

    Resources outside of the stack, for example the caller's network, are never a fault.
    GKE opens the firewalls of its nodes itself.
    """
    if group.resource.type == resource_types.NODE_POOL:
        return None
    findings = [
        finding for launch in group.launches for finding in _launch_remarks(group, launch, index)
    ]
    findings += cross_region.other_region_remarks(group.resource, index)
    return reach_from("network-access", findings) if findings else None


def _launch_remarks(group: ReachedGroup, launch: LaunchSources, index: Index) -> Iterator[Remark]:
    interfaces = interfaces_of(launch, index)
    known_interfaces: Sequence[ObservedInterface] = (
        () if isinstance(interfaces, Unknown) else interfaces
    )
    firewall_targets = firewall_targets_of(launch, index)
    region = locations.region_of(group.resource, index)
    # Before ids are known, the first may be another.
    first = [interface for interface in known_interfaces[:1] if interface.sure]
    for interface in first:
        yield from egress.outbound_remarks(launch, interface, firewall_targets, region, index)
    for interface in known_interfaces:
        yield from egress.refused_of(interface)
    yield from bucket_access.bucket_role_remarks(launch, index, together=group.together)
    vpcs = _networks_with_firewalls(known_interfaces)
    for vpc in vpcs[:1] if first else ():
        yield from _entrances(vpc, firewall_targets, index)
        if (
            is_login_by_ssh(launch)
            and traffic.lets_others(vpc, _SSH, (), firewall_targets, index) is False
        ):
            is_wanted = is_login_meant(launch, index)
            yield not is_wanted, f"no login: no firewall of {vpc.name} allows {_SSH_FROM}"
    yield from _packets(known_interfaces)
    for vpc in vpcs if group.together else ():
        subnets = subnets_on(known_interfaces, vpc)
        if traffic.self_open(vpc, "INGRESS", subnets, firewall_targets, index) is False:
            yield False, f"no firewall in {vpc.name} allows traffic between the machines"
    main = vpcs[0] if first and vpcs and vpcs[0] == known_interfaces[0].vpc else None  # pyright: ignore[reportGeneralTypeIssues]
    if resource_types.canonical(group.resource.type) == resource_types.GROUP:
        yield from request_paths.machine_request_paths(
            group.resource, main, firewall_targets, index, serves=group.serves
        )


def _networks_with_firewalls(interfaces: Sequence[ObservedInterface]) -> list[Vpc]:
    """Return the networks of this stack with firewalls, which RDMA networks don't have."""
    vpcs = [
        interface.vpc
        for interface in interfaces
        if isinstance(interface.vpc, Vpc)
        and interface.vpc.resource is not None
        and interface.is_rdma is False
        and interface.vpc.profile is None
    ]
    return list({vpc.key: vpc for vpc in vpcs}.values())


def _packets(interfaces: Sequence[ObservedInterface]) -> Iterator[Remark]:
    """Yield the packet sizes, with the interfaces that carry them."""
    sizes: dict[str, None] = {}
    for interface in interfaces:
        network = interface.vpc.resource if isinstance(interface.vpc, Vpc) else None
        if network is not None:
            mtu = whole_number(network.inputs.get("mtu"))
            size = None if isinstance(mtu, Unknown) else mtu or POOL_MTU
            kind = (
                interface.kind
                if isinstance(interface.kind, str)
                else "interfaces that Google chooses"
            )
            sizes[f"{size or 'unknown'} bytes by {kind}"] = None
    if sizes:
        yield True, f"packets of {', '.join(sizes)}"


def _entrances(vpc: Vpc, targets: FirewallTargets, index: Index) -> Iterator[Remark]:
    for firewall in traffic.entrances(vpc, targets, index):
        sources = [firewall.inputs.get(key) for key in _SOURCES]
        if not any(sources):
            yield (
                False,
                f"the firewall {firewall.name} names no source, which Google Cloud refuses",
            )
        ports = ", ".join(_ports(rule) for rule in as_list(firewall.inputs.get("allows")))
        yield True, f"{ports} from {_peers(firewall, sources)}"


_SOURCES: Final = ("sourceRanges", "sourceTags", "sourceServiceAccounts")


def _peers(firewall: Resource, sources: Sequence[Any]) -> str:
    """Return a description of the admitted peers: ranges as written, Google's own by name."""
    ranges, *other_sources = sources
    cidrs = [cidr for cidr in as_list(ranges) if isinstance(cidr, str)]
    source_names = list(dict.fromkeys(_KNOWN_SOURCES.get(cidr, cidr) for cidr in cidrs))
    if any(other_sources):
        source_names.append("machines with the firewall's source tags or service accounts")
    return ", ".join(source_names) or firewall.name


def _ports(rule: Any) -> str:
    protocol = text(at(rule, "protocol"))
    ports = [str(port) for port in as_list(at(rule, "ports")) if not isinstance(port, Unknown)]
    protocol_text = protocol.upper() if isinstance(protocol, str) else "traffic"
    return f"{protocol_text} {', '.join(ports)}" if ports else f"all {protocol_text}"
