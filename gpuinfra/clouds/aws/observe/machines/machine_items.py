"""What is billed for each machine of a group: its disks, its metrics and its public address."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.metered import CUSTOM_METRIC
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.machines.time_limits import keeps_disks
from gpuinfra.clouds.aws.observe.network.fabric import public_address
from gpuinfra.clouds.aws.observe.storage.disk_rows import disk_items
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import amount, any_of, at, flag
from gpuinfra.model import Item, Known, Resource, Unknown

_DETAILED_METRICS: Final = Decimal(7)
"""The number of metrics billed for detailed monitoring of a machine, at the custom-metric price
that AWS lists: https://aws.amazon.com/cloudwatch/pricing/ (2026-11-26, not re-read: unverified)"""
_ROOT_OF_NODES: Final = "diskSize"
"""GiB of the root disk of nodes without a launch template:
https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html"""


def machine_items(
    resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Iterator[Item]:
    """Yield the disks and addresses per machine; several templates add up, never too low.

    Where it is not known yet whether a machine gets a public address, it counts as having one: AWS
    assigns at most one by itself, and a cap counts the maximum.
    """
    keeps_disks_fact, sized = keeps_disks(resource), amount(resource.inputs.get(_ROOT_OF_NODES))
    for launch in launches:
        for disk in disk_items(launch, index, resource.urn, resource.name, sized):
            yield replace(disk, kept_when_stopped=True) if keeps_disks_fact else disk
        if _is_monitored(launch):
            yield Item(
                name="detailed monitoring",
                subject=resource.urn,
                kind="metrics",
                cloud="aws",
                item=CUSTOM_METRIC,
                unit="metric-month",
                quantity=_DETAILED_METRICS,
                group=resource.name,
                per_machine=True,
                resource=resource.urn,
            )
    public: Known = any_of(public_address(resource, launch, index) for launch in launches)
    if public is False:
        return
    yield Item(
        name="public address",
        subject=resource.urn,
        kind="address",
        cloud="aws",
        item="public-ipv4-hour",
        unit="hour",
        quantity=Decimal(1),
        group=resource.name,
        per_machine=True,
        resource=resource.urn,
    )


def _is_monitored(launch: LaunchSources) -> bool:
    """Return whether metrics are, or may be, sent every minute."""
    monitoring = launch.get("monitoring")
    enabled = flag(
        monitoring if isinstance(monitoring, bool | str | Unknown) else at(monitoring, "enabled")
    )
    return enabled is True or isinstance(enabled, Unknown)
