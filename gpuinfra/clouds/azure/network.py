"""The layout of a workload's network and scale set, as plain values: addresses and limits."""

from functools import cache
from ipaddress import IPv4Network
from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.records import record

NETWORK: Final = IPv4Network("10.0.0.0/16")
"""Every workload has a network of its own, so the addresses may repeat."""

LARGE: Final = 20
RESERVED_ADDRESSES: Final = 5
"""Addresses of each subnet that Azure keeps:
https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq"""

SINGLE_PLACEMENT_GROUP: Final = "single-placement-group"
"""The placement of the table in which InfiniBand joins the machines."""

ANY_PLACEMENT: Final = "any"
"""The other placement of the table."""


@record
class NetworkPlan:
    """A workload's own network: one address space with one subnet, all private.

    A subnet spans all zones of its region, and the way out (a NAT gateway) and an internal load
    balancer need none of their own.
    """

    cidr: str
    subnet: str


def workload_network(nodes: int = 1) -> NetworkPlan:
    """Return the network of a workload, with an address for each of its machines at least."""
    prefix = LARGE
    while 2 ** (32 - prefix) - RESERVED_ADDRESSES < nodes:
        prefix -= 1
    return NetworkPlan(cidr=str(NETWORK), subnet=str(next(NETWORK.subnets(new_prefix=prefix))))


@cache
def most_machines(placement: str) -> int:
    """Return the most machines of a scale set with a placement.

    Raises:
        KeyError: the table has no such placement.
    """
    return {row["placement"]: int(row["most"]) for row in TABLES.rows("scale_sets")}[placement]
