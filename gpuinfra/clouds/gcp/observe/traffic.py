"""What the firewalls of a VPC let through to machines, and between them."""

from collections.abc import Sequence
from ipaddress import IPv6Network
from typing import Any, Final, Literal

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.marks import Marks
from gpuinfra.clouds.gcp.observe.networks import Vpc, on_network
from gpuinfra.clouds.observing.ranges import is_world, read_range
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, listed, text, whole
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

Way = Literal["INGRESS", "EGRESS"]

LOGIN_PORTS: Final = (22, 3389)
_PRIORITY: Final = 1000
"""A firewall's own priority where it states none; the lower number wins, a denial wins a tie:
https://docs.cloud.google.com/firewall/docs/firewalls#priority_order_for_firewall_rules"""

_IMPLIED: Final = 65535
"""Every VPC lets everything out and nothing in, with the least priority of all."""

_NUMBERS: Final = {"tcp": "6", "udp": "17"}
_PEERS: Final = {
    "INGRESS": ("sourceRanges", "sourceTags", "sourceServiceAccounts"),
    "EGRESS": ("destinationRanges", "", ""),
}


def login_open(vpc: Vpc, marks: Marks, index: Index) -> Known:
    """Say whether anyone on the internet may try to log in (ports 22 and 3389).

    A network of another stack may have firewalls that this one does not show; Google's `default`
    network even comes with ports 22 and 3389 open.
    """
    walls = _walls(vpc, "INGRESS", index)
    return index.once(("login", vpc.key, marks.key), lambda: walls.let_login(marks))


def lets_login(wall: Resource, vpc: Vpc | Unknown, index: Index) -> Known:
    """Say whether a firewall lets anyone on the internet log in to machines that it speaks of.

    A stronger one of the same stack may deny them the login; those of other stacks aren't seen.
    """
    opens = all_of((_runs(wall, "INGRESS"), _lets_login(wall), _from_anyone(wall, "INGRESS")))
    if opens is False or isinstance(vpc, Unknown):
        return opens
    named = index.targets(wall, "targetServiceAccounts", kinds.ACCOUNT)
    spoken_of = Marks(wall.inputs.get("targetTags"), named, None)
    return all_of((opens, _walls(vpc, "INGRESS", index).is_strongest(wall, spoken_of)))


def is_behind(wall: Resource, vpc: Vpc, marks: Marks, index: Index) -> Known:
    """Say whether a firewall of a VPC is in force for machines there, by what it knows them by."""
    return _walls(vpc, "INGRESS", index).meets(wall, marks)


def self_open(
    vpc: Vpc, way: Way, subnets: Sequence[Resource], marks: Marks, index: Index
) -> Known:
    """Say whether the machines reach each other over TCP and UDP, one way."""
    if not subnets:
        return UNKNOWN
    walls = _walls(vpc, way, index)
    places = tuple(one.urn for one in subnets)
    return index.once(
        ("open", vpc.key, way, marks.key, places), lambda: walls.let_each_other(subnets, marks)
    )


def _walls(vpc: Vpc, way: Way, index: Index) -> "_Walls":
    """The firewalls of a VPC, looked at once for all of its machines."""
    return index.once(("walls", vpc.key, way), lambda: _Walls(vpc, way, index))


