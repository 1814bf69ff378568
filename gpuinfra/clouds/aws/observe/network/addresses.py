"""The addresses that a group's machines take of their subnets, and those available."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network
from typing import Any, Final

from gpuinfra.clouds.aws.network import RESERVED_ADDRESSES
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_settings import interfaces_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_BITS: Final = 32
_PREFIX: Final = 16

_ADDITIONAL_ADDRESS_KEYS: Final = (
    (("ipv4AddressCount", "secondaryPrivateIpAddressCount", "privateIpsCount"), 1),
    (("ipv4PrefixCount", "ipv4Prefixes"), _PREFIX),
)
"""What an interface says of addresses beside its first, and how many each is; a prefix is a /28:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.html
"""


def addresses_of(
    resource: Resource, launches: Sequence[LaunchSources], machines: int | Unknown, index: Index
) -> tuple[int, int] | Unknown | None:
    """Return the most addresses needed, and those of the empty subnets.

    UNKNOWN where a number is known after creation, None where the stack shows no subnet, or one
    that has IPv6 addresses alone.
    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
    """
    subnets = locations.subnets_of(resource, index)
    if not subnets.certain or any(_is_ipv6_only(subnet) for subnet in subnets.certain):
        return None
    free = _usable_addresses(subnets.certain)
    machine_addresses = [_addresses_of_machine(launch, index) for launch in launches]
    known_counts = [count for count in machine_addresses if not isinstance(count, Unknown)]
    if (
        isinstance(machines, Unknown)
        or isinstance(free, Unknown)
        or len(known_counts) < len(machine_addresses)
    ):
        return UNKNOWN
    if not subnets.exact:
        return UNKNOWN
    return machines * max(known_counts, default=1), free


def _addresses_of_machine(launch: LaunchSources, index: Index) -> int | Unknown:
    """Return the addresses of one machine: of every interface that is not efa-only."""
    nics = interfaces_of(launch, index)
    if isinstance(nics, Unknown) or launch.hidden:
        return UNKNOWN
    total = 0
    for nic in nics:
        interface_addresses = _addresses_of_interface(nic)
        if isinstance(interface_addresses, Unknown):
            return UNKNOWN
        total += interface_addresses
    return total or 1


def _addresses_of_interface(nic: Any) -> int | Unknown:
    """Return the addresses of one interface: its own, additional ones, and whole prefixes.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-prefix-eni.html
    """
    kind = text(at(nic, "interfaceType"))
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind == "efa-only":
        return 0
    total = 1
    for keys, size in _ADDITIONAL_ADDRESS_KEYS:
        for key in keys:
            value = at(nic, key)
            count = (
                len(as_list(value)) if isinstance(value, (list, tuple)) else whole_number(value)
            )
            if isinstance(count, Unknown):
                return UNKNOWN
            total += size * (count or 0)
    address_ids = at(nic, "ipv4Addresses")
    if isinstance(address_ids, Unknown):
        return UNKNOWN
    return total + max(0, len(as_list(address_ids)) - 1)


def _usable_addresses(subnets: Iterable[Resource]) -> int | Unknown:
    total = 0
    for subnet in subnets:
        size = _size(subnet)
        if isinstance(size, Unknown):
            return UNKNOWN
        total += max(0, size - RESERVED_ADDRESSES)
    return total


def _size(subnet: Resource) -> int | Unknown:
    """Return all addresses of a subnet: of its block, or of its requested prefix length."""
    block, length = (
        subnet.inputs.get("cidrBlock"),
        whole_number(subnet.inputs.get("ipv4NetmaskLength")),
    )
    if block is None and isinstance(length, int) and 0 <= length <= _BITS:
        return int(2 ** (_BITS - length))
    cidr = block or subnet.outputs.get("cidrBlock")
    if not isinstance(cidr, str):
        return UNKNOWN
    try:
        return IPv4Network(cidr, strict=False).num_addresses
    except ValueError:
        return UNKNOWN


def _is_ipv6_only(subnet: Resource) -> bool:
    return flag(subnet.inputs.get("ipv6Native")) is True
