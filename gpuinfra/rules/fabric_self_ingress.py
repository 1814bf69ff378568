"""The firewall of a fabric's machines lets in what comes from the machines themselves."""

from gpuinfra.rules.fabric import of_way
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-self-ingress",
    family="fabric",
    title="A fabric's firewall allows inbound traffic from its own group",
    why="A machine that drops its peers' traffic never joins the run; NCCL waits until its "
    "timeout.",
    fix="allow traffic between the machines",
    ways={
        "aws": "an ingress rule of the security group, protocol -1, whose peer is the group "
        "itself",
        "gcp": "a firewall on each network that allows its own range",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=of_way(
        lambda fabric: fabric.self_ingress,
        good="the firewall allows inbound traffic from its own group",
        bad="its firewall does not allow inbound traffic from its own group",
        unknown="it is unknown whether its firewall allows inbound traffic from its own group",
    ),
)
