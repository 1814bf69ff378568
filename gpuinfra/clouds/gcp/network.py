"""The layout of a workload's networks, as plain values: VPCs, subnets, interfaces, zones."""

from collections.abc import Iterator
from functools import cache
from ipaddress import IPv4Network
from typing import Final, Literal

from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import Machine
from gpuinfra.records import record

MAIN: Final = "main"
"""The network and the subnet of every machine, with its egress."""

SUBNET: Final = 20
RESERVED_ADDRESSES: Final = 4
"""Addresses of each primary range that Google keeps:
https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet"""

TRAINING_MTU: Final = 8896
POOL_MTU: Final = 1460
"""The largest and the default MTU of a VPC, where the fabric asks for none of its own; those who
call a pool come from networks with any MTU: https://docs.cloud.google.com/vpc/docs/mtu"""

LOGIN_PROXY: Final = "35.235.240.0/20"
"""Identity-Aware Proxy, which asks who it is before it forwards:
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding"""

HEALTH_CHECKS: Final = ("35.191.0.0/16", "130.211.0.0/22")
"""Where health checks come from:
https://docs.cloud.google.com/load-balancing/docs/health-check-concepts#ip-ranges"""

POOL_ZONES: Final = 2

_ADDRESSES: Final = IPv4Network("10.0.0.0/8")
_REGION: Final = 14
_SLOT: Final = 18
"""Each region has a /14, each subnet of a workload a /18 of it that it may grow into: a subnet in
another region stands beside the old one for a while, and the ranges of one machine's interfaces
may not overlap."""


@record
class NicPlan:
    """A network interface of a machine, with the names of its network and subnet."""

    kind: Literal["GVNIC", "MRDMA"]
    network: str
    subnet: str


@record
class SubnetPlan:
    """A subnet; `name` is its part of the resource's name."""

    name: str
    cidr: str


@record
class VpcPlan:
    """A VPC network; `profile` is the name of the network profile it is made with."""

    name: str
    mtu: int
    subnets: tuple[SubnetPlan, ...]
    profile: str | None = None


@record
class NetworkPlan:
    """A workload's own networks, the main one first, and its machines' zones."""

    zones: tuple[str, ...]
    vpcs: tuple[VpcPlan, ...]


@record
class FabricLayout:
    """The networks of a machine type whose fabric is used.

    Each of `host_networks` and `fabric_networks` is a VPC of its own; a fabric network has
    `fabric_subnets` subnets with an interface each. `set_up` is whether our start-up script
    installs `software`, which NCCL needs to use the fabric.
    """

    type: str
    mtu: int
    host_networks: int
    fabric_networks: int
    fabric_subnets: int
    kind: Literal["GVNIC", "MRDMA"]
    profile: str | None
    software: str
    set_up: bool
    source: str
    as_of: str


def fabric_layout(machine: Machine) -> FabricLayout | None:
    """Return the layout of a machine type's fabric; None when none is known."""
    return _planes().get(machine.type)


def nic_layout(machine: Machine, *, fabric: bool) -> tuple[NicPlan, ...]:
    """Return the interfaces to declare on a machine, in order: hosts first, then the fabric's.

    Every GVNIC is in its own VPC, all MRDMA ones in the subnets of one.

    Raises:
        ValueError: a fabric is asked of a machine whose layout is not known.
    """
    if not fabric:
        return (NicPlan(kind="GVNIC", network=MAIN, subnet=MAIN),)
    layout = _layout(machine)
    return tuple(
        NicPlan(kind=kind, network=network, subnet=subnet)
        for network, subnets, kind in _networks(layout)
        for subnet in subnets
    )


def training_network(
    region: str,
    preferred: tuple[str, ...] = (),
    nodes: int = 1,
    *,
    machine: Machine | None = None,
    fabric: bool = False,
) -> NetworkPlan:
    """Return networks in one zone, with an address for each node in every subnet.

    Raises:
        ValueError: a fabric is asked of a machine whose layout is not known, or the nodes are more
            than a subnet can hold.
    """
    (zone,) = REGIONS.chosen(region, preferred, 1, machine)
    if not fabric or machine is None:
        subnet = SubnetPlan(name=MAIN, cidr=_cidr(region, 0, nodes))
        return NetworkPlan(
            zones=(zone,), vpcs=(VpcPlan(name=MAIN, mtu=TRAINING_MTU, subnets=(subnet,)),)
        )
    layout = _layout(machine)
    vpcs, slot = [], 0
    for network, subnets, kind in _networks(layout):
        has_network_profile = kind == "MRDMA" and layout.profile is not None
        vpcs.append(
            VpcPlan(
                name=network,
                mtu=layout.mtu,
                subnets=tuple(
                    SubnetPlan(name=subnet, cidr=_cidr(region, slot + index, nodes))
                    for index, subnet in enumerate(subnets)
                ),
                profile=f"{zone}-{layout.profile}" if has_network_profile else None,
            )
        )
        slot += len(subnets)
    return NetworkPlan(zones=(zone,), vpcs=tuple(vpcs))


def pool_network(
    region: str, preferred: tuple[str, ...] = (), *, machine: Machine | None = None
) -> NetworkPlan:
    """Return a network of one subnet over two zones, where the region has them for the machine."""
    subnet = SubnetPlan(name=MAIN, cidr=_cidr(region, 0, 1))
    return NetworkPlan(
        zones=REGIONS.chosen(region, preferred, POOL_ZONES, machine),
        vpcs=(VpcPlan(name=MAIN, mtu=POOL_MTU, subnets=(subnet,)),),
    )


def _networks(
    layout: FabricLayout,
) -> Iterator[tuple[str, tuple[str, ...], Literal["GVNIC", "MRDMA"]]]:
    """Yield the networks of a layout: the name, the subnets' names, the interfaces' kind."""
    for index in range(layout.host_networks):
        name = MAIN if index == 0 else f"host-{index}"
        yield name, (name,), "GVNIC"
    for index in range(layout.fabric_networks):
        has_several_subnets = layout.fabric_subnets > 1
        name = "rdma" if has_several_subnets else f"gpu-{index}"
        subnets = tuple(f"{name}-{number}" for number in range(layout.fabric_subnets))
        yield name, subnets if has_several_subnets else (name,), layout.kind


def _layout(machine: Machine) -> FabricLayout:
    layout = fabric_layout(machine)
    if layout is None:
        raise ValueError(f"the fabric layout of {machine.type} is unknown")
    return layout


def _cidr(region: str, slot: int, nodes: int) -> str:
    """Return a subnet's range: the region's block, the subnet's slot, and a size for the nodes."""
    prefix = SUBNET
    while 2 ** (32 - prefix) - RESERVED_ADDRESSES < nodes:
        prefix -= 1
    if prefix < _SLOT:
        raise ValueError(
            f"a subnet holds no more than {2 ** (32 - _SLOT) - RESERVED_ADDRESSES:,} machines"
        )
    block = int(_ADDRESSES.network_address) + (_block(region) << (32 - _REGION))
    return str(IPv4Network((block + (slot << (32 - _SLOT)), prefix)))


def _block(region: str) -> int:
    blocks: list[str] = TABLES.table("regions")["blocks"]
    return blocks.index(region)


@cache
def _planes() -> dict[str, FabricLayout]:
    return {row["type"]: FabricLayout(**row) for row in TABLES.rows("fabric")}
