"""The traffic that a network security group allows, from inline and separate rules."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.network.security_rules import (
    TCP_PROTOCOLS,
    SecurityRule,
    is_word,
    opened_to_anyone,
    read_admin_rule,
    read_rule,
    single_or_listed,
)
from gpuinfra.clouds.observing.address_ranges import is_world, read_range
from gpuinfra.clouds.observing.control_ports import EVERY, open_port_words
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

INBOUND: Final = "inbound"
OUTBOUND: Final = "outbound"
_INTERNET_TAG: Final = "internet"
_INTERNAL_TAGS: Final = frozenset({"virtualnetwork", "azureloadbalancer"})
_DEFAULT_RULES_PRIORITY: Final = 65_000
"""The priority of Azure's default rules, after all rules of a group."""


@record
class TcpPath:
    """A TCP path through a group: its direction, its peers, and its port.

    `peers` are the prefixes and tags, in lower case, by which a rule may name the other side.
    """

    direction: str
    peers: frozenset[str]
    port: int


def login_open(firewall: Resource, index: Index) -> Known:
    """Return whether anyone on the internet reaches a port of `control_ports`.

    What no rule names is denied by the last of Azure's own rules:
    https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview
    """
    rules, complete = _rules_of(firewall, index)
    return _login(rules) if complete else UNKNOWN


def lets_anyone_in(firewall: Resource, port: int, index: Index) -> Known:
    """Return whether a group lets anyone on the internet in to a TCP port."""
    rules, complete = _rules_of(firewall, index)
    is_open = opened_to_anyone(rules, port)
    return is_open if complete or is_open is True else UNKNOWN


def lets_login(firewall: Resource, index: Index) -> Known:
    """Return whether a group by itself lets anyone on the internet log in.

    Rules whose group is not known yet are left aside: they are judged by themselves.
    """
    rules, _ = _rules_of(firewall, index)
    return _login(rules)


def open_ports(firewall: Resource, index: Index) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that a security group opens to the internet."""
    rules, _ = _rules_of(firewall, index)
    return open_port_words(firewall.name, "the internet", partial(opened_to_anyone, rules))


def rule_open_ports(rule: Resource) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that a standalone rule opens to the internet."""
    return open_port_words(
        rule.name, "the internet", partial(opened_to_anyone, [_standalone_rule(rule)])
    )


def rule_lets_login(rule: Resource) -> Known:
    """Return whether a standalone rule lets anyone on the internet log in."""
    return _login([_standalone_rule(rule)])


def specs_open_ports(name: str, specs: Iterable[Any]) -> Iterator[str]:
    """Yield descriptions of the `control_ports` that rule settings open to the internet."""
    rules = [read_rule(spec) for spec in specs]
    return open_port_words(name, "the internet", partial(opened_to_anyone, rules))


def specs_let_login(specs: Iterable[Any]) -> Known:
    """Return whether written rules let anyone on the internet log in."""
    return _login([read_rule(spec) for spec in specs])


def _standalone_rule(rule: Resource) -> SecurityRule:
    is_manager_rule = rule.type == resource_types.ADMIN_RULE
    return read_admin_rule(rule.inputs) if is_manager_rule else read_rule(rule.inputs)


def allows_path(firewall: Resource, path: TcpPath, index: Index) -> Known:
    """Return whether a group allows a path; Azure's own rules decide where none of its does.

    They let everything out, and in what comes from the network itself and from load balancers:
    https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview
    """
    firewall_rules = index.referrers(
        firewall, resource_types.FIREWALL_RULE, "networkSecurityGroupName"
    )
    rules = [
        *as_list(firewall.inputs.get("securityRules")),
        *(resource.inputs for resource in firewall_rules.certain),
    ]
    if not firewall_rules.complete:
        return UNKNOWN
    last: Known = path.direction == OUTBOUND or bool(path.peers & _INTERNAL_TAGS)
    closing = SecurityRule(_DEFAULT_RULES_PRIORITY, last, True, ("*",))
    return _first_decision([*(_rule_for_path(spec, path) for spec in rules), closing], path.port)


def _rule_for_path(spec: Any, path: TcpPath) -> SecurityRule:
    """Return a rule as it applies to a path; a rule about other paths has no effect.

    What a rule allows to a part, for example another network, may be what is meant.
    """
    priority = whole_number(at(spec, "priority"))
    allows = is_word(at(spec, "access"), frozenset({"allow"}))
    far = "source" if path.direction == INBOUND else "destination"
    peers = single_or_listed(spec, f"{far}AddressPrefix", f"{far}AddressPrefixes")
    other: Known = UNKNOWN if allows is True else False
    concerns_path = any_of(_applies_to(peer, path, other) for peer in peers)
    if at(spec, f"{far}ApplicationSecurityGroups") is not None:
        concerns_path = UNKNOWN
    return SecurityRule(
        UNKNOWN if priority is None else priority,
        allows,
        all_of(
            (
                is_word(at(spec, "direction"), frozenset({path.direction})),
                is_word(at(spec, "protocol"), TCP_PROTOCOLS),
                concerns_path,
            )
        ),
        single_or_listed(spec, "destinationPortRange", "destinationPortRanges"),
    )


def _applies_to(peer: Any, path: TcpPath, other: Known) -> Known:
    if not isinstance(peer, str):
        return UNKNOWN
    peer_text = peer.strip().lower()
    if peer_text in {"*", "any", *path.peers}:
        return True
    network = read_range(peer)
    if network is not None and is_world(network):
        return True
    is_internal = peer_text in _INTERNAL_TAGS or (network is not None and network.is_private)
    return False if is_internal and _INTERNET_TAG in path.peers else other


def _rules_of(firewall: Resource, index: Index) -> tuple[list[SecurityRule], bool]:
    """Return the rules of a group, and whether there are no others."""
    firewall_rules = index.referrers(
        firewall, resource_types.FIREWALL_RULE, "networkSecurityGroupName"
    )
    rules = [read_rule(spec) for spec in as_list(firewall.inputs.get("securityRules"))]
    return rules + [
        read_rule(resource.inputs) for resource in firewall_rules.certain
    ], firewall_rules.complete


def _login(rules: list[SecurityRule]) -> Known:
    return any_of(opened_to_anyone(rules, port) for port in EVERY)


def _first_decision(rules: list[SecurityRule], port: int) -> Known:
    """Return the decision of the first matching rule; UNKNOWN if one may match."""
    matches = [(rule, rule.covers_port(port)) for rule in rules]
    matches = [(rule, match) for rule, match in matches if match is not False]
    if any(isinstance(rule.priority, Unknown) for rule, _ in matches):
        allowed = [rule.allows for rule, _ in matches]
        if all(fact is False for fact in allowed):
            return False
        is_sure = all(fact is True for fact in allowed) and any(
            match is True for _, match in matches
        )
        return True if is_sure else UNKNOWN
    doubt = False
    for rule, match in sorted(matches, key=_order):
        if match is True and not isinstance(rule.allows, Unknown):
            return (
                UNKNOWN if doubt and rule.allows is not _common_decision(matches) else rule.allows
            )
        doubt = True
    return UNKNOWN if any(rule.allows is not False for rule, _ in matches) else False


def _common_decision(port_matches: list[tuple[SecurityRule, Known]]) -> Known | None:
    """Return the decision of all rules when they agree; None otherwise."""
    answers = {rule.allows for rule, _ in port_matches}
    return answers.pop() if len(answers) == 1 else None


def _order(entry: tuple[SecurityRule, Known]) -> int:
    priority = entry[0].priority
    return 0 if isinstance(priority, Unknown) else priority
