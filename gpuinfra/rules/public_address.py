"""Machines have no public address."""

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.rule import Rule, of_groups

RULE = Rule(
    id="public-address",
    family="security",
    title="Machines have no public address",
    why="The internet can't reach a machine without a public address; outbound traffic uses NAT.",
    fix="use a private subnet with a NAT gateway, and log in through a session manager",
    ways={
        "aws": "no associatePublicIpAddress, and no mapPublicIpOnLaunch in the subnet",
        "gcp": "no accessConfigs in networkInterfaces",
        "azure": "no publicIPAddress in ipConfigurations",
    },
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-best-practices.html",
    check=of_groups(
        lambda group: opposite(group.safety.public_ip),
        good="no public address",
        bad="its machines get a public address",
        unknown="it is unknown whether its machines get a public address",
    ),
    alone=True,
)
