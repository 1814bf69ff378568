"""The faults of a machine's interfaces by the table of its type: number, kind, network."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.gcp.network import POOL_MTU, FabricLayout
from gpuinfra.clouds.gcp.observe.index import last_part
from gpuinfra.clouds.gcp.observe.network.networks import ObservedInterface, Vpc
from gpuinfra.clouds.observing.values import flag, whole_number
from gpuinfra.model import UNKNOWN, Unknown

_AUTOMATIC: Final = "autoCreateSubnetworks"
"""True by default; no RDMA network profile takes it (`allowAutoModeSubnet`):
https://docs.cloud.google.com/compute/docs/reference/rest/v1/networkProfiles"""


class Interfaces:
    """The interfaces of a machine."""

    def __init__(
        self,
        interfaces: Sequence[ObservedInterface],
        layouts: Sequence[FabricLayout],
        zones: Sequence[str],
    ) -> None:
        """Sort the interfaces into the hosts' own and the fabric's.

        The first are the hosts' own, the rest are the fabric's. Where it is not known yet which
        VPC is whose, the hosts' are those that would do least for the fabric.
        """
        self._layouts = layouts
        self._zones = zones
        self._interfaces = interfaces
        self._rdma = [interface for interface in interfaces if interface.is_rdma is True]
        self._plain = [interface for interface in interfaces if interface.is_rdma is False]
        hosts = min((layout.host_networks for layout in layouts), default=1)
        ordered = self._plain
        if not is_sure(self._plain[:hosts]):
            mtu = max((layout.mtu for layout in layouts), default=0)
            ordered = sorted(self._plain, key=lambda interface: not _is_low(interface, mtu))
        has_network_profile = any(layout.profile is not None for layout in layouts)
        self._planes = self._rdma if self._rdma or has_network_profile else ordered[hosts:]

    @property
    def count(self) -> int:
        """The number of interfaces that are part of the fabric, by their kind."""
        kinds = {layout.kind for layout in self._layouts}
        wrong = [plane for plane in self._planes if isinstance(plane.kind, str) and kinds]
        return len(self._planes) - sum(interface.kind not in kinds for interface in wrong)

    @property
    def sure(self) -> bool:
        """Whether it is known of each interface whether it carries RDMA."""
        return not any(interface.is_rdma is UNKNOWN for interface in self._interfaces)

    @property
    def hidden(self) -> bool:
        """Whether anything about their networks that could be wrong is unknown.

        One interface in a VPC of another stack is in none of this stack's; of two it is not known.
        """
        strange = [
            interface for interface in self._interfaces if isinstance(interface.vpc, Unknown)
        ]
        unread = [plane for plane in self._planes if is_strange(plane) or _mtu(plane) is UNKNOWN]
        return (
            len(strange) > 1
            or bool(unread)
            or not self.sure
            or any(
                interface.vpc.profile is UNKNOWN
                for interface in self._rdma
                if isinstance(interface.vpc, Vpc)
            )
        )

    def faults(self) -> Iterator[str]:
        """Yield the faults in the number and the kinds of interfaces."""
        for layout in self._layouts:
            yield from self._interface_count_faults(layout)
            yield from self._unsupported_interface_faults(layout)

    def network_faults(self) -> Iterator[str]:
        """Yield the faults in the networks of the interfaces."""
        yield from _shared_vpc_faults(self._plain)
        yield from self._rdma_faults()
        for layout in self._layouts:
            yield from self._mtu_faults(layout)

    def _rdma_faults(self) -> Iterator[str]:
        networks = {
            interface.vpc.key: interface.vpc
            for interface in self._rdma
            if isinstance(interface.vpc, Vpc)
        }
        if len(networks) > 1:
            yield f"RoCE interfaces are in {len(networks)} networks; they must share one"
        for vpc in networks.values():
            yield from self._profile_faults(vpc)
        subnets = Counter(
            interface.subnet.name for interface in self._rdma if interface.subnet is not None
        )
        for name, count in subnets.items():
            if count > 1:
                yield f"{count} RoCE interfaces are in one subnet ({name}); each needs its own"

    def _profile_faults(self, vpc: Vpc) -> Iterator[str]:
        profile = vpc.profile
        automatic = None if vpc.resource is None else vpc.resource.inputs.get(_AUTOMATIC, True)
        if isinstance(profile, str) and flag(automatic) is True:
            yield (
                f"the RoCE network {vpc.name} creates subnets automatically, which its "
                "profile forbids"
            )
        if profile is None:
            yield f"the network of the RoCE interfaces ({vpc.name}) has no network profile"
        if not isinstance(profile, str):
            return
        profiles = {layout.profile for layout in self._layouts if layout.profile is not None}
        for kind in profiles:
            zone = last_part(profile).removesuffix(f"-{kind}")
            if zone == last_part(profile):
                yield f"the network {vpc.name} has the profile {zone}; RoCE needs one of {kind}"
            elif self._zones and zone not in self._zones:
                zones_text = ", ".join(self._zones)
                yield f"the RoCE network {vpc.name} is in {zone}, the machines are in {zones_text}"

    def _interface_count_faults(self, layout: FabricLayout) -> Iterator[str]:
        most = layout.fabric_networks * layout.fabric_subnets
        if layout.kind == "GVNIC":
            most_interfaces = layout.host_networks + most
            if len(self._interfaces) > most_interfaces:
                yield (
                    f"{len(self._interfaces)} interfaces declared, {layout.type} supports "
                    f"{most_interfaces}"
                )
            return
        if len(self._rdma) > most:
            yield f"{len(self._rdma)} RoCE interfaces declared, {layout.type} supports {most}"
        unknown_count = sum(interface.is_rdma is UNKNOWN for interface in self._interfaces)
        least = len(self._plain)
        has_fabric = bool(self._rdma) or least > layout.host_networks
        if has_fabric and not least <= layout.host_networks <= least + unknown_count:
            yield (
                f"{least} interfaces without RDMA declared, {layout.type} requires "
                f"{layout.host_networks} (gVNIC)"
            )

    def _unsupported_interface_faults(self, layout: FabricLayout) -> Iterator[str]:
        """Yield the interfaces of a kind that the machine does not support."""
        accepted_kinds = tuple(dict.fromkeys(("GVNIC", layout.kind)))
        for number, interface in enumerate(self._interfaces):
            if isinstance(interface.kind, str) and interface.kind not in accepted_kinds:
                allowed = " and ".join(accepted_kinds)
                yield f"interface {number} is {interface.kind}, {layout.type} needs {allowed}"

    def _mtu_faults(self, layout: FabricLayout) -> Iterator[str]:
        for plane in self._planes:
            if isinstance(plane.vpc, Vpc) and _is_low(plane, layout.mtu):
                yield f"the network {plane.vpc.name} has an MTU of {_mtu(plane)}, not {layout.mtu}"


