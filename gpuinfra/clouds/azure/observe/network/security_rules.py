"""A security rule of Azure, and whether rules admit the whole internet."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import cover, reaches_world, read_range
from gpuinfra.clouds.observing.control_ports import protocol_of
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, opposite, whole_number
from gpuinfra.model import UNKNOWN, Known, Unknown
from gpuinfra.records import record

_ANYONE: Final = frozenset({"*", "internet", "any"})
"""https://learn.microsoft.com/azure/virtual-network/service-tags-overview"""

_AZURE_CLOUD_TAG: Final = "azurecloud"
"""The tag of every address of Azure's data centres, which anyone may rent (same page).

One of a region, AzureCloud.eastus, has those there: anyone may rent them, too.
"""

_EVERY_ADDRESS: Final = ("0.0.0.0/0", "::/0")

TCP_PROTOCOLS: Final = frozenset({"*", "tcp"})

UDP_PROTOCOLS: Final = frozenset({"*", "udp"})

_ANY_VALUES: Final = frozenset({"*", "Any", "0-65535"})

_MAX_PORT_RANGE_LENGTH: Final = len("65535-65535")


@record(kw_only=False)
class SecurityRule:
    """A security rule, read for one path through it.

    Attributes:
        priority: the lowest number decides first.
        allows: whether it lets in what it matches.
        matches: whether it is of the way's direction, from or to whom it is about.
        ports: the destination ports as written.
        tcp: whether it is about TCP.
        udp: whether it is about UDP.
        sources: from whom, as written.
        of_anyone: whether that is anyone on the internet.
        narrowed: whether it is about some destinations or source ports alone.
    """

    priority: int | Unknown
    allows: Known
    matches: Known
    ports: tuple[Any, ...]
    tcp: Known = True
    udp: Known = False
    sources: tuple[Any, ...] = ()
    of_anyone: Known = False
    narrowed: bool = False

    def covers_port(self, port: int) -> Known:
        """Return whether the rule covers a port, of UDP where its service uses UDP."""
        of_protocol = self.udp if protocol_of(port) == "udp" else self.tcp
        if self.matches is False or of_protocol is False:
            return False
        return all_of((self.matches, of_protocol, covers_port(self.ports, port)))


def read_rule(spec: Any) -> SecurityRule:
    """Return an inline or separate rule of a group, read for inbound traffic."""
    priority = whole_number(at(spec, "priority"))
    narrowing = (
        *single_or_listed(spec, "destinationAddressPrefix", "destinationAddressPrefixes"),
        *single_or_listed(spec, "sourcePortRange", "sourcePortRanges"),
        *as_list(at(spec, "destinationApplicationSecurityGroups")),
    )
    sources = single_or_listed(spec, "sourceAddressPrefix", "sourceAddressPrefixes")
    return SecurityRule(
        UNKNOWN if priority is None else priority,
        is_word(at(spec, "access"), frozenset({"allow"})),
        is_word(at(spec, "direction"), frozenset({"inbound"})),
        single_or_listed(spec, "destinationPortRange", "destinationPortRanges"),
        is_word(at(spec, "protocol"), TCP_PROTOCOLS),
        is_word(at(spec, "protocol"), UDP_PROTOCOLS),
        sources=sources,
        of_anyone=_are_anyone(sources),
        narrowed=not all(isinstance(value, str) and value in _ANY_VALUES for value in narrowing),
    )


def read_admin_rule(spec: Any) -> SecurityRule:
    """Return a network manager's rule, of those that no group may deny.

    `Allow` leaves it to the groups, `AlwaysAllow` does not:
    https://learn.microsoft.com/azure/virtual-network-manager/concept-security-admins
    """
    always = is_word(at(spec, "access"), frozenset({"alwaysallow"}))
    sources = [at(source, "addressPrefix") for source in as_list(at(spec, "sources"))]
    rule_fields = {key: at(spec, key) for key in ("priority", "direction", "protocol")}
    rule = read_rule(
        {
            **rule_fields,
            "sourceAddressPrefixes": sources,
            "destinationPortRanges": at(spec, "destinationPortRanges") or ["*"],
        }
    )
    return replace(rule, allows=always)


