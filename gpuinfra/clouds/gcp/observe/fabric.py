"""The fabric that resources declare: interfaces, their VPCs, zone, placement, firewalls."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpuinfra.clouds.gcp.disk import boot_disk
from gpuinfra.clouds.gcp.footprint import PLACEMENT
from gpuinfra.clouds.gcp.images import public_image
from gpuinfra.clouds.gcp.network import Planes, planes
from gpuinfra.clouds.gcp.observe import places, storage, traffic
from gpuinfra.clouds.gcp.observe.addresses import public_address
from gpuinfra.clouds.gcp.observe.index import Index, leaf
from gpuinfra.clouds.gcp.observe.launch import scripts_of
from gpuinfra.clouds.gcp.observe.market import Market
from gpuinfra.clouds.gcp.observe.networks import Vpc, Wire, subnets_on, wires_of
from gpuinfra.clouds.gcp.observe.placement import placement_faults, placement_of
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import all_of, any_of, text, whole
from gpuinfra.model import UNKNOWN, Fabric, Known, Machine, Resource, Unknown

_MTU: Final = 1460
"""A VPC's MTU where nobody sets one; a network with a profile gets its own:
https://docs.cloud.google.com/vpc/docs/mtu"""

_SOFTWARE: Final = {
    "roce": "nccl-gib",
    "gpudirect-tcpx": "tcpgpudmarxd",
    "gpudirect-tcpxo": "tcpgpudmarxd",
}
"""What a machine runs besides its driver so that NCCL uses the fabric; no public image has it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A group as its fabric needs it: the machines it may hold, and at most how many."""

    resource: Resource
    launch: Layers
    machines: tuple[Machine, ...]
    market: Market
    most: int | Unknown


def is_declared(launch: Layers, machines: Sequence[Machine], index: Index) -> Known:
    """Say whether a fabric's interfaces are declared: RDMA ones, or more than the hosts' own."""
    wires = wires_of(launch, index)
    if isinstance(wires, Unknown):
        return UNKNOWN if any(planes(one) for one in machines) else False
    more = any(
        layout.profile is None and len(wires) > layout.host_networks
        for layout in _layouts(machines)
    )
    return any_of((more, *(wire.is_rdma for wire in wires)))


def fabric_of(asked: Asked, index: Index) -> Fabric | None:
    """Return the fabric a group declares; None when it asks for none.

    A raw stack asks by declaring the interfaces of a fabric, or half asks by putting machines that
    have one close together.
    """
    launch, machines = asked.launch, asked.machines
    declared = is_declared(launch, machines, index)
    placement = placement_of(asked.resource, launch, index)
    capable = bool(_layouts(machines))
    near = placement.strategy == PLACEMENT
    if declared is not True and not (capable and (near or declared is UNKNOWN)):
        return None
    wires = wires_of(launch, index)
    seen = () if isinstance(wires, Unknown) else wires
    zones = places.zones_of(asked.resource)
    checked = _Interfaces(seen, machines, zones)
    faults = [
        *checked.faults(),
        *_disk_faults(launch, machines),
        *placement_faults(placement, machines, asked.market, launch.get("scheduling"), asked.most),
    ]
    hidden = isinstance(wires, Unknown) or checked.hidden
    return Fabric(
        wish="required" if declared is True else "preferred",
        interfaces=UNKNOWN if hidden and not faults else checked.count,
        faults=tuple(dict.fromkeys(faults)),
        one_zone=places.one_zone(asked.resource),
        placement=placement.strategy,
        self_ingress=_self_open(asked, seen, "INGRESS", index),
        self_egress=_self_open(asked, seen, "EGRESS", index),
        public_ip=public_address(launch),
        driver_image=_driver_image(launch, machines),
    )


def _layouts(machines: Sequence[Machine]) -> tuple[Planes, ...]:
    return tuple(layout for one in machines if (layout := planes(one)) is not None)


