"""The inputs of launch templates and instances that EC2 refuses, each with a replacement."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network.fabric import placement_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, flag, whole_number
from gpuinfra.model import Resource

_TEXT_KEYS_OF_DISKS: Final = {
    "encrypted": "encrypted",
    "deleteOnTermination": "delete_on_termination",
}
_TEXT_KEYS_OF_INTERFACES: Final = {
    "associatePublicIpAddress": "associate_public_ip_address",
    "associateCarrierIpAddress": "associate_carrier_ip_address",
    "deleteOnTermination": "delete_on_termination",
}
_PARTITION: Final = "partitionNumber"
_SNAPSHOT: Final = (
    "{} sets encrypted with a snapshot_id; the snapshot's encryption applies: remove encrypted, "
    "or copy the snapshot encrypted"
)


def template_faults(launches: Sequence[LaunchSources]) -> Iterator[str]:
    """Yield each fault of the templates and instances that machines start from, once."""
    layers = {layer.urn: layer for launch in launches for layer in launch.layers}
    for layer in layers.values():
        yield from _faults(layer)


def partition_faults(
    resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Iterator[str]:
    """Yield a partition number for machines in a placement group without partitions.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Placement.html (valid only if the
    strategy is set to partition)
    """
    for launch in launches:
        numbers = (launch.get("placementPartitionNumber"), at(launch.get("placement"), _PARTITION))
        strategy = placement_of(resource, launch, index)
        if any(isinstance(number, int) for number in map(whole_number, numbers)) and (
            isinstance(strategy, str) and strategy != "partition"
        ):
            yield (
                f"a partition number is set, and the placement group has the strategy {strategy}:"
                " remove the number"
            )


def _faults(layer: Resource) -> Iterator[str]:
    """Yield the faults of a template, or of an instance without one."""
    is_template = resource_types.canonical(layer.type) == resource_types.TEMPLATE
    for disk in as_list(layer.inputs.get("blockDeviceMappings")):
        ebs = at(disk, "ebs")
        if is_template:
            yield from _booleans_as_text(
                f"the disk {at(disk, 'deviceName')}", ebs, _TEXT_KEYS_OF_DISKS
            )
        if _encrypts_snapshot(ebs):
            yield _SNAPSHOT.format(f"the disk {at(disk, 'deviceName')}")
    for disk in as_list(layer.inputs.get("ebsBlockDevices")):
        if _encrypts_snapshot(disk):
            yield _SNAPSHOT.format(f"the disk {at(disk, 'deviceName')}")
    nics = as_list(layer.inputs.get("networkInterfaces"))
    for number, nic in enumerate(nics):
        if is_template:
            yield from _booleans_as_text(
                f"network interface {number}", nic, _TEXT_KEYS_OF_INTERFACES
            )
    if layer.inputs.get("vpcSecurityGroupIds") and any(at(nic, "securityGroups") for nic in nics):
        yield (
            "security groups are set on the template and on its interfaces, and EC2 "
            "accepts only one of the two: remove vpc_security_group_ids"
        )


def _booleans_as_text(prefix: str, config: Any, keys: dict[str, str]) -> Iterator[str]:
    """Yield the keys whose values are booleans where the provider's schema has strings."""
    for key, name in keys.items():
        value = at(config, key)
        if isinstance(value, bool):
            literal = str(value).lower()
            yield f'{prefix} has {name}: {literal}, which must be a string: write "{literal}"'


def _encrypts_snapshot(disk: Any) -> bool:
    return bool(at(disk, "snapshotId")) and flag(at(disk, "encrypted")) is True
