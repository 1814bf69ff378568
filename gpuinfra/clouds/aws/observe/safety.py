"""The security basics that a machine's resources declare."""

import base64
import binascii
import re
from typing import Any, Final

from gpuinfra.clouds.aws.observe import kinds, traffic
from gpuinfra.clouds.aws.observe.fabric import public_address
from gpuinfra.clouds.aws.observe.identity import is_administrator
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import interfaces_of, security_groups
from gpuinfra.clouds.aws.observe.storage import by_default, disks_of
from gpuinfra.clouds.aws.payload import unpacked
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import all_of, any_of, at, equals, whole
from gpuinfra.clouds.secrets import in_script, together
from gpuinfra.model import UNKNOWN, Known, Resource, Safety, Unknown

_SCRIPTS: Final = ("userData", "userDataBase64")
_ONE_HOP: Final = 1
_ACCESS_KEY: Final = re.compile(r"\bAKIA[0-9A-Z]{16}\b")
"""IAM's unique-id prefix of a long-lived key:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"""


def safety_of(resource: Resource, launch: Layers, index: Index) -> Safety:
    """Return the security basics of a group's machines."""
    return Safety(
        metadata_v2=_metadata_v2(launch),
        hop_limit=_hop_limit(resource, launch),
        disks_encrypted=_encrypted(launch, index),
        public_ip=any_of((_elastic(resource, index), public_address(resource, launch, index))),
        open_login=any_of((_open_to_ssh(resource), _open_login(launch, index))),
        administrator=is_administrator(resource, launch, index),
        long_lived_key=_long_lived_key(launch),
        secrets=together([in_script(launch.get(key), key) for key in _SCRIPTS]),
        secure_boot=None,  # EC2 has no such setting: the image says
    )


def _metadata_v2(launch: Layers) -> Known:
    options = launch.get("metadataOptions")
    return any_of(
        (
            equals(at(options, "httpTokens"), "required"),
            equals(at(options, "httpEndpoint"), "disabled"),
        )
    )


def _hop_limit(resource: Resource, launch: Layers) -> int | Unknown | None:
    """How far metadata answers; one hop where nobody says more.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateInstanceMetadataOptionsRequest.html
    EKS makes the template of a node group that names none, and says nothing here.
    """
    options = launch.get("metadataOptions")
    if equals(at(options, "httpEndpoint"), "disabled") is True:
        return None
    if not launch.layers and resource.type == kinds.NODE_GROUP:
        return UNKNOWN
    said = whole(at(options, "httpPutResponseHopLimit"))
    return _ONE_HOP if said is None else said


def _encrypted(launch: Layers, index: Index) -> Known:
    """Whether every disk is that comes with the machine; others are rows of their own."""
    disks = disks_of(launch)
    if isinstance(disks, Unknown):
        return UNKNOWN
    default = by_default(index)
    return all_of(any_of((default, disk.encrypted)) for disk in disks)


def _elastic(resource: Resource, index: Index) -> Known:
    if resource.type != kinds.INSTANCE:
        return False
    found = [
        index.referrers(resource, kinds.EIP, "instance"),
        index.referrers(resource, kinds.EIP_ASSOCIATION, "instanceId"),
    ]
    return any_of(True if one.certain else (False if one.complete else UNKNOWN) for one in found)


def _open_to_ssh(resource: Resource) -> Known:
    """A node group with an SSH key and nobody named who may use it is open to the world.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_RemoteAccessConfig.html
    """
    access = resource.inputs.get("remoteAccess")
    if resource.type != kinds.NODE_GROUP or at(access, "ec2SshKey") is None:
        return False
    named = at(access, "sourceSecurityGroupIds")
    return UNKNOWN if isinstance(named, Unknown) else not named


def _open_login(launch: Layers, index: Index) -> Known:
    nics = interfaces_of(launch)
    if isinstance(nics, Unknown) or not nics:
        return security_groups(launch, index).some(lambda sg: traffic.login_open(sg, index))
    verdicts: dict[str, Known] = {}

    def opens(group: Resource) -> Known:
        if group.urn not in verdicts:
            verdicts[group.urn] = traffic.login_open(group, index)
        return verdicts[group.urn]

    return any_of(security_groups(launch, index, nic).some(opens) for nic in nics)


def _long_lived_key(launch: Layers) -> Known:
    scripts = [launch.get(key) for key in _SCRIPTS]
    return any_of(_holds_key(script) for script in scripts if script is not None)


def _holds_key(script: Any) -> Known:
    if not isinstance(script, str):
        return UNKNOWN
    try:
        data = base64.b64decode(script, validate=True)
    except (binascii.Error, ValueError):
        data = b""  # no base64, so the script itself
    try:
        decoded = unpacked(data).decode("utf-8", "replace")
    except ValueError:
        return UNKNOWN
    return bool(_ACCESS_KEY.search(script) or _ACCESS_KEY.search(decoded))
