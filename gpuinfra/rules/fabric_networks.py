"""The interfaces of a fabric are in networks of the kind and size that it requires."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fabric import of_faults
from gpuinfra.rules.rule import Finding, Judged, Rule, Words

WORDS: Final = Words(
    good="its networks fit the fabric",
    bad="",
    unknown="the networks of its interfaces are not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric."""
    nothing = "its cloud needs no separate fabric networks"
    return of_faults(judged, RULE.id, WORDS, nothing)


RULE = Rule(
    id="fabric-networks",
    family="fabric",
    title="Fabric interfaces are in networks made for them",
    why="With two gVNIC in one network, a RoCE network of another zone or without its "
    "profile, or a small MTU, the cloud refuses the machine or the fabric stays unused.",
    fix="give each gVNIC its own network, and all RoCE interfaces one network whose "
    "profile is for the machines' zone, with one subnet per interface and the MTU of "
    "the machine type",
    source="https://docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm#setup-network",
    check=check,
    alone=True,
)
