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
from gpuinfra.clouds.aws.observe.storage import disks_of
from gpuinfra.clouds.aws.payload import unpacked
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import all_of, any_of, at, equals, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Safety, Unknown

_ACCESS_KEY: Final = re.compile(r"\bAKIA[0-9A-Z]{16}\b")
"""IAM's unique-id prefix of a long-lived key:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"""


def safety_of(resource: Resource, launch: Layers, index: Index) -> Safety:
    """Return the security basics of a group's machines."""
    return Safety(
        metadata_v2=_metadata_v2(launch),
        disks_encrypted=_encrypted(launch, index),
        public_ip=any_of((_elastic(resource, index), public_address(resource, launch, index))),
        open_login=_open_login(launch, index),
        administrator=is_administrator(launch, index),
        long_lived_key=_long_lived_key(launch),
    )


def _metadata_v2(launch: Layers) -> Known:
    options = launch.get("metadataOptions")
    return any_of(
        (
            equals(at(options, "httpTokens"), "required"),
            equals(at(options, "httpEndpoint"), "disabled"),
        )
    )


def _encrypted(launch: Layers, index: Index) -> Known:
    disks = disks_of(launch)
    if isinstance(disks, Unknown):
        return UNKNOWN
    by_default = any_of(
        UNKNOWN
        if isinstance(value := flag(one.inputs.get("enabled")), Unknown)
        else value is not False
        for one in index.of(kinds.ENCRYPTION_DEFAULT)
    )
    return all_of(any_of((by_default, disk.encrypted)) for disk in disks)


def _elastic(resource: Resource, index: Index) -> Known:
    if resource.type != kinds.INSTANCE:
        return False
    found = [
        index.referrers(resource, kinds.EIP, "instance"),
        index.referrers(resource, kinds.EIP_ASSOCIATION, "instanceId"),
    ]
    return any_of(True if one.certain else (False if one.complete else UNKNOWN) for one in found)


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
    scripts = [launch.get(key) for key in ("userData", "userDataBase64")]
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
