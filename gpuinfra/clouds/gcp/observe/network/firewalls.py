"""A single firewall: its direction, its peers, its protocols and ports, and its priority."""

from collections.abc import Iterator, Sequence
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from typing import Any, Final, Literal

from gpuinfra.clouds.observing.address_ranges import (
    cover,
    is_whole_internet,
    reaches_world,
    read_range,
)
from gpuinfra.clouds.observing.control_ports import EVERY, open_port_words, protocol_of
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

Flow = Literal["INGRESS", "EGRESS"]

PRIORITY: Final = 1000
"""A firewall's own priority where it states none; the lower number wins, a denial wins a tie:
https://docs.cloud.google.com/firewall/docs/firewalls#priority_order_for_firewall_rules"""

VPC_LOWEST: Final = 65535
LOWEST: Final = 1 << 32
"""Every VPC lets everything out and nothing in, after its firewalls and those of its policies."""

EVERYONE: Final = "0.0.0.0/0"
"""What a firewall that names no peer speaks of, which is IPv4 alone:
https://docs.cloud.google.com/firewall/docs/firewalls#sources"""

NUMBERS: Final = {"tcp": "6", "udp": "17"}
PEERS: Final = {
    "INGRESS": ("sourceRanges", "sourceTags", "sourceServiceAccounts"),
    "EGRESS": ("destinationRanges", "", ""),
}


def applies_to_all(firewall: Resource, control_port: Flow) -> Known:
    """Return whether a firewall applies to every peer: it names all addresses, or no peer."""
    ranges, *other_peers = (firewall.inputs.get(key) for key in PEERS[control_port] if key)
    if not ranges and not any(other_peers):
        return True
    return reaches_world(as_list(ranges))


def denies_all_of(denial: Resource, allowance: Resource) -> Known:
    """Return whether a denial covers everyone whom an allowance admits.

    One that names destinations is about some of the machines' addresses, which are not known here.
    """
    ranges, *other_peers = (denial.inputs.get(key) for key in PEERS["INGRESS"])
    if not as_list(ranges) and any(other_peers):
        return False
    allowed = as_list(allowance.inputs.get("sourceRanges"))
    covered = cover(as_list(ranges) or (EVERYONE,), allowed or (EVERYONE,))
    every_address = UNKNOWN if denial.inputs.get("destinationRanges") else True
    return all_of((covered, every_address))


def overrides(denial: Resource, allowance: Resource, port: int) -> Known:
    """Return whether a denial closes a port to everyone whom an allowance admits."""
    return all_of((denies_all_of(denial, allowance), denies(denial, port)))


def is_only_from(firewall: Resource, ranges: Sequence[IPv4Network | IPv6Network | None]) -> bool:
    """Return whether a firewall surely allows traffic from some ranges only."""
    peers, *other_peers = (firewall.inputs.get(key) for key in PEERS["INGRESS"])
    read = [read_range(peer) for peer in as_list(peers)]
    return (
        bool(read)
        and not any(other_peers)
        and all(any(_covers(around, source) for around in ranges) for source in read)
    )


def _covers(
    outer_range: IPv4Network | IPv6Network | None, inner_range: IPv4Network | IPv6Network | None
) -> bool:
    return (
        isinstance(outer_range, IPv4Network)
        and isinstance(inner_range, IPv4Network)
        and inner_range.subnet_of(outer_range)
    )


def is_in_force(firewall: Resource, control_port: Flow) -> Known:
    """Return whether a firewall is in force in a direction."""
    direction = text(firewall.inputs.get("direction")) or "INGRESS"
    disabled = flag(firewall.inputs.get("disabled"))
    is_enabled = opposite(disabled)
    return all_of((equals(direction, control_port), is_enabled))


def rank_of(firewall: Resource, rank_if_unknown: int) -> int:
    """Return a firewall's priority; `rank_if_unknown` is used for one that is not known yet."""
    priority = whole_number(firewall.inputs.get("priority"))
    if priority is None:
        return PRIORITY
    return rank_if_unknown if isinstance(priority, Unknown) else priority


