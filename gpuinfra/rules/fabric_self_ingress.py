"""The firewall of a fabric's machines lets in what comes from the machines themselves."""

from typing import Final

from gpuinfra.rules.fabric import of_way
from gpuinfra.rules.rule import Rule, Words

WORDS: Final = Words(
    good="firewall open to itself on the way in",
    bad="its firewall is not open to itself on the way in",
    unknown="whether its firewall is open to itself on the way in is not known",
)


RULE = Rule(
    id="fabric-self-ingress",
    family="fabric",
    title="A fabric's firewall is open to itself on the way in",
    why="A machine that drops what its peers send never joins the run; NCCL waits until it ends.",
    fix="let the machines in: an ingress rule of the security group, protocol -1, whose peer is "
    "the group itself (AWS), a firewall on each network that allows its own range (Google Cloud)",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=lambda judged, _: of_way(judged, lambda fabric: fabric.self_ingress, WORDS),
)
