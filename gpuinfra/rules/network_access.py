"""Machines reach the services they use, and clients reach the machines."""

from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, Rule, each_group, for_each, reached


def _group(group: Group) -> Finding:
    return reached(
        group.subject,
        group.reach,
        RULE.id,
        unjudged="its network is not judged, or not in this stack",
        unknown="what its network lets through is not known yet",
    )


RULE = Rule(
    id="network-access",
    family="hygiene",
    title="Machines reach the services they use, and clients reach the machines",
    why="A machine without a way to its image, its bucket or its login starts, costs money and "
    "does nothing; S3 through a NAT gateway is billed by the byte.",
    fix="let HTTPS out of the security group, route the subnet to a NAT gateway or to endpoints, "
    "add a gateway endpoint for S3, and give the role Session Manager's actions",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    check=for_each(each_group, _group),
    level="advisory",
)
