"""Declares the internal load balancer of a pool, with its health checks of every server."""

from typing import Any, Final

from gpuinfra.clouds.aws.declare import security_groups
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.declaring.network import NetworkPlace, clients_of
from gpuinfra.graph import Resource, concat
from gpuinfra.records import record
from gpuinfra.specs.schema import Inference

HTTP_PORT: Final = 80
TLS: Final = 443
TLS_POLICY: Final = "ELBSecurityPolicy-TLS13-1-2-2021-06"
"""TLS 1.3 and 1.2 with forward secrecy, which AWS recommends:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html"""

IDLE_SECONDS: Final = 300
"""How long a connection may say nothing where the pool does not say it: the balancer's own 60
seconds end an answer that a model works on for longer with 504.
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html"""

DEREGISTRATION_DELAY_SECONDS: Final = 300
"""The minimum deregistration delay in which a leaving machine finishes its requests."""

LONGEST_DRAIN: Final = 3600
"""https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html"""

HEALTH: Final = {"interval": 15, "timeout": 5, "healthyThreshold": 2, "unhealthyThreshold": 4}
"""A machine serves after half a minute of good answers, and is left out after one of bad ones."""


@record
class PoolEndpoint:
    """The endpoint of a pool."""

    url: Any
    balancer: Resource
    targets: Resource
    listener: Resource

    @property
    def label(self) -> Any:
        """The label of the balancer and its targets for target tracking."""
        return concat(self.balancer["arnSuffix"], "/", self.targets["arnSuffix"])


def make_load_balancer(
    children: Children, workload: Inference, network_place: NetworkPlace, servers: Resource
) -> PoolEndpoint:
    """Declare the load balancer: HTTPS with the caller's certificate, else HTTP inside.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    certificate = children.spec.value("certificate", workload.certificate)
    listens = HTTP_PORT if certificate is None else TLS
    security_group = security_groups.balancer(
        children,
        servers,
        vpc_id=network_place.vpc_id,
        clients=clients_of(children.spec.name, network_place.cidr_block),
        listens=listens,
        serves=workload.port,
    )
    idle = _idle_seconds(workload)
    balancer = children.make(
        "aws:lb/loadBalancer:LoadBalancer",
        "load_balancer",
        internal=True,
        loadBalancerType="application",
        securityGroups=[security_group["id"]],
        subnets=network_place.subnet_ids,
        dropInvalidHeaderFields=True,
        idleTimeout=idle,
    )
    targets = children.make(
        "aws:lb/targetGroup:TargetGroup",
        "target_group",
        vpcId=network_place.vpc_id,
        port=workload.port,
        protocol="HTTP",
        targetType="instance",
        deregistrationDelay=min(max(DEREGISTRATION_DELAY_SECONDS, idle), LONGEST_DRAIN),
        healthCheck={"path": workload.health, "protocol": "HTTP", "matcher": "200", **HEALTH},
    )
    listener = children.make(
        "aws:lb/listener:Listener",
        "listener",
        loadBalancerArn=balancer["arn"],
        port=listens,
        defaultActions=[{"type": "forward", "targetGroupArn": targets["arn"]}],
        **_protocol(certificate),
    )
    scheme = "http" if certificate is None else "https"
    return PoolEndpoint(
        url=concat(f"{scheme}://", balancer["dnsName"]),
        balancer=balancer,
        targets=targets,
        listener=listener,
    )


def _idle_seconds(workload: Inference) -> int:
    span = workload.idle_timeout
    return IDLE_SECONDS if span is None else int(span.total_seconds())


def _protocol(certificate: Any) -> dict[str, Any]:
    if certificate is None:
        return {"protocol": "HTTP"}
    return {"protocol": "HTTPS", "certificateArn": certificate, "sslPolicy": TLS_POLICY}
