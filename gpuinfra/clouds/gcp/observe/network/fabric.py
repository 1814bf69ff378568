"""The declared fabric: interfaces, their VPCs, zone, placement, firewalls."""

from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.gcp.fabric import PLACEMENT
from gpuinfra.clouds.gcp.images import public_image
from gpuinfra.clouds.gcp.network import FabricLayout, fabric_layout
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.launch.launch_settings import scripts_of
from gpuinfra.clouds.gcp.observe.launch.placement import placement_faults, placement_of
from gpuinfra.clouds.gcp.observe.launch.purchase_options import ObservedPurchase
from gpuinfra.clouds.gcp.observe.network import cross_region, traffic
from gpuinfra.clouds.gcp.observe.network.addresses import public_address
from gpuinfra.clouds.gcp.observe.network.firewall_targets import firewall_targets_of
from gpuinfra.clouds.gcp.observe.network.firewalls import Flow
from gpuinfra.clouds.gcp.observe.network.interfaces import Interfaces, is_strange, is_sure
from gpuinfra.clouds.gcp.observe.network.networks import (
    ObservedInterface,
    Vpc,
    interfaces_of,
    subnets_on,
)
from gpuinfra.clouds.gcp.observe.storage import disks
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, any_of, text
from gpuinfra.model import UNKNOWN, Fabric, Known, Machine, Resource, Unknown
from gpuinfra.records import record

_SOFTWARE: Final = {
    "roce": "nccl-gib",
    "gpudirect-tcpx": "tcpgpudmarxd",
    "gpudirect-tcpxo": "tcpgpudmarxd",
}
"""What a machine runs besides its driver so that NCCL uses the fabric; no public image has it."""

_PEERING: Final = "gcp:compute/networkPeering:NetworkPeering"

_OS_IMAGE_PROJECTS: Final = frozenset(
    {"debian-cloud", "ubuntu-os-cloud", "rocky-linux-cloud", "centos-cloud"}
)
"""Projects of operating systems' own images, without any driver:
https://docs.cloud.google.com/compute/docs/images/os-details"""


@record(kw_only=False)
class FabricRequest:
    """The fabric-related facts of a group: the machines that it may have, and their maximum."""

    resource: Resource
    launch: LaunchSources
    machines: tuple[Machine, ...]
    market: ObservedPurchase
    most: int | Unknown


def is_declared(launch: LaunchSources, machines: Sequence[Machine], index: Index) -> Known:
    """Return whether a fabric's interfaces are declared: RDMA ones, or more than the hosts'."""
    interfaces = interfaces_of(launch, index)
    if isinstance(interfaces, Unknown):
        return UNKNOWN if any(fabric_layout(machine) for machine in machines) else False
    has_more_interfaces = any(
        len(interfaces) > layout.host_networks for layout in _layouts(machines)
    )
    return any_of((has_more_interfaces, *(interface.is_rdma for interface in interfaces)))


def fabric_of(request: FabricRequest, index: Index) -> Fabric | None:
    """Return the fabric that a group declares; None when it declares none.

    A raw stack asks by declaring the interfaces of a fabric, or half asks by putting machines that
    have one close together.
    """
    launch, machines = request.launch, request.machines
    has_fabric = is_declared(launch, machines, index)
    placement = placement_of(request.resource, launch, index)
    has_fabric_interfaces = bool(_layouts(machines))
    is_compact_placement = placement.strategy == PLACEMENT
    if has_fabric is not True and not (
        has_fabric_interfaces and (is_compact_placement or has_fabric is UNKNOWN)
    ):
        return None
    interfaces = interfaces_of(launch, index)
    known_interfaces = () if isinstance(interfaces, Unknown) else interfaces
    zones = locations.machine_zones(request.resource, index)
    checked = Interfaces(known_interfaces, _layouts(machines), zones)
    placement_messages = placement_faults(
        placement, machines, request.market, launch.get("scheduling"), request.most
    )
    networks = (
        *checked.network_faults(),
        *cross_region.far_subnets(request.resource, launch, index),
    )
    are_interfaces_unknown = isinstance(interfaces, Unknown)
    return Fabric(
        requirement="required" if has_fabric is True else "preferred",
        interfaces=checked.count if checked.sure and not are_interfaces_unknown else UNKNOWN,
        faults=(
            *rule_faults("fabric-interfaces", checked.faults()),
            *rule_faults(
                "fabric-networks",
                UNKNOWN
                if (are_interfaces_unknown or checked.hidden) and not networks
                else networks,
            ),
            *rule_faults(
                "fabric-placement",
                placement_messages,
                fix="change the placement as the message says",
            ),
        ),
        one_zone=locations.one_zone(request.resource, index),
        placement=placement.strategy,
        self_ingress=_self_open(request, known_interfaces, "INGRESS", index),
        self_egress=_self_open(request, known_interfaces, "EGRESS", index),
        public_ip=public_address(launch),
        driver_image=_driver_image(launch, machines),
        sites=_joined_vpcs(known_interfaces, index),
        placements=() if placement.policy is None else (placement.policy.urn,),
    )