class _Walls:
    """The firewalls of one VPC and one way; some of them open login to anyone, or close it."""

    def __init__(self, vpc: Vpc, way: Way, index: Index) -> None:
        found = on_network(vpc, kinds.FIREWALL, index)
        policies = on_network(vpc, kinds.FIREWALL_POLICY, index, "attachmentTarget")
        self._known = [one for one in found.certain if _runs(one, way) is not False]
        self._complete = found.complete and not policies.certain and policies.complete
        self._way, self._index = way, index
        wide = [one for one in self._known if _from_anyone(one, way) is not False]
        self._opening = [one for one in wide if _lets_login(one) is not False]
        self._closing = [one for one in wide if _denies_login(one) is not False]

    def let_login(self, marks: Marks) -> Known:
        """Whether anyone may try to log in to machines."""
        found = any_of(self._opens(wall, marks) for wall in self._opening)
        return found if found is True or self._complete else UNKNOWN

    def let_each_other(self, subnets: Sequence[Resource], marks: Marks) -> Known:
        """Whether machines in the subnets reach each other."""
        found = all_of(
            self._lets_through(protocol, subnet, marks)
            for protocol in _NUMBERS
            for subnet in subnets
        )
        return found if self._complete else UNKNOWN

    def meets(self, wall: Resource, marks: Marks) -> Known:
        """Whether a firewall is in force for machines."""
        runs = _runs(wall, self._way)
        tags, accounts = wall.inputs.get("targetTags"), wall.inputs.get("targetServiceAccounts")
        if runs is False or (not tags and not accounts):
            return runs
        named = marks.runs_as(wall, "targetServiceAccounts", self._index)
        return all_of((runs, any_of((marks.tagged(tags), named))))

    def is_strongest(self, wall: Resource, marks: Marks) -> Known:
        """Whether no stronger firewall denies everyone the login that this one allows."""
        denied = any_of(
            all_of((self.meets(other, marks), self._of_anyone(other), _denies_login(other)))
            for other in self._closing
            if _rank(other, _IMPLIED) <= _rank(wall, 0)
        )
        return denied if isinstance(denied, Unknown) else not denied

    def _opens(self, wall: Resource, marks: Marks) -> Known:
        opens = all_of((self.meets(wall, marks), self._of_anyone(wall), _lets_login(wall)))
        return opens if opens is False else all_of((opens, self.is_strongest(wall, marks)))

    def _of_anyone(self, wall: Resource) -> Known:
        """Whether a firewall speaks of everyone, its way."""
        return _from_anyone(wall, self._way)

    def _lets_through(self, protocol: str, subnet: Resource, marks: Marks) -> Known:
        """Whether the strongest firewall that speaks of a subnet's traffic allows it."""
        allowing: list[tuple[int, Known]] = [(_IMPLIED, True)] if self._way == "EGRESS" else []
        allowing += self._ranked("allows", protocol, subnet, marks)
        sure = [rank for rank, fact in allowing if fact is True]
        if not sure:
            return UNKNOWN if allowing else False
        denying = [
            fact
            for rank, fact in self._ranked("denies", protocol, subnet, marks)
            if rank <= min(sure)
        ]
        if True in denying:
            return UNKNOWN if UNKNOWN in [fact for _, fact in allowing] else False
        return UNKNOWN if denying else True

    def _ranked(
        self, rules: str, protocol: str, subnet: Resource, marks: Marks
    ) -> list[tuple[int, Known]]:
        found: list[tuple[int, Known]] = []
        for wall in self._known:
            whole_protocol = any_of(_all_ports(rule, protocol) for rule in _rules(wall, rules))
            if rules == "denies" and whole_protocol is False:
                # A denial of some ports closes a part of the traffic.
                part = any_of(_speaks_of(rule, protocol) for rule in _rules(wall, rules))
                whole_protocol = UNKNOWN if part is not False else False
            peers = self._with(wall, subnet, marks, part=rules == "denies")
            ranked: Known = UNKNOWN if _rank(wall, -1) < 0 else True
            fact = all_of((self.meets(wall, marks), whole_protocol, peers, ranked))
            if fact is not False:
                found.append((_rank(wall, 0 if rules == "denies" else _IMPLIED), fact))
        return found

    def _with(self, wall: Resource, subnet: Resource, marks: Marks, *, part: bool) -> Known:
        ranges, tags, accounts = _PEERS[self._way]
        if self._of_anyone(wall) is True:
            return True
        facts = [_within(subnet, one, part=part) for one in listed(wall.inputs.get(ranges))]
        hidden = [one for one in listed(wall.inputs.get(ranges)) if isinstance(one, Unknown)]
        if hidden:
            named = self._index.targets(wall, ranges, kinds.SUBNET, hidden)
            facts.append(named.some(lambda one: one.urn == subnet.urn))
        if tags and wall.inputs.get(tags):
            facts.append(marks.tagged(wall.inputs.get(tags)))
        if accounts and wall.inputs.get(accounts):
            facts.append(marks.runs_as(wall, accounts, self._index))
        return any_of(facts)


