"""The layout of a workload's network, as pure values: subnets, zones, a way out."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec

NETWORK: Final = IPv4Network("10.0.0.0/16")
"""Networks of workloads are not joined, so the addresses may repeat."""

LARGE: Final = 4
SMALL: Final = 8
SHARED: Final = 3
SMALLEST: Final = 28
"""By how much the prefix of a large or small subnet, and of one that workloads share, is longer
than its network's, and the longest
that a subnet may have: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

RESERVED: Final = 5
"""Addresses of each subnet that AWS keeps:
https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

POOL_ZONES: Final = 2
"""An application load balancer needs subnets in two zones:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
"""

BALANCER: Final = 8
"""Addresses that a load balancer wants free in each of its subnets:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
"""

BESIDE: Final = 64
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
class Subnet:
    """One subnet: `name` is its part of the resource's name, for example private-a."""

    name: str
    cidr: str
    zone: str
    public: bool


@record
class Network:
    """A workload's own network; the NAT gateway stands in the first public subnet.

    `endpoints` are the services that it reaches from inside, where it has no way out.
    """

    cidr: str
    subnets: tuple[Subnet, ...]
    endpoints: tuple[str, ...] = ()
    flow_logs: bool = False

    @property
    def private(self) -> tuple[Subnet, ...]:
        """Where the machines stand."""
        return tuple(subnet for subnet in self.subnets if not subnet.public)

    @property
    def public(self) -> tuple[Subnet, ...]:
        """Where the way out stands."""
        return tuple(subnet for subnet in self.subnets if subnet.public)


def training_network(
    region: str,
    zones: tuple[str, ...] = (),
    nodes: int = 1,
    *,
    each: int = 1,
    spec: "NetworkSpec | None" = None,
) -> Network:
    """One zone: a private subnet with addresses for each node, and a public one for the NAT.

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
    prefix = block.prefixlen + LARGE
    while _holds(prefix) < nodes * each + BESIDE:
        prefix -= 1
    if prefix <= block.prefixlen:
        raise ValueError(f"{block} is too small for a subnet with {nodes * each:,} addresses")
    place = _place(region, zone)
    private = Subnet(name="private", cidr=_block(block, place, prefix), zone=zone, public=False)
    public = Subnet(name="public", cidr=_last(block, place), zone=zone, public=True)
    return _shaped(block, (private,), (public,), spec)


def pool_network(
    region: str, zones: tuple[str, ...] = (), *, spec: "NetworkSpec | None" = None
) -> Network:
    """Two zones or more, each with a private subnet; the first two have a small public one.

    Args:
        region: where.
        zones: those that it has to span.
        spec: its shape, as the stack file says it.

    Raises:
        ValueError: the region has fewer zones than are asked for.
    """
    block, used = _block_of(spec), pool_zones(region, zones, spec)
    places = [_place(region, zone) for zone in used]
    private = tuple(
        Subnet(
            name=f"private-{index}",
            cidr=_block(block, place, block.prefixlen + LARGE),
            zone=zone,
            public=False,
        )
        for index, (zone, place) in enumerate(zip(used, places, strict=True))
    )
    public = tuple(
        Subnet(name=f"public-{index}", cidr=_last(block, place), zone=zone, public=True)
        for index, (zone, place) in enumerate(zip(used[:POOL_ZONES], places, strict=False))
    )
    return _shaped(block, private, public, spec)


def shared_network(
    region: str, zones: Sequence[str], *, spec: "NetworkSpec | None" = None
) -> Network:
    """The network of several workloads: a private subnet in each zone, one public one for the NAT.

    Subnets have one size and a place by their zone, so that none changes when a workload comes or
    goes: a subnet that changes takes its machines with it.

    Args:
        region: where.
        zones: those of all workloads, the first of which has the NAT.
        spec: its shape, as the stack file says it.
    """
    block = _block_of(spec)
    private = tuple(
        Subnet(
            name=private_name(zone),
            cidr=_block(block, _place(region, zone), block.prefixlen + SHARED),
            zone=zone,
            public=False,
        )
        for zone in dict.fromkeys(zones)
    )
    public = Subnet(
        name="public", cidr=_last(block, _place(region, zones[0])), zone=zones[0], public=True
    )
    return _shaped(block, private, (public,), spec)


def private_name(zone: str) -> str:
    """The name of a zone's private subnet in a shared network."""
    return f"private-{zone}"


