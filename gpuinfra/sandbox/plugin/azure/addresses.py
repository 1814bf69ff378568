"""Private IP addresses: the free ones of a subnet, and the next one."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_network
from typing import Any

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.ids import Records
from gpuinfra.sandbox.plugin.operation_context import values_at

# Azure keeps the first four and the last: learn.microsoft.com/azure/virtual-network/
# virtual-networks-faq.
_RESERVED_FIRST = 4
_RESERVED_ADDRESSES = 5
_HOLDERS = {
    "azure-native:network:NetworkInterface": "ipConfigurations[]",
    "azure-native:network:LoadBalancer": "frontendIPConfigurations[]",
}
_SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
_SET_NICS = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[]"


def prefix(records: Records, subnet_id: str) -> IPv4Network | None:
    """Return the subnet's IPv4 range; None if the subnet or the range is missing."""
    record = ids.record(records, subnet_id)
    properties = record.properties if record else ids.inline(records, subnet_id)
    values = properties or {}
    text = values.get("addressPrefix") or next(iter(values.get("addressPrefixes") or ()), None)
    return network(text)


def network(text: Any) -> IPv4Network | None:
    """Return the range in a text; None if it is not an IPv4 range."""
    try:
        parsed = ip_network(str(text), strict=False)
    except ValueError:
        return None
    return parsed if isinstance(parsed, IPv4Network) else None


def next_free_address(records: Records, subnet_id: str, besides: frozenset[str]) -> str | None:
    """Return the lowest free address of the subnet; None if it is full or unknown."""
    within = prefix(records, subnet_id)
    if within is None:
        return None
    used = {
        str(item.get("privateIPAddress")) for item in _subnet_users(records, subnet_id)
    } | besides
    positions = range(_RESERVED_FIRST, within.num_addresses - 1)
    return next(
        (str(within[place]) for place in positions if str(within[place]) not in used), None
    )


def free_addresses(records: Records, subnet_id: str, besides: str) -> int | None:
    """Return the subnet's free addresses, not counting those of `besides`; None if unknown."""
    within = prefix(records, subnet_id)
    if within is None:
        return None
    used = sum(1 for _ in _subnet_users(records, subnet_id))
    for record in records(_SCALE_SET):
        if ids.canonical_id(record.id) != ids.canonical_id(besides):
            used += addresses_by_subnet(record.properties).get(ids.canonical_id(subnet_id), 0)
    return within.num_addresses - _RESERVED_ADDRESSES - used


def addresses_by_subnet(inputs: Mapping[str, Any]) -> dict[str, int]:
    """Return the addresses that a scale set takes from each subnet, by folded id."""
    count = int((inputs.get("sku") or {}).get("capacity") or 0)
    counts: dict[str, int] = {}
    for _, value in values_at(inputs, f"{_SET_NICS}.ipConfigurations[].subnet.id"):
        counts[ids.canonical_id(str(value))] = counts.get(ids.canonical_id(str(value)), 0) + count
    return counts


def _subnet_users(records: Records, subnet_id: str) -> Iterator[Mapping[str, Any]]:
    for token, path in _HOLDERS.items():
        for record in records(token):
            for _, item in values_at(record.properties, path):
                subnet_of_item = (item.get("subnet") or {}).get("id")
                if isinstance(subnet_of_item, str) and ids.canonical_id(
                    subnet_of_item
                ) == ids.canonical_id(subnet_id):
                    yield item
