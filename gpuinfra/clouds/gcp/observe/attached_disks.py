"""The disks that are attached to an instance, each with its zone."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.locations import zone_name, zone_of
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource

_ATTACHMENT: Final = "gcp:compute/attachedDisk:AttachedDisk"


def attached_to(resource: Resource, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the name and the zone of each zonal disk of this stack attached to an instance.

    https://docs.cloud.google.com/compute/docs/disks/add-persistent-disk
    """
    if resource_types.canonical(resource.type) not in {
        resource_types.INSTANCE,
        resource_types.INSTANCE_FROM_TEMPLATE,
    }:
        return
    disks = [at(entry, "source") for entry in as_list(resource.inputs.get("attachedDisks"))]
    named = [
        index.targets(resource, "attachedDisks", resource_types.DISK, source)
        for source in disks
        if source
    ]
    named += [
        index.targets(attachment, "disk", resource_types.DISK)
        for attachment in index.referrers(resource, _ATTACHMENT, "instance").certain
    ]
    for disk in (target for targets in named for target in targets.certain):
        zone = zone_name(zone_of(disk))
        if zone is not None:
            yield disk.name, zone