class _Interfaces:
    """The interfaces of a machine, against the table of its type (clouds tables 2.1 and G2)."""

    def __init__(
        self, wires: Sequence[Wire], machines: Sequence[Machine], zones: Sequence[str]
    ) -> None:
        self._layouts = _layouts(machines)
        self._zones = zones
        self._wires = wires
        self._rdma = [one for one in wires if one.is_rdma is True]
        self._plain = [one for one in wires if one.is_rdma is False]
        hosts = min((one.host_networks for one in self._layouts), default=1)
        self._planes = self._rdma or self._plain[hosts:]

    @property
    def count(self) -> int:
        """How many interfaces speak the fabric."""
        return len(self._planes)

    @property
    def hidden(self) -> bool:
        """Whether something about them that could be wrong can't be known.

        One interface in a VPC of another stack is in none of this stack's; of two nobody knows.
        """
        strange = [one for one in self._wires if isinstance(one.vpc, Unknown)]
        unread = [one for one in self._planes if _is_strange(one) or _mtu(one) is UNKNOWN]
        return (
            len(strange) > 1
            or bool(unread)
            or any(one.is_rdma is UNKNOWN for one in self._wires)
            or any(one.vpc.profile is UNKNOWN for one in self._rdma if isinstance(one.vpc, Vpc))
        )

    def faults(self) -> Iterator[str]:
        """Name each thing that the machine would refuse, or that leaves the fabric unused."""
        yield from _shared(self._plain)
        yield from self._rdma_faults()
        for layout in self._layouts:
            yield from self._counts(layout)
            yield from self._mtu_faults(layout)

    def _rdma_faults(self) -> Iterator[str]:
        networks = {one.vpc.key: one.vpc for one in self._rdma if isinstance(one.vpc, Vpc)}
        if len(networks) > 1:
            yield f"RoCE interfaces stand in {len(networks)} networks; they share one"
        for vpc in networks.values():
            yield from self._profile_faults(vpc)
        subnets = Counter(one.subnet.name for one in self._rdma if one.subnet is not None)
        for name, count in subnets.items():
            if count > 1:
                yield f"{count} RoCE interfaces stand in one subnet ({name}); each needs its own"

    def _profile_faults(self, vpc: Vpc) -> Iterator[str]:
        profile = vpc.profile
        if profile is None:
            yield f"the network of the RoCE interfaces ({vpc.name}) has no network profile"
        if not isinstance(profile, str):
            return
        wanted = {layout.profile for layout in self._layouts if layout.profile is not None}
        for kind in wanted:
            own = leaf(profile).removesuffix(f"-{kind}")
            if own == leaf(profile):
                yield f"the network {vpc.name} has the profile {own}, RoCE needs one of {kind}"
            elif self._zones and own not in self._zones:
                where = ", ".join(self._zones)
                yield f"the RoCE network {vpc.name} is one of {own}, the machines stand in {where}"

    def _counts(self, layout: Planes) -> Iterator[str]:
        most = layout.fabric_networks * layout.fabric_subnets
        if layout.kind == "GVNIC":
            whole_number = layout.host_networks + most
            if len(self._wires) > whole_number:
                yield f"{len(self._wires)} interfaces declared, {layout.type} takes {whole_number}"
            for number, one in enumerate(self._wires):
                if isinstance(one.kind, str) and one.kind != "GVNIC":
                    yield f"interface {number} is {one.kind}, {layout.type} needs GVNIC"
            return
        if len(self._rdma) > most:
            yield f"{len(self._rdma)} RoCE interfaces declared, {layout.type} takes {most}"
        if self._rdma and len(self._plain) != layout.host_networks:
            yield (
                f"{len(self._plain)} GVNIC interfaces declared, "
                f"{layout.type} takes {layout.host_networks}"
            )

    def _mtu_faults(self, layout: Planes) -> Iterator[str]:
        for one in self._planes:
            mtu = _mtu(one)
            if isinstance(one.vpc, Vpc) and isinstance(mtu, int) and mtu < layout.mtu:
                yield f"the network {one.vpc.name} has an MTU of {mtu}, its fabric {layout.mtu}"


def _shared(plain: Sequence[Wire]) -> Iterator[str]:
    """Each GVNIC has a VPC of its own, none of them a RoCE network."""
    vpcs = {one.vpc.key: one.vpc for one in plain if isinstance(one.vpc, Vpc)}
    counts = Counter(one.vpc.key for one in plain if isinstance(one.vpc, Vpc))
    for key, vpc in vpcs.items():
        if counts[key] > 1:
            yield f"{counts[key]} GVNIC interfaces stand in one VPC ({vpc.name}): each needs one"
        if isinstance(vpc.profile, str):
            yield f"a GVNIC interface stands in the RoCE network {vpc.name}"


def _is_strange(wire: Wire) -> bool:
    """Whether its VPC is another stack's, or not known yet."""
    return not isinstance(wire.vpc, Vpc) or wire.vpc.resource is None


def _mtu(wire: Wire) -> int | Unknown | None:
    """The MTU of a wire's VPC; None where its profile sets the right one."""
    if not isinstance(wire.vpc, Vpc) or wire.vpc.resource is None:
        return UNKNOWN
    mtu = whole(wire.vpc.resource.inputs.get("mtu"))
    return mtu if mtu is not None or wire.vpc.profile is not None else _MTU


def _disk_faults(launch: Layers, machines: Sequence[Machine]) -> Iterator[str]:
    kind = storage.boot_kind(launch)
    for machine in machines:
        wanted = boot_disk(machine).type
        if isinstance(kind, str) and kind.startswith("pd-") and not wanted.startswith("pd-"):
            yield f"{machine.type} starts from no {kind} disk: use {wanted}"


def _self_open(
    asked: Asked, wires: Sequence[Wire], way: traffic.Way, index: Index
) -> Known | None:
    """Whether the planes are open to themselves; None where no firewall stands between machines.

    Several machines also meet in their main network, which counts where this stack has it.
    """
    profiled = any(layout.profile is not None for layout in _layouts(asked.machines))
    if profiled or any(one.is_rdma is True for one in wires):
        return None
    marks = traffic.marks_of(asked.launch, index)
    met = [one for one in wires[:1] if asked.most != 1 and not _is_strange(one)]
    facts = [
        UNKNOWN
        if isinstance(one.vpc, Unknown)
        else traffic.self_open(one.vpc, way, subnets_on(wires, one.vpc), marks, index)
        for one in (*met, *wires[1:])
    ]
    return all_of(facts) if facts else UNKNOWN


def _driver_image(launch: Layers, machines: Sequence[Machine]) -> Known:
    """A public image has the driver; what NCCL needs besides is known where a script names it."""
    image = text(storage.boot_image(launch))
    scripts = [one for one in scripts_of(launch) if isinstance(one, str)]
    if not isinstance(image, str) or not machines:
        return UNKNOWN
    served = all(
        (known := public_image("training", machine)) is not None
        and f"projects/{known.project}/global/images/" in image
        and known.family in image
        for machine in machines
    )
    wanted = [_SOFTWARE.get(machine.fabric or "") for machine in machines]
    named = all(word is not None and any(word in one for one in scripts) for word in wanted)
    return True if served and named else UNKNOWN
