"""The networks, the zones and the GPUs with which no machine starts as it is declared."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from gpuinfra.clouds.gcp.machines import accelerator_fault, confidential_fault
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import locations
from gpuinfra.clouds.gcp.observe.machines.surcharges import NOT_CONFIDENTIAL, is_confidential
from gpuinfra.clouds.gcp.observe.network.cross_region import far_subnets
from gpuinfra.clouds.gcp.observe.network.networks import Vpc, interfaces_of, vpc_of
from gpuinfra.clouds.gcp.regions import REGIONS, offered_zones
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import Resource, Unknown

_MOVABLE_PLATFORMS: Final = ("AMD Milan", "AMD Genoa")


def of_places(
    resource: Resource,
    launches: Sequence[LaunchSources],
    machines: Sequence[str],
    maximum: int | Unknown,
    index: Index,
) -> Iterator[str]:
    """Yield the subnets of another region or network than the machines', bad zones and GPUs.

    Args:
        resource: what holds the machines.
        launches: the settings of each way to start one.
        machines: the types of which each machine is one.
        maximum: the maximum number of machines.
        index: the index that has the resource.
    """
    for launch in launches:
        yield from far_subnets(resource, launch, index)
    yield from _other_networks(resource, launches, index)
    yield from _of_zones(resource, machines, maximum, index)
    if len(machines) == 1:
        for launch in launches:
            yield from _of_accelerators(machines[0], launch)
            yield from _of_confidential(machines[0], launch)


def _of_accelerators(name: str, launch: LaunchSources) -> Iterator[str]:
    """Yield the GPUs that machines of a type do not take."""
    for accelerator in as_list(launch.get("guestAccelerators")):
        kind, count = text(at(accelerator, "type")), whole_number(at(accelerator, "count"))
        if isinstance(kind, str) and kind and isinstance(count, int):
            fault = accelerator_fault(name.partition("+")[0], last_part(kind), count)
            if fault:
                yield fault


def _of_confidential(name: str, launch: LaunchSources) -> Iterator[str]:
    """Yield why machines of a type can't be confidential as they are asked to be."""
    config = launch.get("confidentialInstanceConfig")
    technology = at(config, "confidentialInstanceType")
    if is_confidential(config) is not True or isinstance(technology, Unknown):
        return
    technology_name = None if technology in NOT_CONFIDENTIAL else str(technology)
    fault = confidential_fault(name.partition("+")[0], technology_name)
    if fault:
        yield fault
    yield from _of_migration(launch, technology_name)


def _of_migration(launch: LaunchSources, technology: str | None) -> Iterator[str]:
    """Yield why confidential machines can't move at host maintenance, as they are asked to.

    https://www.pulumi.com/registry/packages/gcp/api-docs/compute/instance/ (pulumi-gcp 10.2.0,
    confidentialInstanceConfig)
    """
    moves = at(launch.get("scheduling"), "onHostMaintenance") == "MIGRATE"
    platform = text(launch.get("minCpuPlatform"))
    may_move = technology in {None, "SEV"} and (
        isinstance(platform, Unknown) or platform in _MOVABLE_PLATFORMS
    )
    if moves and not may_move:
        yield (
            "a confidential machine does not start with onHostMaintenance MIGRATE: set TERMINATE, "
            f"or SEV with minCpuPlatform {' or '.join(_MOVABLE_PLATFORMS)}"
        )


def _other_networks(
    machines: Resource, launches: Sequence[LaunchSources], index: Index
) -> Iterator[str]:
    """Yield the subnets of another network than the one that is named beside them.

    https://github.com/hashicorp/terraform-provider-google/issues/7895 (clusters; machines:
    *unverified*)
    """
    for launch in launches:
        yield from _of_interfaces(launch, index)
    cluster = (
        locations.cluster_of(machines, index)
        if machines.type == resource_types.NODE_POOL
        else None
    )
    network = None if cluster is None else cluster.inputs.get("network")
    if cluster is not None and network is not None:
        subnets = index.targets(cluster, "subnetwork", resource_types.SUBNET)
        for subnet in subnets.certain if subnets.exact else ():
            yield from _pair(cluster, "network", network, subnet, index)


