"""The layout of a workload's network, as plain values: subnets, zones, outbound access."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec

NETWORK: Final = IPv4Network("10.0.0.0/16")
"""Networks of workloads are not joined, so the addresses may repeat."""

LARGE_PREFIX_OFFSET: Final = 4
SMALL_PREFIX_OFFSET: Final = 8
SHARED_PREFIX_OFFSET: Final = 3
LONGEST_SUBNET_PREFIX: Final = 28
"""By how much the prefix of a large or small subnet, and of one that workloads share, is longer
than its network's, and the longest
that a subnet may have: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

RESERVED_ADDRESSES: Final = 5
"""The addresses that AWS reserves in each subnet:
https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

POOL_ZONES: Final = 2
"""An application load balancer needs subnets in two zones:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
"""

BALANCER: Final = 8
"""Addresses that a load balancer wants free in each of its subnets:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
"""

SPARE_ADDRESSES: Final = 64
"""Addresses that stay free beside machines that train: for the endpoints of a network without a
way out, and for FSx, which takes one for each file server, of which it does not tell the number:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"""

ENDPOINTS: Final = (
    *("ssm", "ssmmessages", "ec2messages"),
    *("ec2", "autoscaling", "monitoring", "logs", "ecr.api", "ecr.dkr", "sqs"),
    "elasticloadbalancing",
)
"""The services that machines call, where their network has no way out: login through Session
Manager, finding each other, ending a lifecycle, metrics, logs, images, messages, leaving a load
balancer. S3 has a gateway.
https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html"""


@record
class SubnetPlan:
    """A subnet; `name` is its part of the resource's name, for example private-a."""

    name: str
    cidr: str
    zone: str
    public: bool


@record
class NetworkPlan:
    """A workload's own network; the NAT gateway is in the first public subnet.

    `endpoints` are the services that it reaches from inside, where it has no way out.
    """

    cidr: str
    subnets: tuple[SubnetPlan, ...]
    endpoints: tuple[str, ...] = ()
    flow_logs: bool = False

    @property
    def private(self) -> tuple[SubnetPlan, ...]:
        """The subnets of the machines."""
        return tuple(subnet for subnet in self.subnets if not subnet.public)

    @property
    def public(self) -> tuple[SubnetPlan, ...]:
        """The public subnets, which hold the NAT gateway."""
        return tuple(subnet for subnet in self.subnets if subnet.public)


def training_network(
    region: str,
    zones: tuple[str, ...] = (),
    nodes: int = 1,
    *,
    each: int = 1,
    spec: "NetworkSpec | None" = None,
) -> NetworkPlan:
    """Return a network in one zone: a private subnet for all nodes, and a public one for the NAT.

    Args:
        region: where.
        zones: the zone, if it is to be a certain one.
        nodes: machines.
        each: addresses that each of them takes.
        spec: its shape, as the stack file says it.

    Raises:
        ValueError: the network is too small.
    """
    (zone,) = REGIONS.chosen(region, zones)
    block = _block_of(spec)
    prefix = block.prefixlen + LARGE_PREFIX_OFFSET
    while _machine_address_count(prefix) < nodes * each + SPARE_ADDRESSES:
        prefix -= 1
    if prefix <= block.prefixlen:
        raise ValueError(f"{block} is too small for a subnet with {nodes * each:,} addresses")
    position = _zone_number(region, zone)
    private = SubnetPlan(
        name="private", cidr=_block(block, position, prefix), zone=zone, public=False
    )
    public = SubnetPlan(
        name="public", cidr=_small_subnet_from_end(block, position), zone=zone, public=True
    )
    return _plan_network(block, (private,), (public,), spec)


def pool_network(
    region: str, zones: tuple[str, ...] = (), *, spec: "NetworkSpec | None" = None
) -> NetworkPlan:
    """Return a network in two zones or more: a private subnet in each, a public one in two.

    Args:
        region: where.
        zones: those that it has to span.
        spec: its shape, as the stack file says it.

    Raises:
        ValueError: the region has fewer zones than requested.
    """
    block, used = _block_of(spec), pool_zones(region, zones, spec)
    numbers = [_zone_number(region, zone) for zone in used]
    private = tuple(
        SubnetPlan(
            name=f"private-{index}",
            cidr=_block(block, position, block.prefixlen + LARGE_PREFIX_OFFSET),
            zone=zone,
            public=False,
        )
        for index, (zone, position) in enumerate(zip(used, numbers, strict=True))
    )
    public = tuple(
        SubnetPlan(
            name=f"public-{index}",
            cidr=_small_subnet_from_end(block, position),
            zone=zone,
            public=True,
        )
        for index, (zone, position) in enumerate(zip(used[:POOL_ZONES], numbers, strict=False))
    )
    return _plan_network(block, private, public, spec)


