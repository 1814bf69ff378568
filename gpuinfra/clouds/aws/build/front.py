"""Builds the internal load balancer in front of a pool, which asks every server how it is."""

from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import traffic
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.clients import clients_of
from gpuinfra.clouds.building.network import Place
from gpuinfra.stackfile.schema import Inference

KINDS: Final[Kinds] = {
    **traffic.BALANCER,
    "load_balancer": aws.lb.LoadBalancer,
    "target_group": aws.lb.TargetGroup,
    "listener": aws.lb.Listener,
}

PLAIN: Final = 80
TLS: Final = 443
TLS_POLICY: Final = "ELBSecurityPolicy-TLS13-1-2-2021-06"
"""TLS 1.3 and 1.2 with forward secrecy, which AWS recommends:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html"""

DRAINED_SECONDS: Final = 300
"""How long a machine that leaves the pool may finish its requests: minutes for long answers."""

HEALTH: Final = {"interval": 15, "timeout": 5, "healthy_threshold": 2, "unhealthy_threshold": 4}
"""A machine serves after half a minute of good answers, and is left out after one of bad ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Where a pool answers; run-time values."""

    url: pulumi.Output[str]
    balancer: aws.lb.LoadBalancer
    targets: aws.lb.TargetGroup
    listener: aws.lb.Listener

    @property
    def label(self) -> pulumi.Output[str]:
        """What target tracking calls both."""
        return pulumi.Output.concat(self.balancer.arn_suffix, "/", self.targets.arn_suffix)


def make_front(
    children: Children, workload: Inference, place: Place, servers: aws.ec2.SecurityGroup
) -> Front:
    """Register the load balancer: HTTPS with the caller's certificate, else HTTP inside.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    listens = PLAIN if workload.certificate is None else TLS
    security_group = traffic.balancer(
        children,
        servers,
        vpc_id=place.vpc_id,
        clients=clients_of(children.order.name, place.cidr_block),
        listens=listens,
        serves=workload.port,
    )
    balancer = children.make(
        aws.lb.LoadBalancer,
        "load_balancer",
        internal=True,
        load_balancer_type="application",
        security_groups=[security_group.id],
        subnets=list(place.subnet_ids),
        drop_invalid_header_fields=True,
    )
    targets = children.make(
        aws.lb.TargetGroup,
        "target_group",
        vpc_id=place.vpc_id,
        port=workload.port,
        protocol="HTTP",
        target_type="instance",
        deregistration_delay=DRAINED_SECONDS,
        health_check={"path": workload.health, "protocol": "HTTP", "matcher": "200", **HEALTH},
    )
    listener = children.make(
        aws.lb.Listener,
        "listener",
        load_balancer_arn=balancer.arn,
        port=listens,
        default_actions=[{"type": "forward", "target_group_arn": targets.arn}],
        **_protocol(workload.certificate),
    )
    scheme = "http" if workload.certificate is None else "https"
    return Front(
        url=pulumi.Output.concat(f"{scheme}://", balancer.dns_name),
        balancer=balancer,
        targets=targets,
        listener=listener,
    )


def _protocol(certificate: str | None) -> dict[str, Any]:
    if certificate is None:
        return {"protocol": "HTTP"}
    return {"protocol": "HTTPS", "certificate_arn": certificate, "ssl_policy": TLS_POLICY}
