"""Firewalls: machines talk to each other, and people log in through Google's proxy alone."""

from collections.abc import Sequence
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp
from pulumi_gcp.serviceaccount import Account

from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.gcp.build.children import Children

MACHINES: Final[Kinds] = {
    "login_firewall": gcp.compute.Firewall,
    "peers_firewall": gcp.compute.Firewall,
}

BALANCER: Final[Kinds] = {
    "clients_firewall": gcp.compute.Firewall,
    "health_firewall": gcp.compute.Firewall,
}

LOGIN: Final = ("35.235.240.0/20",)
"""Identity-Aware Proxy, which asks who it is before it forwards:
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding"""

CHECKS: Final = ("35.191.0.0/16", "130.211.0.0/22")
"""Where health checks come from:
https://docs.cloud.google.com/load-balancing/docs/health-check-concepts#ip-ranges"""

EVERYTHING: Final = ({"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"})


def login(
    children: Children, network: pulumi.Input[str], own: str | None, account: Account
) -> gcp.compute.Firewall:
    """The firewall that every workload has: a login through the proxy, and nothing else.

    Args:
        children: of the component.
        network: where the machines stand.
        own: the range of the workload's own subnet; None in the caller's network, where only
            the machines of this account are meant.
        account: the machines'.
    """
    return _allow(children, "login_firewall", network, LOGIN, _tcp(22), own, account)


def peers(
    children: Children, network: pulumi.Input[str], own: str | None, account: Account
) -> gcp.compute.Firewall:
    """All traffic between the machines: of our own subnet, or of this account in the caller's."""
    if own is not None:
        return among(children, "peers_firewall", network, own)
    return children.make(
        gcp.compute.Firewall,
        "peers_firewall",
        network=network,
        direction="INGRESS",
        source_service_accounts=[account.email],
        target_service_accounts=[account.email],
        allows=list(EVERYTHING),
    )


def among(
    children: Children, child: str, network: pulumi.Input[str], cidr: str
) -> gcp.compute.Firewall:
    """All traffic within a range of a network that holds nothing but these machines."""
    return children.make(
        gcp.compute.Firewall,
        child,
        network=network,
        direction="INGRESS",
        source_ranges=[cidr],
        allows=list(EVERYTHING),
    )


def serving(
    children: Children,
    network: pulumi.Input[str],
    own: str | None,
    account: Account,
    *,
    clients: pulumi.Input[str],
    port: int,
) -> list[gcp.compute.Firewall]:
    """Clients reach the servers' port, as the balancer passes their packets on; checks do too."""
    return [
        _allow(children, child, network, sources, _tcp(port), own, account)
        for child, sources in (("clients_firewall", (clients,)), ("health_firewall", CHECKS))
    ]


def _allow(
    children: Children,
    child: str,
    network: pulumi.Input[str],
    sources: Sequence[pulumi.Input[str]],
    allows: list[dict[str, Any]],
    own: str | None,
    account: Account,
) -> gcp.compute.Firewall:
    targets: dict[str, Any] = {}
    if own is None:
        targets["target_service_accounts"] = [account.email]
    return children.make(
        gcp.compute.Firewall,
        child,
        network=network,
        direction="INGRESS",
        source_ranges=list(sources),
        allows=allows,
        **targets,
    )


def _tcp(port: int) -> list[dict[str, Any]]:
    return [{"protocol": "tcp", "ports": [str(port)]}]
