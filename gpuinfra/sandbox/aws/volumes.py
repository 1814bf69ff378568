"""The disks of an instance, as EC2's block device mappings and from its volumes."""

from typing import Any

from gpuinfra.sandbox.aws.resource_handler import Properties, none_if_missing
from gpuinfra.sandbox.aws.shapes import to_aws, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts

_ROOT = "/dev/sda1"  # where the image does not say
# Fields of a disk that moto's volumes keep; the others stay as the program wrote them.
_DISK_ATTRIBUTES = facts("aws", "attributes")["aws:ec2/instance:Instance disks"]
_UNREADABLE = frozenset({"throughput", "deleteOnTermination", "tags", "tagsAll", "snapshotId"})


def mappings(call: Call) -> list[dict[str, Any]]:
    """Return BlockDeviceMappings for RunInstances, from the two block device inputs."""
    root = call.inputs.get("rootBlockDevice")
    disks = [*([{"deviceName": _root_name(call), **root}] if root else [])]
    disks += call.inputs.get("ebsBlockDevices") or []
    return [_mapping(call, disk) for disk in disks]


def read_back(call: Call, machine: dict[str, Any]) -> Properties:
    """Return the known disks as they exist; all of them on import or if none is declared."""
    client = call.client("ec2")
    filters = [{"Name": "attachment.instance-id", "Values": [machine["InstanceId"]]}]
    existing = {
        volume["Attachments"][0]["Device"]: volume
        for volume in client.describe_volumes(Filters=filters)["Volumes"]
    }
    root = call.inputs.get("rootBlockDevice")
    name = (root or {}).get("deviceName") or _root_name(call)
    outputs: Properties = {}
    if name in existing:
        outputs["rootBlockDevice"] = _disk(existing[name], name, root)
    known = {disk["deviceName"]: disk for disk in call.inputs.get("ebsBlockDevices") or []}
    if known:
        outputs["ebsBlockDevices"] = [
            _disk(existing[device], device, disk)
            for device, disk in known.items()
            if device in existing
        ]
    return outputs


def _mapping(call: Call, disk: Properties) -> dict[str, Any]:
    skipped = {"deviceName", "volumeId", "tags", "tagsAll"}
    ebs = to_aws(call.client("ec2"), "EbsBlockDevice", without(disk, skipped))
    return {"DeviceName": disk["deviceName"], "Ebs": ebs}


def _root_name(call: Call) -> str:
    image = call.inputs.get("ami")
    if not image:
        return _ROOT
    images = none_if_missing(
        lambda: call.client("ec2").describe_images(ImageIds=[image])["Images"]
    )
    return str(images[0].get("RootDeviceName") or _ROOT) if images else _ROOT


def _disk(volume: dict[str, Any], device: str, known: Properties | None) -> Properties:
    read = {key: volume[field] for key, field in _DISK_ATTRIBUTES.items() if field in volume}
    read |= {"deviceName": device, "volumeId": volume["VolumeId"]}
    if known is None:
        return read
    echoed = {key: value for key, value in known.items() if key in _UNREADABLE}
    return {key: value for key, value in read.items() if key in known} | echoed