def _from_anyone(wall: Resource, way: Way) -> Known:
    """Whether a firewall speaks of everyone: it says so, or names no peer at all."""
    ranges, *others = (wall.inputs.get(key) for key in _PEERS[way] if key)
    if not ranges and not any(others):
        return True
    return any_of(map(_everywhere, listed(ranges)))


def _runs(wall: Resource, way: Way) -> Known:
    said = text(wall.inputs.get("direction")) or "INGRESS"
    disabled = flag(wall.inputs.get("disabled"))
    on: Known = disabled if isinstance(disabled, Unknown) else not disabled
    return all_of((UNKNOWN if isinstance(said, Unknown) else said == way, on))


def _rank(wall: Resource, hidden: int) -> int:
    """A firewall's priority; `hidden` stands for one that is not known yet."""
    priority = whole(wall.inputs.get("priority"))
    if priority is None:
        return _PRIORITY
    return hidden if isinstance(priority, Unknown) else priority


def _rules(wall: Resource, key: str) -> tuple[Any, ...]:
    return listed(wall.inputs.get(key))


def _lets_login(wall: Resource) -> Known:
    return any_of(
        all_of((_speaks_of(rule, "tcp"), any_of(_has_port(rule, port) for port in LOGIN_PORTS)))
        for rule in _rules(wall, "allows")
    )


def _denies_login(wall: Resource) -> Known:
    return any_of(
        all_of((_speaks_of(rule, "tcp"), *(_has_port(rule, port) for port in LOGIN_PORTS)))
        for rule in _rules(wall, "denies")
    )


def _speaks_of(rule: Any, protocol: str) -> Known:
    value = text(at(rule, "protocol"))
    if isinstance(value, Unknown):
        return UNKNOWN
    return value is not None and value.lower() in {"all", protocol, _NUMBERS[protocol]}


def _all_ports(rule: Any, protocol: str) -> Known:
    ports = at(rule, "ports")
    every: Known = UNKNOWN if isinstance(ports, Unknown) else not listed(ports)
    return all_of((_speaks_of(rule, protocol), every))


def _has_port(rule: Any, port: int) -> Known:
    ports = at(rule, "ports")
    if isinstance(ports, Unknown):
        return UNKNOWN
    return any_of(_is_port(one, port) for one in listed(ports)) if listed(ports) else True


def _is_port(written: Any, port: int) -> Known:
    if isinstance(written, Unknown):
        return UNKNOWN
    first, _, last = str(written).partition("-")
    lowest, highest = whole(first), whole(last or first)
    if isinstance(lowest, int) and isinstance(highest, int):
        return lowest <= port <= highest
    return UNKNOWN


def _everywhere(written: Any) -> Known:
    found = read_range(written)
    return UNKNOWN if found is None else is_world(found)


def _within(subnet: Resource, written: Any, *, part: bool) -> Known:
    """Whether a written range covers a subnet's own; with `part`, UNKNOWN where it covers some."""
    if isinstance(written, Unknown):
        return False
    own, around = read_range(subnet.inputs.get("ipCidrRange")), read_range(written)
    if own is None or around is None:
        return UNKNOWN
    if isinstance(own, IPv6Network) or isinstance(around, IPv6Network):
        return False
    if part and own.overlaps(around) and not own.subnet_of(around):
        return UNKNOWN
    return own.subnet_of(around)
