"""The interfaces of a fabric are in networks of the kind and size that it requires."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fabric import of_faults
from gpuinfra.rules.rule import Finding, Judged, Rule, Words

WORDS: Final = Words(
    good="its networks are those of the fabric",
    bad="",
    unknown="the networks that its interfaces stand in are not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric."""
    nothing = "needs no networks of a fabric's own"
    return of_faults(judged, RULE.id, WORDS, nothing)


RULE = Rule(
    id="fabric-networks",
    family="fabric",
    title="A fabric's interfaces stand in its own networks",
    why="Two GVNIC in one network, a RoCE network of another zone or without its profile, or a "
    "small MTU: the machine is refused, or the fabric stays unused.",
    fix="give each GVNIC a network of its own, and all RoCE interfaces one network whose profile "
    "is of the machines' zone, with a subnet for each and the MTU of the machine's table",
    source="https://docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm#setup-network",
    check=check,
    alone=True,
)
