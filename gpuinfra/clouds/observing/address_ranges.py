"""Address ranges, and whether they are the whole internet or almost all of it."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Final

from gpuinfra.model import UNKNOWN, Known

SHORTEST_OWNED_PREFIX: Final = {4: 8, 6: 16}
"""The shortest prefix that one owner has: IANA gives /8 blocks of IPv4 to registries, which give
out smaller ones, and no owner has a /16 of IPv6. A rule for 0.0.0.0/1 and one for 128.0.0.0/1 are
open to everyone. https://www.iana.org/assignments/ipv4-address-space/"""

LOCAL: Final = IPv6Network("fc00::/7")
"""Addresses of IPv6 that no router of the internet takes: https://www.rfc-editor.org/rfc/rfc4193"""


def is_world(network: IPv4Network | IPv6Network) -> bool:
    """Return whether a range is wider than any single owner's."""
    if isinstance(network, IPv6Network) and network.subnet_of(LOCAL):
        return False
    return network.prefixlen < SHORTEST_OWNED_PREFIX[network.version]


MAX_OWNED_ADDRESSES: Final = {4: 1 << 28, 6: 1 << 116}
"""The most addresses that one owner has in all, generously: sixteen /8 blocks; a /12 of IPv6."""


def are_world(networks: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Return whether ranges together have more public addresses than any single owner.

    Private addresses count for nothing.
    """
    public = list(_collapse_ranges(network for network in networks if not network.is_private))
    return any(
        sum(network.num_addresses for network in public if network.version == version) > most
        for version, most in MAX_OWNED_ADDRESSES.items()
    )


def read_range(value: object) -> IPv4Network | IPv6Network | None:
    """Return a range as rules write it; None for other values."""
    return _parse_range(value.strip()) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _parse_range(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def is_whole_internet(value: object) -> Known:
    """Return whether a range, as it is written, is the whole internet."""
    network = read_range(value)
    return UNKNOWN if network is None else is_world(network)


def reaches_world(values: Iterable[object]) -> Known:
    """Return whether ranges, alone or together, are wider than any single owner's."""
    ranges = [read_range(address) for address in values]
    known_ranges = [address for address in ranges if address is not None]
    if any(map(is_world, known_ranges)):
        return True
    if len(known_ranges) > 1 and (
        any(map(is_world, _collapse_ranges(known_ranges))) or are_world(known_ranges)
    ):
        return True
    return UNKNOWN if None in ranges else False


def cover(outer_ranges: Iterable[object], inner_ranges: Iterable[object]) -> Known:
    """Return whether ranges together include every address of others; IPv6 includes no IPv4."""
    outer_parsed, inner_parsed = (
        [read_range(address_range) for address_range in outer_ranges],
        [read_range(address_range) for address_range in inner_ranges],
    )
    outer = list(_collapse_ranges(outer_parsed))
    if None not in inner_parsed and all(
        _is_within(address_range, outer) for address_range in inner_parsed
    ):
        return True
    return UNKNOWN if None in outer_parsed or None in inner_parsed else False


def _collapse_ranges(
    ranges: Iterable[IPv4Network | IPv6Network | None],
) -> Iterator[IPv4Network | IPv6Network]:
    """Yield the fewest ranges with the same addresses."""
    listed = list(ranges)
    yield from collapse_addresses(
        address_range for address_range in listed if isinstance(address_range, IPv4Network)
    )
    yield from collapse_addresses(
        address_range for address_range in listed if isinstance(address_range, IPv6Network)
    )


def _is_within(
    inner_range: IPv4Network | IPv6Network | None, outer: Iterable[IPv4Network | IPv6Network]
) -> bool:
    return inner_range is not None and any(
        around.version == inner_range.version
        and int(around.network_address) <= int(inner_range.network_address)
        and int(inner_range.broadcast_address) <= int(around.broadcast_address)
        for around in outer
    )
