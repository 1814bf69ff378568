"""The firewall of a fabric's machines lets out what goes to the machines themselves."""

from gpuinfra.rules.fabric import of_way
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-self-egress",
    family="fabric",
    title="A fabric's firewall allows outbound traffic to its own group",
    why="EFA needs a rule with the security group itself as the peer; 0.0.0.0/0 does not "
    "cover it.",
    fix="allow traffic between the machines",
    ways={
        "aws": "an egress rule of the security group, protocol -1, whose peer is the group itself",
        "gcp": "no firewall that denies the network's own range",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=of_way(
        lambda fabric: fabric.self_egress,
        good="the firewall allows outbound traffic to its own group",
        bad="its firewall does not allow outbound traffic to its own group",
        unknown="it is unknown whether its firewall allows outbound traffic to its own group",
    ),
)