def opened_to_anyone(rules: list[SecurityRule], port: int) -> Known:
    """Return whether a rule opens a port to anyone and no stronger one denies it."""
    return any_of(
        all_of(_opening_conditions(rule, rules, port))
        for rule in rules
        if rule.allows is not False and rule.of_anyone is not False
    )


def _opening_conditions(
    rule: SecurityRule, rules: list[SecurityRule], port: int
) -> Iterator[Known]:
    """Yield the conditions on which a rule opens a port; the last takes the longest."""
    yield rule.allows
    yield rule.of_anyone
    yield rule.covers_port(port)
    yield opposite(any_of(all_of(_denial_conditions(other, rule, port)) for other in rules))


def _denial_conditions(other: SecurityRule, rule: SecurityRule, port: int) -> Iterator[Known]:
    """Yield the conditions on which a rule denies a port before another admits anyone."""
    yield opposite(other.allows)
    yield _is_before(other.priority, rule.priority)
    yield other.covers_port(port)
    yield _include(other.sources, rule.sources)
    yield UNKNOWN if other.narrowed else True


def _is_before(priority: int | Unknown, other: int | Unknown) -> Known:
    if isinstance(priority, Unknown) or isinstance(other, Unknown):
        return UNKNOWN
    return priority < other


def _are_anyone(sources: tuple[Any, ...]) -> Known:
    """Return whether sources are the whole internet, or almost all of it."""
    if any(_is_tag(source, _ANYONE | {_AZURE_CLOUD_TAG}) for source in sources):
        return True
    return reaches_world(_without_tags(sources))


def _include(around: tuple[Any, ...], sources: tuple[Any, ...]) -> Known:
    """Return whether sources include the whole internet part of others."""
    if any(_is_tag(source, _ANYONE) for source in around):
        return True
    other_ranges = _without_tags(sources)
    if any(_is_tag(source, _ANYONE) for source in sources):
        other_ranges += _EVERY_ADDRESS
    if any(_is_tag(source, frozenset({_AZURE_CLOUD_TAG})) for source in sources):
        return False if reaches_world(_without_tags(around)) is False else UNKNOWN
    return cover(_without_tags(around), other_ranges)


def _is_tag(source: Any, tags: frozenset[str]) -> bool:
    return isinstance(source, str) and source.strip().lower().partition(".")[0] in tags


def _without_tags(sources: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the ranges and unknown sources; other words are tags for parts of the internet."""
    return tuple(
        source
        for source in sources
        if not isinstance(source, str) or read_range(source) is not None
    )


def covers_port(ports: tuple[Any, ...], port: int) -> Known:
    """Return whether written ports include a port."""
    return any_of(fact for part in ports for fact in _ranges(part, port))


def _ranges(port_text: Any, port: int) -> Iterator[Known]:
    if not isinstance(port_text, (str, int)) or isinstance(port_text, bool):
        yield UNKNOWN
        return
    for piece in str(port_text).split(","):
        text = piece.strip()
        first, _, last = text.partition("-")
        if text == "*":
            yield True
        elif (
            len(text) <= _MAX_PORT_RANGE_LENGTH
            and first.isdecimal()
            and (not last or last.isdecimal())
        ):
            yield int(first) <= port <= int(last or first)
        else:
            yield UNKNOWN


def is_word(value: Any, accepted: frozenset[str]) -> Known:
    """Return whether a value is one of the words, in any letter case."""
    return value.lower() in accepted if isinstance(value, str) else UNKNOWN


def single_or_listed(spec: Any, single: str, list_key: str) -> tuple[Any, ...]:
    """Return the values of a rule's single key and of its list key."""
    return (*as_list(at(spec, single)), *as_list(at(spec, list_key)))
