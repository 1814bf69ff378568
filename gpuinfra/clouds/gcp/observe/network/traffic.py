"""The traffic that the firewalls of a VPC and its policies allow, to machines and between them."""

from collections.abc import Iterator, Sequence

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.network import firewalls, vpc_policies
from gpuinfra.clouds.gcp.observe.network.firewall_targets import (
    FirewallTargets,
    targets_of_firewall,
)
from gpuinfra.clouds.gcp.observe.network.firewalls import Flow
from gpuinfra.clouds.gcp.observe.network.networks import Vpc, may_be_on, resources_on
from gpuinfra.clouds.observing.address_ranges import read_range
from gpuinfra.clouds.observing.control_ports import EVERY
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, opposite
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown


def login_open(vpc: Vpc, targets: FirewallTargets, index: Index) -> Known:
    """Return whether anyone on the internet reaches a port of `control_ports`.

    A network of another stack may have firewalls that this one does not show; Google's `default`
    network even comes with ports 22 and 3389 open.
    """
    in_force = _firewalls_of(vpc, "INGRESS", index)
    return index.memo(("login", vpc.key, targets.key), lambda: in_force.let_login(targets))


def open_ports(vpc: Vpc, targets: FirewallTargets, index: Index) -> tuple[str, ...]:
    """Return descriptions of the `control_ports` that are open to the internet."""
    in_force = _firewalls_of(vpc, "INGRESS", index)
    return index.memo(("ports", vpc.key, targets.key), lambda: tuple(in_force.open_ports(targets)))


def lets_login(firewall: Resource, vpc: Vpc | Unknown, index: Index) -> Known:
    """Return whether a firewall lets anyone on the internet log in to its target machines.

    A stronger one of the same stack may deny them the login; those of other stacks aren't seen.
    """
    from_anyone = firewalls.applies_to_all(firewall, "INGRESS")
    runs = all_of((firewalls.is_in_force(firewall, "INGRESS"), from_anyone))
    if runs is False or isinstance(vpc, Unknown):
        return all_of((runs, firewalls.lets_login(firewall)))
    in_force = _firewalls_of(vpc, "INGRESS", index)
    opened = (
        in_force.opens(firewall, machines) for machines in targets_of_firewall(firewall, index)
    )
    return all_of((runs, any_of(opened)))


def is_behind(firewall: Resource, vpc: Vpc, targets: FirewallTargets, index: Index) -> Known:
    """Return whether a firewall of a VPC is in force for machines, by their tags and account."""
    return _firewalls_of(vpc, "INGRESS", index).applies(firewall, targets)


def self_open(
    vpc: Vpc, direction: Flow, subnets: Sequence[Resource], targets: FirewallTargets, index: Index
) -> Known:
    """Return whether the machines reach each other over TCP and UDP, in one direction."""
    if not subnets:
        return UNKNOWN
    in_force = _firewalls_of(vpc, direction, index)
    subnet_urns = tuple(subnet.urn for subnet in subnets)
    key = ("open", vpc.key, direction, targets.key, subnet_urns)
    return index.memo(key, lambda: in_force.allow_each_other(subnets, targets))


def lets_through(
    vpc: Vpc, direction: Flow, port: int, peer: str | None, targets: FirewallTargets, index: Index
) -> Known:
    """Return whether machines accept connections to a TCP port from a range, or make them.

    `peer` None stands for any peer.
    """
    in_force = _firewalls_of(vpc, direction, index)
    key = ("port", vpc.key, direction, port, peer, targets.key)
    return index.memo(key, lambda: in_force.allow_port(port, peer, targets))


def lets_others(
    vpc: Vpc, port: int, ranges: Sequence[str], targets: FirewallTargets, index: Index
) -> Known:
    """Return whether clients outside the given ranges may connect to a TCP port."""
    key = ("others", vpc.key, port, tuple(ranges), targets.key)
    in_force = _firewalls_of(vpc, "INGRESS", index)
    return index.memo(key, lambda: in_force.let_others(port, ranges, targets))


def entrances(vpc: Vpc, targets: FirewallTargets, index: Index) -> tuple[Resource, ...]:
    """Return the firewalls that surely admit some traffic to machines."""
    return index.memo(
        ("entrances", vpc.key, targets.key),
        lambda: _firewalls_of(vpc, "INGRESS", index).entrances(targets),
    )


def _firewalls_of(vpc: Vpc, direction: Flow, index: Index) -> "_Firewalls":
    """Return the firewalls of a VPC, read once for all of its machines."""
    return index.memo(("firewalls", vpc.key, direction), lambda: _Firewalls(vpc, direction, index))


