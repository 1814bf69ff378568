"""The regions and zones in which Azure starts no machine as it is declared."""

from collections.abc import Iterator

from gpuinfra.clouds.azure.observe import cross_region, network_paths, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.profile import ObservedInterface, Profile
from gpuinfra.clouds.azure.observe.security_groups import security_groups_of
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.model import Resource, Rung, Unknown


def of_places(
    profile: Profile, interfaces: tuple[ObservedInterface, ...] | Unknown, index: Index
) -> Iterator[str]:
    """Yield the interfaces, subnets and security groups of another region than the machines'."""
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        named = (
            *_standing_alone(interface),
            *network_paths.subnets_of(interface, index),
            *(security_groups_of(interface, index) or ()),
        )
        yield from cross_region.elsewhere(profile.resource, named, index)


def _standing_alone(interface: ObservedInterface) -> Iterator[Resource]:
    if resource_types.canonical(interface.holder.type) == resource_types.INTERFACE:
        yield interface.holder


def of_zones(rung: Rung) -> Iterator[str]:
    """Yield the zones that a region with zones does not have.

    https://learn.microsoft.com/azure/reliability/availability-zones-overview
    """
    known = REGIONS.zones(rung.region)
    for zone in rung.zones if known else ():
        if zone not in known:
            yield f"{rung.region} has no zone {zone.removeprefix(f'{rung.region}-')}"