def _shared_vpc_faults(plain_interfaces: Sequence[ObservedInterface]) -> Iterator[str]:
    """Yield gVNIC interfaces that share a VPC, or are in a RoCE network."""
    vpcs = {
        interface.vpc.key: interface.vpc
        for interface in plain_interfaces
        if isinstance(interface.vpc, Vpc)
    }
    counts = Counter(
        interface.vpc.key for interface in plain_interfaces if isinstance(interface.vpc, Vpc)
    )
    for key, vpc in vpcs.items():
        if counts[key] > 1:
            yield (
                f"{counts[key]} gVNIC interfaces are in one VPC ({vpc.name}): each needs its own"
            )
        if isinstance(vpc.profile, str):
            yield f"a gVNIC interface is in the RoCE network {vpc.name}"


def is_strange(interface: ObservedInterface) -> bool:
    """Return whether an interface's VPC is in another stack, or not known yet."""
    return not isinstance(interface.vpc, Vpc) or interface.vpc.resource is None


def _mtu(interface: ObservedInterface) -> int | Unknown | None:
    """Return the MTU of an interface's VPC; None where its profile sets the right one."""
    if not isinstance(interface.vpc, Vpc) or interface.vpc.resource is None:
        return UNKNOWN
    mtu = whole_number(interface.vpc.resource.inputs.get("mtu"))
    return mtu if mtu is not None or interface.vpc.profile is not None else POOL_MTU


def _is_low(interface: ObservedInterface, minimum: int) -> bool:
    mtu = _mtu(interface)
    return isinstance(mtu, int) and mtu < minimum


def is_sure(interfaces: Sequence[ObservedInterface]) -> bool:
    """Return whether the VPC of each interface is known."""
    return all(interface.sure for interface in interfaces)
