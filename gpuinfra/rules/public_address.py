"""Machines have no public address."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, of_groups


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group."""
    words = Words(
        "no public address",
        "its machines get a public address",
        "it is unknown whether its machines get a public address",
    )
    return of_groups(judged, lambda group: opposite(group.safety.public_ip), words)


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
    check=check,
    alone=True,
)
