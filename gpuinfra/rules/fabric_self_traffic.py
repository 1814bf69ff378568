"""The security group of a fabric is open to itself, both ways."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import UNKNOWN, Group
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge both ways of each group with a fabric."""
    return of_fabrics(judged, _group)


def _group(group: Group) -> Finding:
    fabric = group.fabric
    ways = {} if fabric is None else {"in": fabric.self_ingress, "out": fabric.self_egress}
    closed = [way for way, is_open in ways.items() if is_open is False]
    if closed:
        return violated(
            group.subject, f"its security group is not open to itself: {' and '.join(closed)}"
        )
    hidden = [way for way, is_open in ways.items() if is_open is UNKNOWN]
    if hidden:
        return not_knowable(
            group.subject,
            f"whether its security group is open to itself is not known: {' and '.join(hidden)}",
        )
    return fine(group.subject, "security group open to itself both ways")


RULE = Rule(
    id="fabric-self-traffic",
    family="fabric",
    title="A fabric's security group is open to itself, in and out",
    why="EFA asks for a rule with the group itself as the peer; 0.0.0.0/0 does not cover it.",
    fix="add an ingress and an egress rule, protocol -1, whose peer is the group itself",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=check,
)
