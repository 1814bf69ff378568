"""The firewall of a fabric's machines lets out what goes to the machines themselves."""

from typing import Final

from gpuinfra.rules.fabric import of_way
from gpuinfra.rules.rule import Rule, Words

WORDS: Final = Words(
    good="firewall open to itself on the way out",
    bad="its firewall is not open to itself on the way out",
    unknown="whether its firewall is open to itself on the way out is not known",
)


RULE = Rule(
    id="fabric-self-egress",
    family="fabric",
    title="A fabric's firewall is open to itself on the way out",
    why="EFA asks for a rule with the group itself as the peer; 0.0.0.0/0 does not cover it.",
    fix="let the machines out to each other: an egress rule of the security group, protocol -1, "
    "whose peer is the group itself (AWS), no firewall that denies the network's own range "
    "(Google Cloud)",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=lambda judged, _: of_way(judged, lambda fabric: fabric.self_egress, WORDS),
)