def _of_interfaces(launch: LaunchSources, index: Index) -> Iterator[str]:
    holder, _ = launch.stating_layer_and_value("networkInterfaces")
    interfaces = interfaces_of(launch, index)
    if holder is None or isinstance(interfaces, Unknown):
        return
    for interface in interfaces:
        network = at(interface.nic, "network")
        if interface.sure and interface.subnet is not None and network is not None:
            yield from _pair(holder, "networkInterfaces", network, interface.subnet, index)


def _pair(
    holder: Resource, prop: str, network: Any, subnet: Resource, index: Index
) -> Iterator[str]:
    """Yield that a subnet is of another network; both networks are those of this stack."""
    vpc = vpc_of(holder, prop, network, index)
    subnet_vpc = vpc_of(subnet, "network", subnet.inputs.get("network"), index)
    if not isinstance(vpc, Vpc) or not isinstance(subnet_vpc, Vpc):
        return
    if vpc.resource is not None and subnet_vpc.resource is not None and vpc.key != subnet_vpc.key:
        yield (
            f"the subnet {subnet.name} is in the network {subnet_vpc.name}, but "
            f"the interface names {vpc.name}"
        )


def _of_zones(
    resource: Resource, machines: Sequence[str], maximum: int | Unknown, index: Index
) -> Iterator[str]:
    """Yield zones that do not exist, and those without the machines where others have them.

    GKE refuses a pool with such a zone, and a regional group starts what is in the others:
    https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/issues/1738
    https://docs.cloud.google.com/compute/docs/instance-groups/regional-mig-distribution-shape
    """
    zones = locations.machine_zones(resource, index)
    region = locations.region_of(resource, index)
    yield from REGIONS.unknown_zone_faults(zones, _stated_region(resource, index) or region)
    offers = [offered_zones(machine, region) for machine in machines]
    if not (all(offers) and _is_spread(resource, len(zones), maximum)):
        return
    offering = {*chain.from_iterable(offers)}
    region_zones = [zone for zone in zones if zone in REGIONS.zones(region)]
    zones_without_it = [zone for zone in region_zones if zone not in offering]
    if zones_without_it and len(zones_without_it) < len(region_zones):
        yield (
            f"{_none_of(machines)} offered in {', '.join(zones_without_it)}: the machines of "
            f"{'this zone' if len(zones_without_it) == 1 else 'these zones'} can't start"
        )


def _stated_region(resource: Resource, index: Index) -> str | None:
    """Return the region of a node pool's cluster; None where it is not known, and for others."""
    if resource.type != resource_types.NODE_POOL:
        return None
    zone_or_region = locations.pool_place(resource, locations.cluster_of(resource, index))
    region = (
        REGIONS.of_resource({"location": zone_or_region})
        if isinstance(zone_or_region, str)
        else None
    )
    return region if isinstance(region, str) else None


def _none_of(machines: Sequence[str]) -> str:
    """Return the words that none of the machines is: `a is not`, `neither a nor b is`."""
    if len(machines) == 1:
        return f"{machines[0]} is not"
    *first, last = machines
    return f"neither {', '.join(first)} nor {last} is"


def _is_spread(resource: Resource, zones: int, maximum: int | Unknown) -> bool:
    """Return whether machines are started in each zone, whatever the zones offer."""
    if resource.type != resource_types.REGION_GROUP:
        return resource.type == resource_types.NODE_POOL
    is_even_shape = text(resource.inputs.get("distributionPolicyTargetShape")) in {None, "EVEN"}
    return is_even_shape and isinstance(maximum, int) and maximum >= zones
