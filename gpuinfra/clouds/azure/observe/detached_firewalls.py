"""Network security groups without machines, and rules of groups in another stack."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import interfaces_of, profile_of
from gpuinfra.clouds.azure.observe.network import traffic
from gpuinfra.clouds.azure.observe.network.login import firewalls_of
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.model import Group, OpenPorts


def opened_firewalls(groups: Iterable[Group], index: Index) -> Iterator[OpenPorts]:
    """Yield security groups without machines of this stack that open login to the internet."""
    answered = set(_groups_of_judged_machines({group.subject for group in groups}, index))
    for resource in index.of_kind(resource_types.FIREWALL):
        if resource.urn not in answered:
            opens_login = traffic.lets_login(resource, index)
            yield from open_port_row(
                "azure", resource, opens_login, traffic.open_ports(resource, index)
            )
    for resource in (
        *index.of_kind(resource_types.FIREWALL_RULE),
        *index.of_kind(resource_types.ADMIN_RULE),
    ):
        if not index.targets(
            resource, "networkSecurityGroupName", resource_types.FIREWALL
        ).certain:
            opens_login = traffic.rule_lets_login(resource)
            yield from open_port_row(
                "azure", resource, opens_login, traffic.rule_open_ports(resource)
            )


def _groups_of_judged_machines(subjects: set[str], index: Index) -> Iterator[str]:
    """Yield the security groups of judged machines; their open ports are in the machines' rows."""
    for kind in (resource_types.MACHINE, resource_types.SCALE_SET, resource_types.FLEET):
        for machines in index.of_kind(kind):
            if machines.urn in subjects:
                interfaces = interfaces_of(profile_of(machines), index)
                yield from (resource.urn for resource in firewalls_of(interfaces, index))
