"""Machines reach the services they use, and clients reach the machines."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, each_group, not_applicable, reported

_UNKNOWN: Final = "what its network lets through is not known yet"


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every group, as far as its stack shows the network."""
    return each_group(judged, _group)


def _group(group: Group) -> Finding:
    if group.reach is None:
        return not_applicable(group.subject, "its network is not judged, or not in this stack")
    words = Words(good="; ".join(group.reach.ways), bad="", unknown=_UNKNOWN)
    return reported(group.subject, group.reach.faults, RULE.id, words)


RULE = Rule(
    id="network-access",
    family="hygiene",
    title="Machines reach the services they use, and clients reach the machines",
    why="A machine without a way to its image, its bucket or its login starts, costs money and "
    "does nothing; S3 through a NAT gateway is billed by the byte.",
    fix="let HTTPS out of the security group, route the subnet to a NAT gateway or to endpoints, "
    "add a gateway endpoint for S3, and give the role Session Manager's actions",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    check=check,
    level="advisory",
)