def shared_room(spec: "NetworkSpec | None") -> int:
    """How many addresses machines have in each zone of a shared network."""
    others = len(ENDPOINTS) if is_closed(spec) else 0
    return _holds(_block_of(spec).prefixlen + SHARED) - BESIDE - others


def pool_zones(
    region: str, zones: tuple[str, ...] = (), spec: "NetworkSpec | None" = None
) -> tuple[str, ...]:
    """The zones of a pool's own network: those that are wanted, and as many more as it needs.

    Raises:
        ValueError: the region has fewer zones than are asked for.
    """
    count = POOL_ZONES if spec is None or spec.zones is None else spec.zones
    used = REGIONS.chosen(region, zones, count)
    spare = [zone for zone in REGIONS.zones(region) if zone not in used]
    used = (*used, *spare[: max(0, count - len(used))])
    if len(used) < count:
        raise ValueError(f"only {len(used)} zones of {region} are known, not {count}")
    return used


def training_room(spec: "NetworkSpec | None") -> int:
    """How many addresses machines that train have at most, all of them in one subnet."""
    return _holds(_block_of(spec).prefixlen + 1) - BESIDE


def pool_room(spec: "NetworkSpec | None", zones: int, *, balanced: bool) -> int:
    """How many addresses the machines of a pool have, those of all its subnets.

    Args:
        spec: the network's shape.
        zones: that it spans, with a subnet each.
        balanced: whether a load balancer stands in each subnet.
    """
    others = (BALANCER if balanced else 0) + (len(ENDPOINTS) if is_closed(spec) else 0)
    return zones * max(0, _holds(_block_of(spec).prefixlen + LARGE) - others)


def is_closed(spec: "NetworkSpec | None") -> bool:
    """Whether it is a network that is made without a way out."""
    return spec is not None and spec.vpc is None and not spec.nat


def _holds(prefix: int) -> int:
    """How many addresses a subnet has for machines, when it is empty."""
    return int(2 ** (32 - prefix)) - RESERVED


def _block_of(spec: "NetworkSpec | None") -> IPv4Network:
    return NETWORK if spec is None or spec.cidr is None else IPv4Network(spec.cidr)


def _shaped(
    block: IPv4Network,
    private: tuple[Subnet, ...],
    public: tuple[Subnet, ...],
    spec: "NetworkSpec | None",
) -> Network:
    """A network with a way out, or with endpoints and no public subnet."""
    closed = is_closed(spec)
    return Network(
        cidr=str(block),
        subnets=private if closed else (*private, *public),
        endpoints=ENDPOINTS if closed else (),
        flow_logs=spec is not None and spec.flow_logs,
    )


def _place(region: str, zone: str) -> int:
    """A zone's number in its region, by which its subnets get their addresses.

    A subnet that moves to another zone is made before the old one is deleted, and the two may not
    overlap (InvalidSubnet.Conflict).
    """
    known = REGIONS.zones(region)
    return known.index(zone) if zone in known else len(known)


def _block(network: IPv4Network, place: int, prefix: int) -> str:
    """A large subnet, counted from the network's start; the last place is for the small ones."""
    count = 1 << (prefix - network.prefixlen)
    return _subnet(network, place % (count - 1), prefix)


def _last(network: IPv4Network, place: int) -> str:
    """A small subnet, counted from the network's end, away from the large ones at its start."""
    prefix = min(SMALLEST, network.prefixlen + SMALL)
    return _subnet(network, (1 << (prefix - network.prefixlen)) - 1 - place, prefix)


def _subnet(network: IPv4Network, place: int, prefix: int) -> str:
    """The subnet of a size at a place; `IPv4Network.subnets` would make all before it."""
    start = int(network.network_address) + (place << (network.max_prefixlen - prefix))
    return str(IPv4Network((start, prefix)))
