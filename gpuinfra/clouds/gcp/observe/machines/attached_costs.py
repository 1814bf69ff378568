"""The costs of a group's machines other than the machine price: disks, addresses, software."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.network.addresses import paid_addresses, public_address
from gpuinfra.clouds.gcp.observe.network.nat import uses_nat
from gpuinfra.clouds.gcp.observe.storage.disks import disk_items
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import machine_item
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.model import Item, Machine, Resource


def machine_items(
    resource: Resource,
    launches: Sequence[LaunchSources],
    machines: Sequence[Machine],
    index: Index,
) -> Iterator[Item]:
    """Yield the additional items of each machine; of several templates the most of each item.

    A machine without a public address of its own goes out through the NAT of its network.
    """
    items_by_launch = [
        disk_items(launch, machines, resource.urn, resource.name) for launch in launches
    ]
    yield from items_by_launch[0] if len(items_by_launch) == 1 else _highest_rows(items_by_launch)
    addresses = max((paid_addresses(launch, index) for launch in launches), default=Decimal(0))
    if addresses:
        item = "external-ip-in-use-hour"
        yield machine_item(
            "gcp", "address", resource.urn, resource.name, item, "hour", addresses, kind="address"
        )
    public = all_of(public_address(launch) for launch in launches)
    region = locations.region_of(resource, index)
    if public is not True and any(uses_nat(launch, region, index) for launch in launches):
        kind, item = "NAT gateway", "cloud-nat-vm-hour"
        yield machine_item(
            "gcp", kind, resource.urn, resource.name, item, "VM-hour", Decimal(1), kind=kind
        )


def _highest_rows(item_lists: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """Yield each item's rows from the machine with the most of it; unknown is the most."""
    for kind in dict.fromkeys(item.item for items in item_lists for item in items):
        rows = ([item for item in items if item.item == kind] for items in item_lists)
        yield from max(rows, key=_quantity)


def _quantity(items: Sequence[Item]) -> Decimal:
    amounts = [item.quantity for item in items]
    known = [amount for amount in amounts if isinstance(amount, Decimal)]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else Decimal("Infinity")
