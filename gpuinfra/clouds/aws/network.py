"""The layout of a workload's network, as pure values: interfaces on cards, subnets, zones."""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Final, Literal

from gpuinfra.clouds.aws.regions import known_zones, zones
from gpuinfra.model import Machine

NETWORK: Final = IPv4Network("10.0.0.0/16")
"""Every workload has a network of its own, so the addresses may repeat."""

SMALL: Final = 24
LARGE: Final = 20
RESERVED: Final = 5
"""Addresses of each subnet that AWS keeps:
https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

POOL_ZONES: Final = 2
"""An application load balancer needs subnets in two zones:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """One network interface of a machine; `device` counts per card."""

    card: int
    device: int
    kind: Literal["interface", "efa-only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subnet:
    """One subnet: `name` is its part of the resource's name, such as private-a."""

    name: str
    cidr: str
    zone: str
    public: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A workload's own network; the NAT gateway stands in the first public subnet."""

    cidr: str
    subnets: tuple[Subnet, ...]

    @property
    def private(self) -> tuple[Subnet, ...]:
        """Where the machines stand."""
        return tuple(subnet for subnet in self.subnets if not subnet.public)

    @property
    def public(self) -> tuple[Subnet, ...]:
        """Where the way out stands."""
        return tuple(subnet for subnet in self.subnets if subnet.public)


def nic_layout(machine: Machine, *, fabric: bool) -> tuple[Nic, ...]:
    """The interfaces to declare on a machine: one for IP and, with `fabric`, one EFA per card.

    Card 0 carries the IP interface as device 0; EFA interfaces carry no address (efa-only). Where
    a machine has fewer EFA interfaces than cards, card 0 has none (p6-b300):
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html

    Raises:
        ValueError: a fabric is asked of a machine whose EFA interfaces are none or not known.
    """
    first = Nic(card=0, device=0, kind="interface")
    if not fabric:
        return (first,)
    interfaces, cards = machine.fabric_interfaces, machine.network_cards
    if not interfaces or not cards:
        raise ValueError(f"{machine.type} has no EFA interfaces that are known")
    from_card = 0 if interfaces >= cards else cards - interfaces
    efa = (
        Nic(card=card, device=1 if card == 0 else 0, kind="efa-only")
        for card in range(from_card, cards)
    )
    return (first, *efa)


def training_network(region: str, wanted: tuple[str, ...] = (), nodes: int = 1) -> Network:
    """One zone: a private subnet with an address for each node, and a public one for the NAT."""
    (zone,) = zones(region, wanted)
    prefix = LARGE
    while 2 ** (32 - prefix) - RESERVED < nodes:
        prefix -= 1
    place = _place(region, zone)
    return Network(
        cidr=str(NETWORK),
        subnets=(
            Subnet(name="private", cidr=_block(place, prefix), zone=zone, public=False),
            Subnet(name="public", cidr=_last(place), zone=zone, public=True),
        ),
    )


def pool_network(region: str, wanted: tuple[str, ...] = ()) -> Network:
    """Two zones or more, each with a private subnet; the first two have a small public one."""
    used = zones(region, wanted, POOL_ZONES)
    spare = (zone for zone in known_zones(region) if zone not in used)
    used = (*used, *(next(spare) for _ in range(POOL_ZONES - len(used))))
    places = [_place(region, zone) for zone in used]
    private = tuple(
        Subnet(name=f"private-{index}", cidr=_block(place, LARGE), zone=zone, public=False)
        for index, (zone, place) in enumerate(zip(used, places, strict=True))
    )
    public = tuple(
        Subnet(name=f"public-{index}", cidr=_last(place), zone=zone, public=True)
        for index, (zone, place) in enumerate(zip(used[:POOL_ZONES], places, strict=False))
    )
    return Network(cidr=str(NETWORK), subnets=(*private, *public))


def _place(region: str, zone: str) -> int:
    """A zone's number in its region, by which its subnets get their addresses.

    A subnet that moves to another zone is made before the old one is deleted, and the two may not
    overlap (InvalidSubnet.Conflict).
    """
    known = known_zones(region)
    return known.index(zone) if zone in known else len(known)


def _block(place: int, prefix: int) -> str:
    """A large subnet, counted from the network's start."""
    blocks = list(NETWORK.subnets(new_prefix=prefix))
    return str(blocks[place % len(blocks)])


def _last(place: int) -> str:
    """A small subnet, counted from the network's end, away from the large ones at its start."""
    smalls = list(NETWORK.subnets(new_prefix=SMALL))
    return str(smalls[-1 - place])