def _joined_vpcs(
    interfaces: Sequence[ObservedInterface], index: Index
) -> tuple[frozenset[str], ...]:
    """Return the VPCs of a machine; empty where one is unknown or may be connected to others.

    https://docs.cloud.google.com/vpc/docs/vpc
    """
    vpcs = [interface.vpc for interface in interfaces]
    known_vpcs = [vpc for vpc in vpcs if isinstance(vpc, Vpc)]
    if not known_vpcs or len(known_vpcs) < len(vpcs) or index.of_kind(_PEERING):
        return ()
    return (
        frozenset(last_part(vpc.key) if vpc.resource is None else vpc.key for vpc in known_vpcs),
    )


def _layouts(machines: Sequence[Machine]) -> tuple[FabricLayout, ...]:
    return tuple(layout for machine in machines if (layout := fabric_layout(machine)) is not None)


def _self_open(
    request: FabricRequest,
    interfaces: Sequence[ObservedInterface],
    control_port: Flow,
    index: Index,
) -> Known | None:
    """Return whether the fabric's networks allow all traffic; None where none has a firewall.

    Several machines also meet in their main network, which counts where this stack has it. That of
    a lone machine need not be open; while it is not known which one it is, one may be closed.
    """
    has_network_profile = any(layout.profile is not None for layout in _layouts(request.machines))
    if has_network_profile or any(interface.is_rdma is True for interface in interfaces):
        return None
    firewall_targets = firewall_targets_of(request.launch, index)
    main, is_single_machine = interfaces[:1], request.most == 1
    met = (
        []
        if (is_single_machine and is_sure(main))
        else [interface for interface in main if not is_strange(interface)]
    )
    facts: list[Known] = [
        UNKNOWN
        if isinstance(interface.vpc, Unknown)
        else traffic.self_open(
            interface.vpc,
            control_port,
            subnets_on(interfaces, interface.vpc),
            firewall_targets,
            index,
        )
        for interface in (*met, *interfaces[1:])
    ]
    if is_single_machine and met and False in facts:
        facts.remove(False)
    return all_of(facts) if facts else UNKNOWN


def _driver_image(launch: LaunchSources, machines: Sequence[Machine]) -> Known:
    """Return whether the image has the driver, and a script installs NCCL's software.

    So it lacks that where every script is shown and none of them names it.
    """
    image = text(disks.boot_image(launch))
    if not isinstance(image, str) or not machines:
        return UNKNOWN
    is_for_machines = all(_serves(image, machine) for machine in machines)
    if not is_for_machines and _project(image) not in _OS_IMAGE_PROJECTS:
        return UNKNOWN
    scripts = [script for script in scripts_of(launch) if script is not None]
    known_scripts = [script for script in scripts if isinstance(script, str)]
    words = [_SOFTWARE.get(machine.fabric or "") for machine in machines]
    if all(word is not None and any(word in script for script in known_scripts) for word in words):
        return True if is_for_machines else UNKNOWN
    return False if len(known_scripts) == len(scripts) else UNKNOWN


def _serves(image: str, machine: Machine) -> bool:
    images = public_image("training", machine)
    if images is None:
        return False
    return f"projects/{images.project}/global/images/" in image and images.family in image


def _project(image: str) -> str:
    """Return the project of an image: `projects/P/global/images/…`, a link, or `P/family`."""
    _, marked, project_path = image.rpartition("projects/")
    return (project_path if marked else image).partition("/")[0]
