"""What EC2 takes in another form in a launch template, or not at all, with the way out."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import at, flag, listed
from gpuinfra.model import Resource

_OF_DISKS: Final = {"encrypted": "encrypted", "deleteOnTermination": "delete_on_termination"}
_OF_INTERFACES: Final = {
    "associatePublicIpAddress": "associate_public_ip_address",
    "associateCarrierIpAddress": "associate_carrier_ip_address",
    "deleteOnTermination": "delete_on_termination",
}
_SNAPSHOT: Final = (
    "{} sets encrypted beside a snapshot_id, which decides it: remove encrypted, or "
    "copy the snapshot encrypted"
)


def of_launch(launches: Sequence[Layers]) -> Iterator[str]:
    """Name each such thing of the templates and instances that machines start from, once."""
    layers = {layer.urn: layer for launch in launches for layer in launch.layers}
    for layer in layers.values():
        yield from _form(layer)


def _form(layer: Resource) -> Iterator[str]:
    """What a template, or an instance of its own, says in the wrong form."""
    template = kinds.canonical(layer.type) == kinds.TEMPLATE
    for disk in listed(layer.inputs.get("blockDeviceMappings")):
        ebs = at(disk, "ebs")
        if template:
            yield from _booleans(f"the disk {at(disk, 'deviceName')}", ebs, _OF_DISKS)
        if _snapshot(ebs):
            yield _SNAPSHOT.format(f"the disk {at(disk, 'deviceName')}")
    for disk in listed(layer.inputs.get("ebsBlockDevices")):
        if _snapshot(disk):
            yield _SNAPSHOT.format(f"the disk {at(disk, 'deviceName')}")
    nics = listed(layer.inputs.get("networkInterfaces"))
    for number, nic in enumerate(nics):
        if template:
            yield from _booleans(f"network interface {number}", nic, _OF_INTERFACES)
    if layer.inputs.get("vpcSecurityGroupIds") and any(at(nic, "securityGroups") for nic in nics):
        yield (
            "security groups are set on the template and on its interfaces, and EC2 "
            "accepts only one of the two: remove vpc_security_group_ids"
        )


def _booleans(where: str, config: Any, keys: dict[str, str]) -> Iterator[str]:
    for key, name in keys.items():
        value = at(config, key)
        if isinstance(value, bool):
            words = str(value).lower()
            yield f'{where} has {name}: {words}, which must be a string: write "{words}"'


def _snapshot(disk: Any) -> bool:
    return bool(at(disk, "snapshotId")) and flag(at(disk, "encrypted")) is True
