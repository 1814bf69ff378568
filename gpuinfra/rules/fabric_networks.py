"""The interfaces of a fabric are in networks of the kind and size that it requires."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fabric import faults_check, separation_fix, training_groups, whose_machines
from gpuinfra.rules.rule import Finding, Rule, RuleInput, violated

_URN: Final = "urn:"

EACH_FABRIC: Final = faults_check(
    "fabric-networks",
    "needs no separate fabric networks",
    good="its networks fit the fabric",
    unknown="the networks of its interfaces are not known yet",
)


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric, and whether machines that train together share a network."""
    yield from EACH_FABRIC(rule_input, settings)
    for together in training_groups(rule_input.plan.groups):
        sites = {site for group in together if group.fabric for site in group.fabric.sites}
        if _are_different(sites):
            yield violated(
                together[0].subject,
                f"{whose_machines(together)} are in different networks, which no fabric connects",
                fix=separation_fix(together, "put the machines in the same networks"),
            )


def _are_different(sites: set[frozenset[str]]) -> bool:
    """Return whether networks surely differ; a named network may be the same as a created one."""
    known_sites = {site for site in sites if all(name.startswith(_URN) for name in site)}
    named_sites = {site for site in sites if not any(name.startswith(_URN) for name in site)}
    return len(known_sites) > 1 or len(named_sites) > 1


RULE = Rule(
    id="fabric-networks",
    family="fabric",
    title="Networks meet the requirements of the fabric interfaces",
    why="With two gVNIC in one network, a RoCE network of another zone or without its "
    "profile, or a small MTU, the cloud refuses the machine or the fabric stays unused.",
    fix="give each gVNIC its own network, and all RoCE interfaces one network whose "
    "profile is for the machines' zone, with one subnet per interface and the MTU of "
    "the machine type",
    source="https://docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm#setup-network",
    check=check,
    alone=True,
)
