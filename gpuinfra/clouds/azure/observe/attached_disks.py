"""The managed disks that are attached to a machine, each with its zone."""

from collections.abc import Iterator

from gpuinfra.clouds.azure.observe import locations, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch_settings import Profile
from gpuinfra.clouds.observing.values import as_list, at


def attached_to(profile: Profile, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the name and the zone of each zonal disk of this stack attached to a machine.

    https://learn.microsoft.com/azure/virtual-machines/disks-redundancy
    """
    resource = profile.resource
    if resource_types.canonical(resource.type) != resource_types.MACHINE:
        return
    for data_disk in as_list(profile.get("storageProfile", "dataDisks")):
        named = at(data_disk, "managedDisk", "id")
        targets = (
            index.targets(resource, "storageProfile", resource_types.DISK, [named])
            if named
            else None
        )
        for disk in () if targets is None else targets.certain:
            region = locations.region_of(disk, index)
            zones = locations.zones_of(disk.inputs.get("zones"), region)
            if len(zones) == 1:
                yield disk.name, zones[0]
