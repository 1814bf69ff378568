"""Security groups: machines reach each other and the internet; no port is open to logins."""

from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.network import ANYWHERE, INGRESS, SECURITY_GROUP
from gpuinfra.clouds.aws.metrics import EXPORTER_PORT
from gpuinfra.graph import Resource

EGRESS: Final = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"

OUTWARD: Final = (("https_egress", 443), ("http_egress", 80))
"""HTTPS for the cloud's own services and images; HTTP for Ubuntu's package mirrors."""


def machines(children: Children, vpc_id: Any, *, together: bool) -> Resource:
    """Declare the machines' group; `together` allows all traffic among them, both ways.

    EFA needs the rule in both directions with the group itself as the peer; an egress rule to
    0.0.0.0/0 does not do: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html
    """
    group = children.make(
        SECURITY_GROUP,
        "security_group",
        vpcId=vpc_id,
        description=f"Machines of {children.spec.name}",
    )
    if together:
        for token, child in ((INGRESS, "self_ingress"), (EGRESS, "self_egress")):
            rule(children, token, child, group, referencedSecurityGroupId=group["id"])
    if children.spec.prometheus:
        scraped = {"cidrIpv4": children.spec.prometheus, **tcp(EXPORTER_PORT)}
        rule(children, INGRESS, "scrape_ingress", group, **scraped)
    for child, port in OUTWARD:
        rule(children, EGRESS, child, group, cidrIpv4=ANYWHERE, **tcp(port))
    return group


def balancer(
    children: Children, server: Resource, *, vpc_id: Any, clients: Any, listens: int, serves: int
) -> Resource:
    """Declare the balancer's group: clients reach it, and only it reaches the servers' port."""
    group = children.make(
        SECURITY_GROUP,
        "balancer_firewall",
        vpcId=vpc_id,
        description=f"Load balancer of {children.spec.name}",
    )
    rule(children, INGRESS, "clients_ingress", group, cidrIpv4=clients, **tcp(listens))
    for token, child, owner, peer in (
        (EGRESS, "balancer_egress", group, server),
        (INGRESS, "balancer_ingress", server, group),
    ):
        peer_rule = {"referencedSecurityGroupId": peer["id"], **tcp(serves)}
        rule(children, token, child, owner, **peer_rule)
    return group


def rules(children: Children) -> tuple[str, ...]:
    """Return the keys of the rules that a component has so far.

    Its machines depend on them: a rule that goes beside a machine that still saves its run cuts
    the connections that it tracks, and lets no new ones open.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-connection-tracking.html
    """
    rule_keys = children.graph.children(children.key)
    return tuple(resource.key for resource in rule_keys if resource.type in {INGRESS, EGRESS})


def rule(children: Children, token: str, child: str, owner: Resource, **inputs: Any) -> Resource:
    """Declare a rule of a security group; for all protocols where it names none."""
    return children.make(
        token, child, **{"securityGroupId": owner["id"], "ipProtocol": "-1", **inputs}
    )


def tcp(first: int, last: int | None = None) -> dict[str, Any]:
    """Return a rule's inputs for one TCP port, or for all from it up to the last."""
    return {"ipProtocol": "tcp", "fromPort": first, "toPort": last or first}
