"""Ranges of addresses: whether one is the internet, or so much of it that it means the same."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

WIDEST: Final = {4: 8, 6: 16}
"""The shortest prefix that one owner has: IANA gives /8 blocks of IPv4 to registries, which give
out smaller ones, and no owner has a /16 of IPv6. A rule for 0.0.0.0/1 and one for 128.0.0.0/1 are
open to everyone. https://www.iana.org/assignments/ipv4-address-space/"""

LOCAL: Final = IPv6Network("fc00::/7")
"""Addresses of IPv6 that no router of the internet takes: https://www.rfc-editor.org/rfc/rfc4193"""


def is_world(network: IPv4Network | IPv6Network) -> bool:
    """Whether a range is wider than any owner's."""
    if isinstance(network, IPv6Network) and network.subnet_of(LOCAL):
        return False
    return network.prefixlen < WIDEST[network.version]


def read_range(written: object) -> IPv4Network | IPv6Network | None:
    """A range as rules write it; None for what is no range."""
    if not isinstance(written, str):
        return None
    try:
        return ip_network(written.strip(), strict=False)
    except ValueError:
        return None
