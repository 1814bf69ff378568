"""The traffic that a security group allows, from inline rules and separate rules alike."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.address_ranges import are_world, is_whole_internet, read_range
from gpuinfra.clouds.observing.control_ports import PORTS, UDP_PORTS, open_port_words, protocol_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, is_on, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

Direction = Literal["ingress", "egress"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("ingress", "egress")

_ALL_PROTOCOLS: Final = frozenset({"-1", "all", -1})
_TCP: Final = frozenset({"tcp", "6", 6})
_UDP: Final = frozenset({"udp", "17", 17})
_OWNER: Final = "securityGroupId"


@record(kw_only=False)
class Opening:
    """A rule of a security group: protocol and ports, the addresses and groups (or `self`)."""

    protocol: Any
    from_port: int | Unknown | None
    to_port: int | Unknown | None
    addresses: tuple[Any, ...]
    to_itself: Known
    peers: Targets = Targets()

    def names_peer(self, group: Resource, peer: Resource) -> Known:
        """Return whether the rule, of a group, names another group, or the group itself."""
        itself = peer.urn == group.urn and self.to_itself
        return any_of((itself, self.peers.any_target(lambda other: other.urn == peer.urn)))

    def lets_all(self, group: Resource, peer: Resource) -> Known:
        """Return whether the rule allows a peer all traffic, which EFA needs; no address does.

        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
        """
        return all_of((_is_accepted(self.protocol, _ALL_PROTOCOLS), self.names_peer(group, peer)))

    def lets_others(self, group: Resource) -> bool:
        """Return whether the rule, of a group, may name another group than that."""
        return not self.peers.exact or any(peer.urn != group.urn for peer in self.peers.certain)


def self_open(group: Resource, direction: Direction, index: Index) -> Known:
    """Return whether a group allows all traffic to or from itself."""
    openings, complete = _openings(group, direction, index)
    is_open = any_of(each.lets_all(group, group) for each in openings)
    return is_open if complete or is_open is True else UNKNOWN


def open_peers(group: Resource, direction: Direction, index: Index) -> Iterator[str]:
    """Yield the URNs of the groups that a group may allow all traffic from, or to."""
    openings, complete = _openings(group, direction, index)
    for peer in index.of_kind(resource_types.SECURITY_GROUP):
        if not complete or any_of(each.lets_all(group, peer) for each in openings) is not False:
            yield peer.urn


def port_open(group: Resource, port: int, index: Index) -> Known:
    """Return whether a group allows inbound traffic to a TCP port, from itself or any address."""
    return passes(group, "ingress", port, index, to_itself=True)


def lets_out(group: Resource, port: int, index: Index) -> Known:
    """Return whether a group allows connections out to a TCP port of others than itself."""
    return passes(group, "egress", port, index)


def lets_in(group: Resource, port: int, index: Index) -> Known:
    """Return whether a group allows connections in to a TCP port from others than itself."""
    return passes(group, "ingress", port, index)


def passes(
    group: Resource, direction: Direction, port: int, index: Index, *, to_itself: bool = False
) -> Known:
    """Return whether a group allows a TCP port to or from others or, if asked, itself."""

    def lets(opening: Opening) -> Known:
        has_peer = opening.names_peer(group, group) if to_itself else opening.lets_others(group)
        return any_of((bool(opening.addresses), has_peer))

    return _allows_port(group, direction, port, index, lets)


def _allows_port(
    group: Resource, flow: Direction, port: int, index: Index, lets: Callable[[Opening], Known]
) -> Known:
    """Return whether a group allows a TCP port by a rule that `lets` accepts."""
    openings, complete = _openings(group, flow, index)
    is_open = any_of(all_of((_covers(opening, (port,)), lets(opening))) for opening in openings)
    return is_open if complete or is_open is True else UNKNOWN


def login_open(group: Resource, index: Index) -> Known:
    """Return whether anyone on the internet reaches a port of `control_ports`."""
    openings, complete = _openings(group, "ingress", index)
    is_open = open_login(openings)
    return is_open if complete or is_open is True else UNKNOWN


def lets_anyone_in(group: Resource, port: int, index: Index) -> Known:
    """Return whether a group allows anyone on the internet in to a TCP port."""
    return _allows_port(
        group,
        "ingress",
        port,
        index,
        lambda opening: any_of(map(is_whole_internet, opening.addresses)),
    )


def lets_groups_in(group: Resource, port: int, index: Index) -> Known:
    """Return whether a group allows another security group in to a TCP port."""
    return _allows_port(group, "ingress", port, index, lambda opening: opening.lets_others(group))


def open_ports(group: Resource, index: Index) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that a security group opens to the internet."""
    return ports_of(group.name, _openings(group, "ingress", index)[0])


