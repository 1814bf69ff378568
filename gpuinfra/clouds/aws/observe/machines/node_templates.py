"""Settings of an EKS node group and its launch template that EKS refuses together.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, is_present, text
from gpuinfra.model import Resource

_CUSTOM: Final = "CUSTOM"
_OTHER_SYSTEMS: Final = ("BOTTLEROCKET", "WINDOWS", _CUSTOM)
_PLAIN_SCRIPTS: Final = (b"#!", b"#cloud-config")
_TEMPLATE: Final = "launchTemplate"
_OWN: Final = {
    "diskSize": "disk_size: write the size in its block_device_mappings",
    "remoteAccess": "remote_access: write its key_name and vpc_security_group_ids",
}
"""Inputs of a node group that EKS refuses beside any launch template."""

_OF_EKS_IMAGES: Final = {
    "amiType": "ami_type",
    "version": "version",
    "releaseVersion": "release_version",
}
"""Inputs of a node group that choose an image of EKS, and are refused beside another image:
https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html"""

_FOREIGN: Final = {
    "iamInstanceProfile": "iam_instance_profile: EKS uses the node_role_arn of the node group",
    "instanceInitiatedShutdownBehavior": (
        "instance_initiated_shutdown_behavior: EKS ends the machines itself"
    ),
    "hibernationOptions": "hibernation_options: EKS ends the machines itself",
}
"""Inputs of a template that EKS refuses."""


def conflicts(resource: Resource, launches: Sequence[LaunchSources]) -> Iterator[str]:
    """Yield what EKS refuses of a node group's inputs and of its template's."""
    if resource.inputs.get(_TEMPLATE) is None:
        return
    for key, refusal_text in _OWN.items():
        if is_present(resource.inputs.get(key)) is True:
            yield f"a node group with a launch template can't have {refusal_text} instead"
    for launch in launches:
        yield from _of_template(resource, launch)


def _of_template(resource: Resource, launch: LaunchSources) -> Iterator[str]:
    types, machine = resource.inputs.get("instanceTypes"), launch.get("instanceType")
    if is_present(types) is True and as_list(types) and is_present(machine) is True:
        yield (
            f"its launch template names the instance_type {machine} and the node group names "
            "instance_types: remove one of the two"
        )
    yield from _of_image(resource, launch)
    family = text(resource.inputs.get("amiType"))
    if family is None or (isinstance(family, str) and not family.startswith(_OTHER_SYSTEMS)):
        yield from _of_script(launch)
    for key, refusal_text in _FOREIGN.items():
        if is_present(launch.get(key)) is True:
            yield f"remove from its launch template {refusal_text}"
    if any(
        is_present(at(nic, "subnetId")) is True for nic in as_list(launch.get("networkInterfaces"))
    ):
        yield (
            "remove subnet_id from network_interfaces of its launch template: the node group "
            "names the subnets"
        )


def _of_image(resource: Resource, launch: LaunchSources) -> Iterator[str]:
    if is_present(launch.get("imageId")) is not True:
        return
    for key, name in _OF_EKS_IMAGES.items():
        value = text(resource.inputs.get(key))
        if isinstance(value, str) and value != _CUSTOM:
            yield f"its launch template names an image, so remove the {name} {value}"


def _of_script(launch: LaunchSources) -> Iterator[str]:
    """Yield that a script is no archive, with which EKS could merge its own for its images."""
    script = launch.get("userData")
    if launch.get("imageId") is not None or not isinstance(script, str):
        return
    try:
        content = base64.b64decode(script, validate=True)
    except (binascii.Error, ValueError):
        return
    if content.startswith(_PLAIN_SCRIPTS):
        yield (
            "the user_data of its launch template is a plain script: write it as a MIME multi-part"
            " archive, or name an image of your own"
        )
