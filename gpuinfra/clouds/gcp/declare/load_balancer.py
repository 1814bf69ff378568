"""The internal load balancer of a pool, which passes packets to healthy servers."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.graph import Resource

INTERVAL: Final = 10
TIMEOUT: Final = 5
WELL_AFTER: Final = 2
UNWELL_AFTER: Final = 3
"""Seconds between questions and until an answer, and how many in a row count."""


def health_check(children: Children, path: str, port: int) -> Resource:
    """Declare the health check of every server, for the balancer and the group's repair."""
    return children.make(
        "gcp:compute/regionHealthCheck:RegionHealthCheck",
        "health",
        checkIntervalSec=INTERVAL,
        timeoutSec=TIMEOUT,
        healthyThreshold=WELL_AFTER,
        unhealthyThreshold=UNWELL_AFTER,
        httpHealthCheck={"port": port, "requestPath": path},
    )


def make_load_balancer(
    children: Children,
    health: Resource,
    groups: Sequence[Resource],
    *,
    network: Any,
    subnet: Any,
    port: int,
) -> Resource:
    """Declare the address, and the groups behind it as one service.

    https://docs.cloud.google.com/load-balancing/docs/internal
    """
    service = children.make(
        "gcp:compute/regionBackendService:RegionBackendService",
        "backend",
        loadBalancingScheme="INTERNAL",
        protocol="TCP",
        healthChecks=health["id"],
        backends=[
            {"group": group["instanceGroup"], "balancingMode": "CONNECTION"} for group in groups
        ],
    )
    return children.make(
        "gcp:compute/forwardingRule:ForwardingRule",
        "load_balancer",
        loadBalancingScheme="INTERNAL",
        backendService=service["id"],
        ipProtocol="TCP",
        ports=[str(port)],
        network=network,
        subnetwork=subnet,
    )
