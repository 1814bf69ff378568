"""The disks of a machine: those that it declares, and those of its image."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_settings import instance_launch
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import amount, any_of, as_list, at, flag, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_IMAGES: Final = ("ami", "imageId")
_ROOT: Final = "/dev/xvda"
_RECIPE: Final = "aws:imagebuilder/imageRecipe:ImageRecipe"
ROOT_DEVICES: Final = frozenset({"/dev/sda1", _ROOT})
"""https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html"""

_UNKNOWN_NAME: Final = "of an unknown name"
"""A disk whose device is not known yet may be the root disk, which images name themselves."""

_ATTACHMENT: Final = "aws:ec2/volumeAttachment:VolumeAttachment"


@record(kw_only=False)
class ObservedDisk:
    """An EBS volume of a machine: GiB (None: the image decides), IOPS and MiB/s as written."""

    device: str
    volume: str | Unknown | None
    size: Decimal | Unknown | None
    iops: Decimal | Unknown | None
    throughput: Decimal | Unknown | None
    encrypted: Known


def disks_of(launch: LaunchSources, index: Index) -> tuple[ObservedDisk, ...] | Unknown:
    """Return the EBS disks of a machine; an undeclared root disk comes from the image.

    So do all other disks of an image, unless a mapping of the same device takes their place:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/block-device-mapping-concepts.html
    """
    return launch.memo(index, "disks", (), lambda: _disks_of(launch, index, frozenset()))


def _disks_of(
    launch: LaunchSources, index: Index, visited: frozenset[str]
) -> tuple[ObservedDisk, ...] | Unknown:
    parts = [launch.get(key) for key in ("rootBlockDevice", "ebsBlockDevices")]
    mappings = launch.get("blockDeviceMappings")
    if isinstance(mappings, Unknown) or UNKNOWN in parts:
        return UNKNOWN
    disks = list(_instance_disks(launch))
    has_own_root = any(disk.device in ROOT_DEVICES for disk in disks)
    disks += [
        disk
        for disk in _template_disks(mappings)
        if not (has_own_root and disk.device in ROOT_DEVICES)
    ]
    brought = _image_disks(launch, index, visited)
    if isinstance(brought, Unknown):
        return UNKNOWN
    replaced = {disk.device for disk in disks} | set(_devices(launch))
    if replaced & {*ROOT_DEVICES, _UNKNOWN_NAME}:
        replaced |= ROOT_DEVICES
    disks += [disk for disk in brought if disk.device not in replaced]
    if not any(disk.device in {*ROOT_DEVICES, _UNKNOWN_NAME} for disk in disks):
        disks.insert(0, ObservedDisk(_ROOT, None, None, None, None, UNKNOWN))
    return tuple(disks)


def _devices(launch: LaunchSources) -> Iterator[str]:
    """Yield the devices that a launch maps to something other than an EBS disk, or to nothing."""
    for key in ("blockDeviceMappings", "ephemeralBlockDevices"):
        for mapping in as_list(launch.get(key)):
            name = text(at(mapping, "deviceName"))
            if isinstance(name, str):
                yield name


Brought = tuple[ObservedDisk, ...] | Unknown


def _image_disks(launch: LaunchSources, index: Index, visited: frozenset[str]) -> Brought:
    """Return the disks of the image that a machine starts from, where this stack makes it.

    Of several that may be meant all count, which is never too few.
    """
    first = next(naming_images(launch), None)
    return () if first is None else _named_image_disks(*first, index, visited)


def naming_images(launch: LaunchSources) -> Iterator[tuple[Resource, str]]:
    """Yield each resource and input that names an image for a machine; the first one applies."""
    for layer in launch.layers:
        yield from ((layer, key) for key in _IMAGES if layer.inputs.get(key) is not None)


def _named_image_disks(
    resource: Resource, prop: str, index: Index, visited: frozenset[str]
) -> Brought:
    """Return the disks of the images that an input names."""
    disks: list[ObservedDisk] = []
    for kind, read in _DISK_READERS.items():
        targets = index.targets(resource, prop, kind)
        for image in (*targets.certain, *targets.possible):
            image_disks = () if image.urn in visited else read(image, index, visited | {image.urn})
            if isinstance(image_disks, Unknown):
                return UNKNOWN
            disks += image_disks
    return tuple(disks)


def _registered_image_disks(image: Resource, _index: Index, _met: frozenset[str]) -> Brought:
    root = image.inputs.get("rootDeviceName")
    image_disks = image.inputs.get("ebsBlockDevices")
    if isinstance(image_disks, Unknown):
        return UNKNOWN
    devices = ((_device_name(device), device) for device in as_list(image_disks))
    return tuple(_disk(_ROOT if name == root else name, device) for name, device in devices)


def _recipe_disks(built: Resource, index: Index, _met: frozenset[str]) -> Brought:
    recipes = index.targets(built, "imageRecipeArn", _RECIPE).certain
    mappings = [recipe.inputs.get("blockDeviceMappings") for recipe in recipes]
    if UNKNOWN in mappings:
        return UNKNOWN
    return tuple(disk for mapping in mappings for disk in _template_disks(mapping))


def _copied_image_disks(copy: Resource, index: Index, visited: frozenset[str]) -> Brought:
    """Return the disks of the image that another copies, which may encrypt them."""
    disks = _named_image_disks(copy, "sourceAmiId", index, visited)
    encrypts = flag(copy.inputs.get("encrypted")) or False
    if isinstance(disks, Unknown):
        return UNKNOWN
    return tuple(replace(disk, encrypted=any_of((disk.encrypted, encrypts))) for disk in disks)


def _machine_image_disks(image: Resource, index: Index, visited: frozenset[str]) -> Brought:
    """Return the disks of an image's source machine, with the volumes attached to it.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateImage.html
    """
    disks: list[ObservedDisk] = []
    for machine in index.targets(image, "sourceInstanceId", resource_types.INSTANCE).certain:
        machine_disks = _disks_of(instance_launch(machine, index), index, visited)
        if isinstance(machine_disks, Unknown):
            return UNKNOWN
        volumes = volumes_of(machine, index)
        disks += machine_disks
        disks += [standalone_disk(volume.inputs, device) for device, volume in volumes]
    return tuple(disks)


_DISK_READERS: Final[Mapping[str, Callable[[Resource, Index, frozenset[str]], Brought]]] = {
    "aws:ec2/ami:Ami": _registered_image_disks,
    "aws:ec2/amiFromInstance:AmiFromInstance": _machine_image_disks,
    resource_types.IMAGE_COPY: _copied_image_disks,
    "aws:imagebuilder/image:Image": _recipe_disks,
}
"""Types that make an image, and how its disks are read."""


def _instance_disks(launch: LaunchSources) -> Iterator[ObservedDisk]:
    root = launch.get("rootBlockDevice")
    if root is not None:
        yield _disk(_ROOT, root)
    for device in as_list(launch.get("ebsBlockDevices")):
        yield _disk(_device_name(device), device)


def _template_disks(mappings: Any) -> Iterator[ObservedDisk]:
    for mapping in as_list(mappings):
        ebs = at(mapping, "ebs")
        if ebs is None:
            continue
        yield _disk(_device_name(mapping), ebs)


def _device_name(mapping: Any) -> str:
    name = text(at(mapping, "deviceName"))
    return name if isinstance(name, str) else _UNKNOWN_NAME


def _disk(
    device: str, spec: Any, volume: str = "volumeType", size: str = "volumeSize"
) -> ObservedDisk:
    encrypted = flag(at(spec, "encrypted"))
    is_from_snapshot = at(spec, "snapshotId") is not None
    return ObservedDisk(
        device,
        text(at(spec, volume)),
        _volume_size(at(spec, size), spec),
        amount(at(spec, "iops")),
        amount(at(spec, "throughput")),
        (UNKNOWN if is_from_snapshot else False) if encrypted is None else encrypted,
    )


def _volume_size(size: Any, spec: Any) -> Decimal | Unknown | None:
    """Return a volume's GiB; UNKNOWN where a snapshot of any size decides."""
    gib = amount(size)
    return UNKNOWN if gib is None and at(spec, "snapshotId") is not None else gib


def standalone_disk(spec: Any, device: str = "") -> ObservedDisk:
    """Return a standalone volume as the disk that it is attached as."""
    return _disk(device, spec, "type", "size")


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
