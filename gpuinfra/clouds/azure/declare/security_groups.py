"""Network security groups: machines reach each other and the internet; no port takes logins."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.graph import Resource

NETWORK: Final = "VirtualNetwork"
"""The tag of a network's own addresses and of the networks joined to it."""

BALANCER: Final = "AzureLoadBalancer"
"""The tag of the load balancer's probes; clients keep their own addresses."""

ANYWHERE: Final = "*"

OUTWARD: Final = (443, 80)
"""HTTPS for the cloud's own services and images; HTTP for Ubuntu's package mirrors. Names and
metadata come from platform addresses that no rule filters:
https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview"""

FIRST_PRIORITY: Final = 100
LAST_PRIORITY: Final = 4096
"""The range of rule priorities; Azure's default rules, which allow traffic inside the network,
come after it."""


def between_machines(peers: Any) -> list[Mapping[str, Any]]:
    """Return the rules that allow all traffic between machines, in both directions.

    InfiniBand needs none, since no network security group filters it; finding each other does.
    """
    return [
        _allow("peers-in", "Inbound", source=peers),
        _allow("peers-out", "Outbound", destination=peers),
    ]


def from_clients(clients: Any, port: int) -> list[Mapping[str, Any]]:
    """Return the rules that admit clients and the balancer's probes to the servers' port."""
    return [
        _allow("clients-in", "Inbound", source=clients, port=port, protocol="Tcp"),
        _allow("probes-in", "Inbound", source=BALANCER, port=port, protocol="Tcp"),
    ]


def firewall(children: Children, port_rules: Sequence[Mapping[str, Any]]) -> Resource:
    """Declare the machines' group: the opened ports, outbound traffic, and nothing else."""
    outward = [_allow(f"out-{port}", "Outbound", port=port, protocol="Tcp") for port in OUTWARD]
    numbered = [
        {**rule, "priority": FIRST_PRIORITY + 10 * rule_index}
        for rule_index, rule in enumerate([*port_rules, *outward])
    ]
    closed = [
        {**_deny("nothing-else-in", "Inbound"), "priority": LAST_PRIORITY},
        {**_deny("nothing-else-out", "Outbound"), "priority": LAST_PRIORITY},
    ]
    return children.make(
        "azure-native:network:NetworkSecurityGroup",
        "firewall",
        securityRules=[*numbered, *closed],
    )


def _deny(name: str, direction: str) -> Mapping[str, Any]:
    return {**_allow(name, direction), "access": "Deny"}


def _allow(
    name: str,
    direction: str,
    *,
    source: Any = ANYWHERE,
    destination: Any = ANYWHERE,
    port: int | None = None,
    protocol: str = "*",
) -> Mapping[str, Any]:
    return {
        "name": name,
        "direction": direction,
        "access": "Allow",
        "protocol": protocol,
        "sourceAddressPrefix": source,
        "sourcePortRange": ANYWHERE,
        "destinationAddressPrefix": destination,
        "destinationPortRange": ANYWHERE if port is None else str(port),
    }