def rules_of(firewall: Resource, key: str) -> tuple[Any, ...]:
    """Return the rules under a firewall's `allows` or `denies`."""
    return as_list(firewall.inputs.get(key))


def lets_login(firewall: Resource) -> Known:
    """Return whether a firewall allows any of `control_ports` to its peers."""
    return any_of(allows(firewall, port) for port in EVERY)


def open_ports(firewall: Resource) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that a firewall opens to the internet."""
    ranges = [
        cidr
        for cidr in as_list(firewall.inputs.get("sourceRanges"))
        if is_whole_internet(cidr) is True
    ]
    return open_port_words(
        firewall.name, ranges[0] if ranges else "the internet", partial(allows, firewall)
    )


def allows(firewall: Resource, port: int) -> Known:
    """Return whether a firewall allows a port."""
    return covers_port(firewall, "allows", protocol_of(port), port)


def denies(firewall: Resource, port: int) -> Known:
    """Return whether a firewall denies a port."""
    return covers_port(firewall, "denies", protocol_of(port), port)


def covers_port(firewall: Resource, rules: str, protocol: str, port: int) -> Known:
    """Return whether a firewall's `allows` or `denies` cover a port of a protocol."""
    return any_of(
        all_of((speaks_of(rule, protocol), has_port(rule, port)))
        for rule in rules_of(firewall, rules)
    )


def denies_login(firewall: Resource) -> bool:
    """Return whether a firewall denies, or may deny, any of `control_ports`."""
    return any(denies(firewall, port) is not False for port in EVERY)


def speaks_of(rule: Any, protocol: str) -> Known:
    """Return whether a rule covers a protocol, by its name or its number."""
    value = text(at(rule, "protocol"))
    if isinstance(value, Unknown):
        return UNKNOWN
    return value is not None and value.lower() in {"all", protocol, NUMBERS[protocol]}


def all_ports(rule: Any, protocol: str) -> Known:
    """Return whether a rule covers every port of a protocol."""
    ports = at(rule, "ports")
    covers_all_ports: Known = UNKNOWN if isinstance(ports, Unknown) else not as_list(ports)
    return all_of((speaks_of(rule, protocol), covers_all_ports))


def has_port(rule: Any, port: int) -> Known:
    """Return whether a rule covers a port; a rule without ports covers all."""
    ports = at(rule, "ports")
    if isinstance(ports, Unknown):
        return UNKNOWN
    return any_of(is_port(entry, port) for entry in as_list(ports)) if as_list(ports) else True


def is_port(value: Any, port: int) -> Known:
    """Return whether a port equals the written port, or is in the written range."""
    if isinstance(value, Unknown):
        return UNKNOWN
    first, _, last = str(value).partition("-")
    lowest, highest = whole_number(first), whole_number(last or first)
    if isinstance(lowest, int) and isinstance(highest, int):
        return lowest <= port <= highest
    return UNKNOWN


def is_inside(inner_range: IPv4Network | IPv6Network | None, outer_text: Any) -> Known:
    """Return whether a written range covers a network."""
    outer_range = read_range(outer_text)
    if inner_range is None or outer_range is None:
        return UNKNOWN
    if isinstance(inner_range, IPv6Network) or isinstance(outer_range, IPv6Network):
        return False
    return inner_range.subnet_of(outer_range)


def covers_subnet(subnet: Resource, outer_text: Any, *, partly: bool) -> Known:
    """Return whether a range covers a subnet's; with `partly`, UNKNOWN where it covers some."""
    if isinstance(outer_text, Unknown):
        return False
    subnet_range, outer_range = (
        read_range(subnet.inputs.get("ipCidrRange")),
        read_range(outer_text),
    )
    if subnet_range is None or outer_range is None:
        return UNKNOWN
    if isinstance(subnet_range, IPv6Network) or isinstance(outer_range, IPv6Network):
        return False
    if partly and subnet_range.overlaps(outer_range) and not subnet_range.subnet_of(outer_range):
        return UNKNOWN
    return subnet_range.subnet_of(outer_range)
