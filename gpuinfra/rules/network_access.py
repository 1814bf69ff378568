"""Machines reach the services they use, and clients reach the machines."""

from gpuinfra.model import Group
from gpuinfra.rules.faults import judge_reachability
from gpuinfra.rules.rule import Finding, Rule, each_group, for_each


def _group(group: Group) -> Finding:
    return judge_reachability(
        group.subject,
        group.reach,
        RULE.id,
        unjudged="its network is outside this stack, or not checked on this cloud",
        unknown="its network rules are not known yet",
    )


RULE = Rule(
    id="network-access",
    family="hygiene",
    title="Machines reach the services they need, and clients reach the machines",
    why="A machine that can't reach its image, its bucket or its login service is billed "
    "and does no work; a NAT gateway charges S3 traffic by the byte.",
    fix="allow outbound HTTPS in the security group, route the subnet to a NAT gateway or "
    "to endpoints, add a gateway endpoint for S3, and give the role the Session "
    "Manager actions",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    check=for_each(each_group, _group),
    level="advisory",
)
