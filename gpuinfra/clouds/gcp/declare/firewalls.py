"""Firewalls: machines reach each other, and people log in only through Google's proxy."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.network import HEALTH_CHECKS, LOGIN_PROXY
from gpuinfra.graph import Resource

EVERYTHING: Final = ({"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"})


def login(children: Children, network: Any, own_range: str | None, account: Resource) -> Resource:
    """Declare the firewall of every workload: logins through the proxy, and nothing else.

    Args:
        children: of the component.
        network: the machines' network.
        own_range: the range of the workload's own subnet; None in the caller's network, where only
            the machines of this account are meant.
        account: the machines'.
    """
    return _allow(
        children, "login_firewall", network, (LOGIN_PROXY,), 22, _accounts(own_range, account)
    )


def peers(children: Children, network: Any, own_range: str | None, account: Resource) -> Resource:
    """Declare all traffic between machines: of our subnet, or of this account in the caller's."""
    if own_range is not None:
        return allow_within_range(children, "peers_firewall", network, own_range)
    return _firewall(
        children,
        "peers_firewall",
        network,
        sourceServiceAccounts=[account["email"]],
        targetServiceAccounts=[account["email"]],
        allows=list(EVERYTHING),
    )


def allow_within_range(children: Children, child: str, network: Any, cidr: str) -> Resource:
    """Declare all traffic within an address range that holds only these machines."""
    return _firewall(children, child, network, sourceRanges=[cidr], allows=list(EVERYTHING))


def serving(
    children: Children,
    network: Any,
    own_range: str | None,
    account: Resource,
    *,
    clients: Any,
    port: int,
) -> tuple[str, ...]:
    """Declare access of clients and health checks to the servers' port; return both keys.

    The keys of both firewalls, which are created before the machines and deleted after them.
    """
    source_sets = (("clients_firewall", (clients,)), ("health_firewall", HEALTH_CHECKS))
    accounts = _accounts(own_range, account)
    return tuple(
        _allow(children, child, network, sources, port, accounts).key
        for child, sources in source_sets
    )


def _accounts(own_range: str | None, account: Resource) -> Sequence[Any] | None:
    """Return the account that a firewall is limited to; None in the workload's own subnet."""
    return [account["email"]] if own_range is None else None


def _allow(
    children: Children,
    child: str,
    network: Any,
    sources: Sequence[Any],
    port: int,
    accounts: Sequence[Any] | None,
) -> Resource:
    return _firewall(
        children,
        child,
        network,
        sourceRanges=list(sources),
        allows=[{"protocol": "tcp", "ports": [str(port)]}],
        targetServiceAccounts=accounts,
    )


def _firewall(children: Children, child: str, network: Any, **rule: Any) -> Resource:
    return children.make(
        "gcp:compute/firewall:Firewall", child, network=network, direction="INGRESS", **rule
    )