def rule_open_ports(rule: Resource, index: Index) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that a standalone rule opens to the internet."""
    return ports_of(rule.name, _rule_openings(rule, index))


def ports_of(name: str, openings: Iterable[Opening]) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that rules open to the internet."""
    for opening in openings:
        world = [address for address in opening.addresses if is_whole_internet(address) is True]
        for address in world[:1]:
            yield from open_port_words(name, address, partial(_covers_port, opening))


def _covers_port(opening: Opening, port: int) -> Known:
    return _covers(opening, (port,), {"tcp": _TCP, "udp": _UDP}[protocol_of(port)])


def lets_login(group: Resource, index: Index) -> Known:
    """Return whether a group by itself lets anyone on the internet log in.

    Rules whose group is not known yet are left aside: they are judged by themselves.
    """
    return open_login(_openings(group, "ingress", index)[0])


def rule_lets_login(rule: Resource, index: Index) -> Known:
    """Return whether a standalone rule lets anyone on the internet log in."""
    return open_login(_rule_openings(rule, index))


def _rule_openings(rule: Resource, index: Index) -> tuple[Opening, ...]:
    if resource_types.canonical(rule.type) == resource_types.INGRESS:
        return (_rule_opening(rule, index),)
    return tuple(_classic("ingress", (rule,), index))


def login_open_elsewhere(index: Index) -> Known:
    """Return whether login is open in a group that is not among the resources.

    UNKNOWN where a rule may let it in whose group is not here either, False otherwise.
    """
    rules = [*index.of_kind(resource_types.INGRESS), *index.of_kind(resource_types.SECURITY_RULE)]
    may_let = any(
        rule_lets_login(rule, index) is not False
        for rule in rules
        if not index.targets(rule, _OWNER, resource_types.SECURITY_GROUP).certain
    )
    return UNKNOWN if may_let else False


def open_login(openings: Iterable[Opening]) -> Known:
    """Return whether rules let anyone log in, each by itself or all address ranges together."""
    each = [(_covers_login(opening), opening.addresses) for opening in openings]
    login = (address for covers, addresses in each if covers is True for address in addresses)
    ranges = [network for address in login if (network := read_range(address)) is not None]
    covered_alone = any_of(
        all_of((covers, any_of(map(is_whole_internet, addresses)))) for covers, addresses in each
    )
    return True if are_world(ranges) else covered_alone


def _covers_login(opening: Opening) -> Known:
    return any_of((_covers(opening, PORTS), _covers(opening, UDP_PORTS, _UDP)))


def _openings(group: Resource, direction: Direction, index: Index) -> tuple[list[Opening], bool]:
    inline = as_list(group.inputs.get(direction))
    kind = resource_types.INGRESS if direction == "ingress" else resource_types.EGRESS
    kinds = (kind, resource_types.SECURITY_RULE)
    own, classic = (index.referrers(group, each, _OWNER) for each in kinds)
    if index.of_kind(resource_types.EXCLUSIVE_RULES):
        from gpuinfra.clouds.aws.observe.network import exclusive_rules  # noqa: PLC0415  (few have one)

        inline, own, classic = exclusive_rules.remaining_rules(
            group, direction, (inline, own, classic), index
        )
    openings = [_inline(group, direction, rule, index) for rule in inline]
    openings += [_rule_opening(rule, index) for rule in own.certain]
    openings += list(_classic(direction, classic.certain, index))
    return openings, own.complete and classic.complete