class _Firewalls:
    """The firewalls of one VPC and one direction; some open login to anyone, or close it."""

    def __init__(self, vpc: Vpc, direction: Flow, index: Index) -> None:
        targets = resources_on(vpc, resource_types.FIREWALL, index)
        policies = vpc_policies.firewalls_on(vpc, index)
        self._known = [
            resource
            for resource in (*targets.certain, *policies.certain)
            if firewalls.is_in_force(resource, direction) is not False
        ]
        self._complete = targets.complete and policies.complete
        self._way: Flow = direction
        self._index = index
        general = [
            resource
            for resource in self._known
            if firewalls.applies_to_all(resource, direction) is not False
        ]
        self._opening = [
            resource for resource in general if firewalls.lets_login(resource) is not False
        ]
        self._perhaps = may_be_on(vpc, resource_types.FIREWALL, index)
        self._closing = [resource for resource in general if firewalls.denies_login(resource)]

    def let_login(self, targets: FirewallTargets) -> Known:
        """Return whether anyone may try to log in to machines."""
        opened = any_of(self._is_open(firewall, targets) for firewall in self._opening)
        may_open = any(self._is_open(firewall, targets) is not False for firewall in self._perhaps)
        return opened if opened is True or (self._complete and not may_open) else UNKNOWN

    def open_ports(self, targets: FirewallTargets) -> Iterator[str]:
        """Yield descriptions of the ports that each firewall opens to the internet."""
        for firewall in self._opening:
            if self._is_open(firewall, targets) is True:
                yield from firewalls.open_ports(firewall)

    def allow_each_other(self, subnets: Sequence[Resource], targets: FirewallTargets) -> Known:
        """Return whether machines in the subnets reach each other."""
        is_reached = all_of(
            self._lets_through(protocol, subnet, targets)
            for protocol in firewalls.NUMBERS
            for subnet in subnets
        )
        return is_reached if self._complete else UNKNOWN

    def allow_port(self, port: int, peer: str | None, targets: FirewallTargets) -> Known:
        """Return whether a TCP port is open; False only where every firewall is visible."""
        allowed: list[tuple[int, Known]] = (
            [(firewalls.LOWEST, True)] if self._way == "EGRESS" else []
        )
        allowed += self._port_priorities("allows", port, peer, targets)
        certain_ranks = [rank for rank, fact in allowed if fact is True]
        if not certain_ranks:
            return UNKNOWN if allowed or not self._complete else False
        denials = self._port_priorities("denies", port, peer, targets)
        denied = [fact for rank, fact in denials if rank <= min(certain_ranks)]
        if True in denied and len(allowed) == len(certain_ranks) == 1:
            return False if self._complete else UNKNOWN
        return UNKNOWN if denied else True

    def let_others(self, port: int, ranges: Sequence[str], targets: FirewallTargets) -> Known:
        """Return whether a firewall may open a TCP port to more than the ranges."""
        own_ranges = [read_range(cidr) for cidr in ranges]
        facts = (
            all_of((firewalls.allows(firewall, port), self.applies(firewall, targets)))
            for firewall in self._known
            if not firewalls.is_only_from(firewall, own_ranges)
        )
        opened = any_of(facts)
        return opened if opened is not False or self._complete else UNKNOWN

    def entrances(self, targets: FirewallTargets) -> tuple[Resource, ...]:
        """Return the firewalls that surely admit some traffic to machines."""
        return tuple(
            firewall
            for firewall in self._known
            if firewalls.rules_of(firewall, "allows") and self.applies(firewall, targets) is True
        )

    def _port_priorities(
        self, rules: str, port: int, peer: str | None, targets: FirewallTargets
    ) -> list[tuple[int, Known]]:
        """Return the priorities of the firewalls that may cover a port and a peer."""
        facts: list[tuple[int, Known]] = []
        for firewall in self._known:
            speaks = firewalls.covers_port(firewall, rules, "tcp", port)
            with_peer = self._is_with(firewall, peer, part=rules == "allows")
            fact = all_of((speaks, self.applies(firewall, targets), with_peer))
            if fact is not False:
                rank = firewalls.rank_of(firewall, 0 if rules == "denies" else firewalls.LOWEST)
                facts.append((rank, fact))
        return facts

    def _is_with(self, firewall: Resource, peer: str | None, *, part: bool) -> Known:
        """Return whether a firewall covers all of a range; with `part`, some of it is UNKNOWN."""
        of_all = self._covers_everyone(firewall)
        if of_all is True or (peer is None and not part):
            return of_all
        if peer is None:
            return True if self._way == "INGRESS" else UNKNOWN
        own = read_range(peer)
        ranges, *others = (firewall.inputs.get(key) for key in firewalls.PEERS[self._way] if key)
        covering = (firewalls.is_inside(own, cidr) for cidr in as_list(ranges))
        return any_of((UNKNOWN if any(others) else False, *covering))

    def applies(self, firewall: Resource, targets: FirewallTargets) -> Known:
        """Return whether a firewall is in force for machines."""
        runs = firewalls.is_in_force(firewall, self._way)
        inputs = firewall.inputs
        tags, accounts = inputs.get("targetTags"), inputs.get("targetServiceAccounts")
        if runs is False or (not tags and not accounts):
            return runs
        is_target_account = targets.runs_as(firewall, "targetServiceAccounts", self._index)
        return all_of((runs, any_of((targets.has_any_tag(tags), is_target_account))))

    def opens(self, firewall: Resource, targets: FirewallTargets) -> Known:
        """Return whether a firewall opens a port to anyone and no stronger one denies it."""
        return any_of(
            all_of((firewalls.allows(firewall, port), self._is_decisive(firewall, port, targets)))
            for port in EVERY
            if firewalls.allows(firewall, port) is not False
        )

    def _is_decisive(self, firewall: Resource, port: int, targets: FirewallTargets) -> Known:
        denied = any_of(
            all_of((self.applies(other, targets), firewalls.overrides(other, firewall, port)))
            for other in self._closing
            if firewalls.rank_of(other, firewalls.LOWEST) <= firewalls.rank_of(firewall, 0)
        )
        return opposite(denied)

    def _is_open(self, firewall: Resource, targets: FirewallTargets) -> Known:
        reaches = all_of((self.applies(firewall, targets), self._covers_everyone(firewall)))
        return reaches if reaches is False else all_of((reaches, self.opens(firewall, targets)))

    def _covers_everyone(self, firewall: Resource) -> Known:
        """Return whether a firewall covers everyone, in its direction."""
        return firewalls.applies_to_all(firewall, self._way)

    def _lets_through(self, protocol: str, subnet: Resource, targets: FirewallTargets) -> Known:
        """Return whether the strongest firewall for a subnet's traffic allows it."""
        allowing: list[tuple[int, Known]] = (
            [(firewalls.LOWEST, True)] if self._way == "EGRESS" else []
        )
        allowing += self._priorities("allows", protocol, subnet, targets)
        certain_ranks = [rank for rank, fact in allowing if fact is True]
        if not certain_ranks:
            return UNKNOWN if allowing else False
        denying = [
            fact
            for rank, fact in self._priorities("denies", protocol, subnet, targets)
            if rank <= min(certain_ranks)
        ]
        if True in denying:
            return UNKNOWN if UNKNOWN in [fact for _, fact in allowing] else False
        return UNKNOWN if denying else True

    def _priorities(
        self, rules: str, protocol: str, subnet: Resource, targets: FirewallTargets
    ) -> list[tuple[int, Known]]:
        facts: list[tuple[int, Known]] = []
        for firewall in self._known:
            firewall_rules = firewalls.rules_of(firewall, rules)
            whole_protocol = any_of(firewalls.all_ports(rule, protocol) for rule in firewall_rules)
            if rules == "denies" and whole_protocol is False:
                # A denial of some ports closes a part of the traffic.
                part = any_of(firewalls.speaks_of(rule, protocol) for rule in firewall_rules)
                whole_protocol = UNKNOWN if part is not False else False
            if whole_protocol is False or self.applies(firewall, targets) is False:
                continue
            peers = self._covers(firewall, subnet, targets, partly=rules == "denies")
            ranked: Known = UNKNOWN if firewalls.rank_of(firewall, -1) < 0 else True
            fact = all_of((self.applies(firewall, targets), whole_protocol, peers, ranked))
            if fact is not False:
                rank = firewalls.rank_of(firewall, 0 if rules == "denies" else firewalls.LOWEST)
                facts.append((rank, fact))
        return facts

    def _covers(
        self, firewall: Resource, subnet: Resource, targets: FirewallTargets, *, partly: bool
    ) -> Known:
        ranges, tags, accounts = firewalls.PEERS[self._way]
        if self._covers_everyone(firewall) is True:
            return True
        cidrs = as_list(firewall.inputs.get(ranges))
        facts = [firewalls.covers_subnet(subnet, cidr, partly=partly) for cidr in cidrs]
        hidden = [cidr for cidr in cidrs if isinstance(cidr, Unknown)]
        if hidden:
            subnets = self._index.targets(firewall, ranges, resource_types.SUBNET, hidden)
            facts.append(subnets.any_target(lambda resource: resource.urn == subnet.urn))
        if tags and firewall.inputs.get(tags):
            facts.append(targets.has_any_tag(firewall.inputs.get(tags)))
        if accounts and firewall.inputs.get(accounts):
            facts.append(targets.runs_as(firewall, accounts, self._index))
        return any_of(facts)
