"""The network paths of machines: outbound ports, routes, S3, login, and requests."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.network import (
    cross_region,
    request_paths,
    routes,
    security_groups,
    traffic,
)
from gpuinfra.clouds.aws.observe.network.fabric import public_address
from gpuinfra.clouds.aws.observe.rights import machine_roles
from gpuinfra.clouds.aws.observe.rights.identity import roles_of
from gpuinfra.clouds.observing.fault_texts import Remark, blocked, reach_from
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import any_of
from gpuinfra.model import Known, Reachability, Resource

HTTPS: Final = 443
_PORTS: Final = (80, HTTPS)


def reach_of(
    resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Reachability | None:
    """Return what machines reach, as far as this stack shows it; None where it shows nothing.

    Resources outside of the stack, for example the caller's network, are never a fault.
    """
    facts = [fact for launch in launches for fact in _launch_remarks(resource, launch, index)]
    facts += cross_region.cross_region_remarks(resource, index)
    return reach_from("network-access", facts) if facts else None


def _launch_remarks(resource: Resource, launch: LaunchSources, index: Index) -> Iterator[Remark]:
    groups = security_groups.security_groups_of(resource, launch, index)
    yield from _outbound_ports(groups, index)
    subnets = locations.subnets_of_machine(resource, launch, index)
    public = public_address(resource, launch, index)
    if subnets.exact:
        for subnet in subnets.certain:
            yield from routes.route_remarks(subnet, index, public=public)
            yield from _acls(subnet, index)
    yield from _login(launch, index)
    yield from request_paths.machine_request_paths(resource, groups, index)


def _acls(subnet: Resource, index: Index) -> Iterator[Remark]:
    if any(map(index.of_kind, resource_types.NETWORK_ACLS)):
        from gpuinfra.clouds.aws.observe.network import network_acls  # noqa: PLC0415  (few have any)

        yield from network_acls.acl_remarks(subnet, index)


def _outbound_ports(groups: Sequence[Any], index: Index) -> Iterator[Remark]:
    """Yield the TCP ports on which the machines' security groups allow outbound connections."""
    if not groups or not all(targets.exact and targets.certain for targets in groups):
        return
    open_ports: dict[int, Known] = {
        port: any_of(
            traffic.lets_out(group, port, index) for targets in groups for group in targets.certain
        )
        for port in _PORTS
    }
    ports = [str(port) for port, fact in open_ports.items() if fact is True]
    if ports:
        yield True, f"connections out to TCP {' and '.join(ports)}"
    if open_ports[HTTPS] is False:
        yield blocked(
            "no security group allows outbound HTTPS (TCP 443)",
            "add an egress rule for TCP 443 to a security group of the machines",
        )


def _login(launch: LaunchSources, index: Index) -> Iterator[Remark]:
    """Yield whether login is possible through Session Manager or with a key pair."""
    if launch.hidden:
        return
    if launch.get("keyName") is not None:
        yield True, "login with a key pair"
        return
    roles = roles_of(launch, index)
    if roles is None or not roles.exact:
        return
    yield from machine_roles.role_rights(roles.certain, index)
    opens_channel = any_of(machine_roles.opens_channel(role, index) for role in roles.certain)
    if opens_channel is True:
        yield True, "login through Session Manager"
    elif opens_channel is False:
        yield blocked(
            "no login: the role has no Session Manager actions, the machine no key pair",
            "attach AmazonSSMManagedInstanceCore to the role",
        )
