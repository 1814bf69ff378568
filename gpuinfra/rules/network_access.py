"""Machines reach the services they use, and clients reach the machines."""

from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_reachability
from gpuinfra.rules.rule import Finding, Rule, each_group, row_check


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
    "and does no work; on AWS a NAT gateway charges S3 traffic by the byte.",
    fix="open the path that the message names",
    fix_by_cloud={
        "aws": "allow outbound HTTPS in the security group, route the subnet to a NAT gateway or "
        "to endpoints, add a gateway endpoint for S3, and give the role the Session Manager "
        "actions",
        "gcp": "give the subnet a RouterNat or privateIpGoogleAccess: true, allow TCP 22 from "
        "35.235.240.0/20 (IAP) and the traffic between the machines in the firewalls, and give "
        "the service account its roles",
        "azure": "allow outbound HTTPS in the network security group, route the subnet to a NAT "
        "gateway, add a service endpoint for storage, and give the identity its roles",
    },
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    check=row_check(each_group, _group),
    level="advisory",
)
