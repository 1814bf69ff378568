"""The volumes that are attached to an instance, each with its zone."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import text
from gpuinfra.model import Resource

_ATTACHMENT: Final = "aws:ec2/volumeAttachment:VolumeAttachment"


def attached_to(resource: Resource, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the name and the zone of each volume of this stack attached to an instance.

    https://docs.aws.amazon.com/ebs/latest/userguide/ebs-attaching-volume.html
    """
    for _, volume in volumes_of(resource, index):
        zone = text(volume.inputs.get("availabilityZone"))
        if isinstance(zone, str):
            yield volume.name, zone


def volumes_of(resource: Resource, index: Index) -> Iterator[tuple[str, Resource]]:
    """Yield each volume of this stack attached to an instance, after its device name."""
    if resource_types.canonical(resource.type) != resource_types.INSTANCE:
        return
    for attachment in index.referrers(resource, _ATTACHMENT, "instanceId").certain:
        for volume in index.targets(attachment, "volumeId", resource_types.VOLUME).certain:
            yield str(attachment.inputs.get("deviceName")), volume