def _inline(group: Resource, direction: Direction, rule: Any, index: Index) -> Opening:
    if isinstance(rule, Unknown):
        return Opening(UNKNOWN, UNKNOWN, UNKNOWN, (UNKNOWN,), UNKNOWN, Targets(complete=False))
    ids = at(rule, "securityGroups")
    kind = resource_types.SECURITY_GROUP
    peers = index.targets(group, direction, kind, ids) if ids else Targets()
    return Opening(
        at(rule, "protocol"),
        whole_number(at(rule, "fromPort")),
        whole_number(at(rule, "toPort")),
        (
            *as_list(at(rule, "cidrBlocks")),
            *as_list(at(rule, "ipv6CidrBlocks")),
            *_list_addresses(group, direction, at(rule, "prefixListIds"), index),
        ),
        is_on(at(rule, "self")),
        peers,
    )


def _rule_opening(rule: Resource, index: Index) -> Opening:
    peers = _named_peers(rule, "referencedSecurityGroupId", index)
    return Opening(
        rule.inputs.get("ipProtocol"),
        whole_number(rule.inputs.get("fromPort")),
        whole_number(rule.inputs.get("toPort")),
        (
            *as_list(rule.inputs.get("cidrIpv4")),
            *as_list(rule.inputs.get("cidrIpv6")),
            *_list_addresses(rule, "prefixListId", rule.inputs.get("prefixListId"), index),
        ),
        False,
        peers,
    )


def _classic(direction: Direction, rules: tuple[Resource, ...], index: Index) -> Iterator[Opening]:
    for rule in rules:
        kind = rule.inputs.get("type")
        if kind not in (direction, UNKNOWN):
            continue
        peers = _named_peers(rule, "sourceSecurityGroupId", index)
        yield Opening(
            rule.inputs.get("protocol") if kind == direction else UNKNOWN,
            whole_number(rule.inputs.get("fromPort")),
            whole_number(rule.inputs.get("toPort")),
            (
                *as_list(rule.inputs.get("cidrBlocks")),
                *as_list(rule.inputs.get("ipv6CidrBlocks")),
                *_list_addresses(rule, "prefixListIds", rule.inputs.get("prefixListIds"), index),
            ),
            is_on(rule.inputs.get("self")),
            peers,
        )


def _named_peers(rule: Resource, key: str, index: Index) -> Targets:
    is_stated = rule.inputs.get(key) is not None
    return index.targets(rule, key, resource_types.SECURITY_GROUP) if is_stated else Targets()


def _list_addresses(holder: Resource, prop: str, list_ids: Any, index: Index) -> Iterable[Any]:
    if not as_list(list_ids):
        return ()
    from gpuinfra.clouds.aws.observe.network import prefix_lists  # noqa: PLC0415  (few name any)

    return prefix_lists.addresses_of(holder, prop, list_ids, index)


def _covers(opening: Opening, numbers: Sequence[int], protocol: frozenset[Any] = _TCP) -> Known:
    """Return whether a rule covers one of these ports of a protocol."""
    everything = _is_accepted(opening.protocol, _ALL_PROTOCOLS)
    if everything is True:
        return True
    first, last = opening.from_port, opening.to_port
    if isinstance(first, Unknown) or isinstance(last, Unknown) or first is None or last is None:
        matches_port: Known = UNKNOWN
    else:
        matches_port = any(first <= port <= last for port in numbers)
    return any_of((everything, all_of((_is_accepted(opening.protocol, protocol), matches_port))))


def _is_accepted(value: Any, accepted: frozenset[Any]) -> Known:
    if isinstance(value, Unknown | dict | list):
        return UNKNOWN
    return (value.lower() if isinstance(value, str) else value) in accepted
