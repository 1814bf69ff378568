"""Security groups: machines talk to each other and to the outside, and nobody logs in."""

from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.network import ANYWHERE
from gpuinfra.clouds.aws.metrics import EXPORTER_PORT
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Order

MACHINES: Final[Kinds] = {
    "security_group": aws.ec2.SecurityGroup,
    "self_ingress": aws.vpc.SecurityGroupIngressRule,
    "self_egress": aws.vpc.SecurityGroupEgressRule,
    "https_egress": aws.vpc.SecurityGroupEgressRule,
    "http_egress": aws.vpc.SecurityGroupEgressRule,
}

BALANCER: Final[Kinds] = {
    "balancer_firewall": aws.ec2.SecurityGroup,
    "clients_ingress": aws.vpc.SecurityGroupIngressRule,
    "balancer_egress": aws.vpc.SecurityGroupEgressRule,
    "balancer_ingress": aws.vpc.SecurityGroupIngressRule,
}

OUTWARD: Final = (("https_egress", 443), ("http_egress", 80))
"""HTTPS for the cloud's own services and images; HTTP for Ubuntu's package mirrors."""


def machine_kinds(order: Order) -> Kinds:
    """The children of the machines' security group, as a stack asks for it."""
    scraped: Kinds = {"scrape_ingress": aws.vpc.SecurityGroupIngressRule}
    return {**MACHINES, **(scraped if order.prometheus else {})}


def machines(
    children: Children, vpc_id: pulumi.Input[str], *, together: bool
) -> aws.ec2.SecurityGroup:
    """The machines' security group; `together` opens it to itself, both ways and for all.

    EFA needs the rule in both directions with the group itself as the peer; an egress rule to
    0.0.0.0/0 does not do: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html
    """
    group = children.make(
        aws.ec2.SecurityGroup,
        "security_group",
        vpc_id=vpc_id,
        description=f"Machines of {children.order.name}",
    )
    if together:
        for kind, child in (
            (aws.vpc.SecurityGroupIngressRule, "self_ingress"),
            (aws.vpc.SecurityGroupEgressRule, "self_egress"),
        ):
            children.make(
                kind,
                child,
                security_group_id=group.id,
                referenced_security_group_id=group.id,
                ip_protocol="-1",
            )
    if children.order.prometheus:
        children.make(
            aws.vpc.SecurityGroupIngressRule,
            "scrape_ingress",
            security_group_id=group.id,
            cidr_ipv4=children.order.prometheus,
            ip_protocol="tcp",
            from_port=EXPORTER_PORT,
            to_port=EXPORTER_PORT,
        )
    for child, port in OUTWARD:
        children.make(
            aws.vpc.SecurityGroupEgressRule,
            child,
            security_group_id=group.id,
            cidr_ipv4=ANYWHERE,
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
        )
    return group


def balancer(
    children: Children,
    server: aws.ec2.SecurityGroup,
    *,
    vpc_id: pulumi.Input[str],
    clients: pulumi.Input[str],
    listens: int,
    serves: int,
) -> aws.ec2.SecurityGroup:
    """The balancer's security group: clients reach it, and it alone reaches the servers' port."""
    group = children.make(
        aws.ec2.SecurityGroup,
        "balancer_firewall",
        vpc_id=vpc_id,
        description=f"Load balancer of {children.order.name}",
    )
    children.make(
        aws.vpc.SecurityGroupIngressRule,
        "clients_ingress",
        security_group_id=group.id,
        cidr_ipv4=clients,
        ip_protocol="tcp",
        from_port=listens,
        to_port=listens,
    )
    for kind, child, owner, peer in (
        (aws.vpc.SecurityGroupEgressRule, "balancer_egress", group, server),
        (aws.vpc.SecurityGroupIngressRule, "balancer_ingress", server, group),
    ):
        children.make(
            kind,
            child,
            security_group_id=owner.id,
            referenced_security_group_id=peer.id,
            ip_protocol="tcp",
            from_port=serves,
            to_port=serves,
        )
    return group