def shared_network(
    region: str, zones: Sequence[str], *, spec: "NetworkSpec | None" = None
) -> NetworkPlan:
    """Return a shared network: a private subnet in each zone, one public subnet for the NAT.

    Subnets have one size and a place by their zone, so that none changes when a workload comes or
    goes: a subnet that changes takes its machines with it.

    Args:
        region: where.
        zones: those of all workloads, the first of which has the NAT.
        spec: its shape, as the stack file says it.
    """
    block = _block_of(spec)
    private = tuple(
        SubnetPlan(
            name=private_name(zone),
            cidr=_block(block, _zone_number(region, zone), block.prefixlen + SHARED_PREFIX_OFFSET),
            zone=zone,
            public=False,
        )
        for zone in dict.fromkeys(zones)
    )
    public = SubnetPlan(
        name="public",
        cidr=_small_subnet_from_end(block, _zone_number(region, zones[0])),
        zone=zones[0],
        public=True,
    )
    return _plan_network(block, private, (public,), spec)


def private_name(zone: str) -> str:
    """Return the name of a zone's private subnet in a shared network."""
    return f"private-{zone}"


def shared_room(spec: "NetworkSpec | None") -> int:
    """Return how many machine addresses a shared network has in each zone."""
    endpoint_count = len(ENDPOINTS) if is_closed(spec) else 0
    return (
        _machine_address_count(_block_of(spec).prefixlen + SHARED_PREFIX_OFFSET)
        - SPARE_ADDRESSES
        - endpoint_count
    )


def pool_zones(
    region: str, zones: tuple[str, ...] = (), spec: "NetworkSpec | None" = None
) -> tuple[str, ...]:
    """Return the zones of a pool's own network: the named ones, and as many more as it needs.

    Raises:
        ValueError: the region has fewer zones than requested.
    """
    count = POOL_ZONES if spec is None or spec.zones is None else spec.zones
    used = REGIONS.chosen(region, zones, count)
    spare = [zone for zone in REGIONS.zones(region) if zone not in used]
    used = (*used, *spare[: max(0, count - len(used))])
    if len(used) < count:
        raise ValueError(f"only {len(used)} zones of {region} are known, not {count}")
    return used


def training_room(spec: "NetworkSpec | None") -> int:
    """Return the most addresses for training machines, which are all in one subnet."""
    return _machine_address_count(_block_of(spec).prefixlen + 1) - SPARE_ADDRESSES


def pool_room(spec: "NetworkSpec | None", zones: int, *, balanced: bool) -> int:
    """Return how many machine addresses a pool has in all of its subnets.

    Args:
        spec: the network's shape.
        zones: that it spans, with a subnet each.
        balanced: whether each subnet has a load balancer.
    """
    others = (BALANCER if balanced else 0) + (len(ENDPOINTS) if is_closed(spec) else 0)
    return zones * max(
        0, _machine_address_count(_block_of(spec).prefixlen + LARGE_PREFIX_OFFSET) - others
    )


def is_closed(spec: "NetworkSpec | None") -> bool:
    """Return whether the network is one to create without outbound access."""
    return spec is not None and spec.vpc is None and not spec.nat


def _machine_address_count(prefix: int) -> int:
    """Return how many machine addresses an empty subnet has."""
    return int(2 ** (32 - prefix)) - RESERVED_ADDRESSES


def _block_of(spec: "NetworkSpec | None") -> IPv4Network:
    return NETWORK if spec is None or spec.cidr is None else IPv4Network(spec.cidr)


def _plan_network(
    block: IPv4Network,
    private: tuple[SubnetPlan, ...],
    public: tuple[SubnetPlan, ...],
    spec: "NetworkSpec | None",
) -> NetworkPlan:
    """Return a network with a NAT gateway, or with endpoints and no public subnet."""
    closed = is_closed(spec)
    return NetworkPlan(
        cidr=str(block),
        subnets=private if closed else (*private, *public),
        endpoints=ENDPOINTS if closed else (),
        flow_logs=spec is not None and spec.flow_logs,
    )


def _zone_number(region: str, zone: str) -> int:
    """Return a zone's number in its region, which determines its subnets' addresses.

    A subnet that moves to another zone is made before the old one is deleted, and the two may not
    overlap (InvalidSubnet.Conflict).
    """
    zone_names = REGIONS.zones(region)
    return zone_names.index(zone) if zone in zone_names else len(zone_names)


def _block(network: IPv4Network, position: int, prefix: int) -> str:
    """Return a large subnet, counted from the network's start; the last is for small ones."""
    count = 1 << (prefix - network.prefixlen)
    return _subnet(network, position % (count - 1), prefix)


def _small_subnet_from_end(network: IPv4Network, position: int) -> str:
    """Return a small subnet, counted from the network's end, apart from the large ones."""
    prefix = min(LONGEST_SUBNET_PREFIX, network.prefixlen + SMALL_PREFIX_OFFSET)
    return _subnet(network, (1 << (prefix - network.prefixlen)) - 1 - position, prefix)


def _subnet(network: IPv4Network, position: int, prefix: int) -> str:
    """Return the subnet of a size at a place; `IPv4Network.subnets` would make all before it."""
    start = int(network.network_address) + (position << (network.max_prefixlen - prefix))
    return str(IPv4Network((start, prefix)))
