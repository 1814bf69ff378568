"""The machines of a fabric reach each other: the firewall between them is open both ways."""

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
    if ways and all(is_open is None for is_open in ways.values()):
        return fine(group.subject, "no firewall between its interfaces")
    closed = [way for way, is_open in ways.items() if is_open is False]
    if closed:
        return violated(
            group.subject, f"its firewall is not open to itself: {' and '.join(closed)}"
        )
    hidden = [way for way, is_open in ways.items() if is_open is UNKNOWN]
    if hidden:
        return not_knowable(
            group.subject,
            f"whether its firewall is open to itself is not known: {' and '.join(hidden)}",
        )
    return fine(group.subject, "firewall open to itself both ways")


RULE = Rule(
    id="fabric-self-traffic",
    family="fabric",
    title="A fabric's firewall is open to itself, in and out",
    why="EFA asks for a rule with the group itself as the peer; 0.0.0.0/0 does not cover it.",
    fix="let the machines reach each other: an ingress and an egress rule of the security group, "
    "protocol -1, whose peer is the group itself (AWS), a firewall on each network that allows "
    "its own range (Google Cloud)",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=check,
)
