"""A pool's front: the internal load balancer, which passes packets on to servers that are well."""

from collections.abc import Sequence
from typing import Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.gcp.build.children import Children

KINDS: Final[Kinds] = {
    "health": gcp.compute.RegionHealthCheck,
    "backend": gcp.compute.RegionBackendService,
    "load_balancer": gcp.compute.ForwardingRule,
}

INTERVAL: Final = 10
TIMEOUT: Final = 5
WELL_AFTER: Final = 2
UNWELL_AFTER: Final = 3
"""Seconds between questions and until an answer, and how many in a row count."""


def health_check(children: Children, path: str, port: int) -> gcp.compute.RegionHealthCheck:
    """The question that the balancer and the group's repair ask of every server."""
    return children.make(
        gcp.compute.RegionHealthCheck,
        "health",
        check_interval_sec=INTERVAL,
        timeout_sec=TIMEOUT,
        healthy_threshold=WELL_AFTER,
        unhealthy_threshold=UNWELL_AFTER,
        http_health_check={"port": port, "request_path": path},
    )


def front(
    children: Children,
    health: gcp.compute.RegionHealthCheck,
    groups: Sequence[gcp.compute.RegionInstanceGroupManager],
    *,
    network: pulumi.Input[str],
    subnet: pulumi.Input[str],
    port: int,
) -> gcp.compute.ForwardingRule:
    """The address, and the groups behind it as one service.

    https://docs.cloud.google.com/load-balancing/docs/internal
    """
    service = children.make(
        gcp.compute.RegionBackendService,
        "backend",
        load_balancing_scheme="INTERNAL",
        protocol="TCP",
        health_checks=health.id,
        backends=[
            {"group": group.instance_group, "balancing_mode": "CONNECTION"} for group in groups
        ],
    )
    return children.make(
        gcp.compute.ForwardingRule,
        "load_balancer",
        load_balancing_scheme="INTERNAL",
        backend_service=service.id,
        ip_protocol="TCP",
        ports=[str(port)],
        network=network,
        subnetwork=subnet,
    )
