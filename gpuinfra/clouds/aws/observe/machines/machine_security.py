"""The security basics that a machine's resources declare."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import container_hosts, node_images, standalone_interfaces
from gpuinfra.clouds.aws.observe.network import ipv6, security_groups, traffic
from gpuinfra.clouds.aws.observe.network.fabric import public_address
from gpuinfra.clouds.aws.observe.rights.identity import is_administrator
from gpuinfra.clouds.aws.observe.storage.disk_rows import is_encrypted_by_default
from gpuinfra.clouds.aws.observe.storage.disks import ROOT_DEVICES, disks_of, naming_images
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    whole_number,
)
from gpuinfra.clouds.secrets import (
    AWS_SECRET_KEY,
    found_in,
    joined_secrets,
    script_secrets,
    texts_of,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Safety, Unknown

_SCRIPTS: Final = ("userData", "userDataBase64")
_ROOT: Final = "rootBlockDevice"
_DISKS: Final = "ebsBlockDevices"
_ACCESS_KEY: Final = re.compile(r"AKIA(?<=\bAKIA)[0-9A-Z]{16}\b")
"""IAM's unique-id prefix of a long-lived key, which comes first in the pattern, for a search looks
for it then at once, and not for a boundary at each character of a script:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"""

_SAYS_NOTHING: Final = (None, "no-preference")


def safety_of(resource: Resource, launch: LaunchSources, index: Index) -> Safety:
    """Return the security basics of a group's machines."""
    return Safety(
        metadata_v2=_metadata_v2(resource, launch, index),
        hop_limit=_hop_limit(launch),
        runs_containers=container_hosts.runs_containers(resource, index),
        disks_encrypted=_are_disks_encrypted(resource, launch, index),
        public_ip=any_of(
            (
                _elastic(resource, index),
                public_address(resource, launch, index),
                ipv6.is_reached(resource, launch, index),
            )
        ),
        open_login=any_of((_open_to_ssh(resource), _open_login(resource, launch, index))),
        open_ports=tuple(dict.fromkeys(_open_ports(resource, launch, index))),
        administrator=is_administrator(resource, launch, index),
        long_lived_key=_long_lived_key(launch),
        secrets=plain_secrets(launch),
        secure_boot=None,  # EC2 has no such setting: the image says
    )


def plain_secrets(launch: LaunchSources) -> tuple[str, ...] | Unknown:
    """Return descriptions of the passwords and keys in start-up scripts, with their lines."""
    return joined_secrets([script_secrets(launch.get(key), key) for key in _SCRIPTS])


def _metadata_v2(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether metadata requires a token, by the machine, else the account, else the image.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-options-order-of-precedence.html
    """
    options = launch.get("metadataOptions")
    tokens = at(options, "httpTokens")
    tokens = _shown_tokens(resource) if tokens is None else tokens
    demanded: Known | None = None if tokens is None else equals(tokens, "required")
    if demanded is None:
        by_image = node_images.demands_tokens(resource, launch, index)
        by_account = _account_demands_tokens(resource, index, by_image)
        demanded = by_image if by_account is None else by_account
    return any_of((demanded, equals(at(options, "httpEndpoint"), "disabled")))


def _account_demands_tokens(machine: Resource, index: Index, image_answer: Known) -> Known | None:
    """Return whether the account's default requires an IMDS token; None if it is not set.

    Where it may not hold it is known only if it says the same as the image.
    """
    demanded: Known | None = None
    for default in index.of_kind(resource_types.METADATA_DEFAULTS):
        from gpuinfra.clouds.aws.observe.launch.account_defaults import is_default_in_force  # noqa: PLC0415  (few have any)

        tokens = default.inputs.get("httpTokens")
        in_force = is_default_in_force(default, "httpTokens", machine, index)
        if tokens not in _SAYS_NOTHING and in_force is not False:
            requires_tokens = equals(tokens, "required")
            if in_force is not True and requires_tokens is not image_answer:
                requires_tokens = UNKNOWN
            # The last made holds.
            demanded = requires_tokens if demanded in {None, requires_tokens} else UNKNOWN
    return demanded


def _hop_limit(launch: LaunchSources) -> int | Unknown | None:
    """Return the hop limit of metadata; UNKNOWN where the account or the image decides.

    One hop where these say nothing, two from an image that demands IMDSv2, for example AL2023:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Image.html
    """
    options = launch.get("metadataOptions")
    if equals(at(options, "httpEndpoint"), "disabled") is True:
        return None
    hops = whole_number(at(options, "httpPutResponseHopLimit"))
    return UNKNOWN if hops is None else hops


def _shown_tokens(resource: Resource) -> str | None:
    """Return a machine's token setting in the state, if no input states it; None without one.

    An update leaves a setting that it does not state as it is. That tokens are required counts
    only where the update changes nothing stated about them.
    """
    tokens = _value_in_state(resource, "metadataOptions", "httpTokens")
    stays_as_shown = tokens != "required" or _never_changes(
        resource, "metadataOptions", "httpTokens"
    )
    return tokens if stays_as_shown and isinstance(tokens, str) else None


def _value_in_state(resource: Resource, *path: str) -> Any:
    """Return a machine's value of a setting in the state; None without one."""
    is_instance = resource_types.canonical(resource.type) == resource_types.INSTANCE
    return at(resource.outputs, *path) if is_instance else None


def _never_changes(resource: Resource, *path: str) -> bool:
    """Return whether a setting keeps its value in every update of the resource."""
    return resource.before is None or at(resource.before, *path) == at(resource.inputs, *path)


def _shown_encrypted(resource: Resource) -> Known | None:
    """Return whether a machine's disks are encrypted in the state; None unless known for all.

    An update that changes the size of the root disk, for example, leaves it encrypted or not.
    """
    declared_disks, attached = resource.inputs.get(_DISKS), _value_in_state(resource, _DISKS)
    root, other_disks = (
        _never_changes(resource, _ROOT, "encrypted"),
        _never_changes(resource, _DISKS),
    )
    disks = [
        *([_value_in_state(resource, _ROOT)] if root else ()),
        *(as_list(attached) if other_disks else ()),
    ]
    values = [at(disk, "encrypted") for disk in disks]
    if False in values:
        return False
    tells = root and other_disks and len(as_list(attached)) >= len(as_list(declared_disks))
    return True if tells and all(encrypted is True for encrypted in values) else None


def _are_disks_encrypted(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether every disk that comes with the machine is encrypted."""
    values_in_state = _shown_encrypted(resource)
    if values_in_state is not None:
        return values_in_state
    disks = disks_of(launch, index)
    if isinstance(disks, Unknown):
        return UNKNOWN
    default, copied = is_encrypted_by_default(resource, index), _image_encrypted(launch, index)
    return all_of(
        any_of((default, disk.encrypted, disk.device in ROOT_DEVICES and copied)) for disk in disks
    )


def _image_encrypted(launch: LaunchSources, index: Index) -> bool:
    """Return whether a machine starts from an image copy that this stack encrypts.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/AMIEncryption.html
    """
    copies = [
        copy
        for layer, key in naming_images(launch)
        for copy in index.targets(layer, key, resource_types.IMAGE_COPY).certain
    ]
    return bool(copies) and all(flag(copy.inputs.get("encrypted")) is True for copy in copies)


def _elastic(resource: Resource, index: Index) -> Known:
    if resource.type != resource_types.INSTANCE:
        return False
    target_lists = [
        index.referrers(resource, resource_types.EIP, "instance"),
        index.referrers(resource, resource_types.EIP_ASSOCIATION, "instanceId"),
        standalone_interfaces.attached_to_interfaces(
            resource, index, resource_types.EIP, "networkInterface"
        ),
        standalone_interfaces.attached_to_interfaces(
            resource, index, resource_types.EIP_ASSOCIATION, "networkInterfaceId"
        ),
    ]
    return any_of(
        True if targets.certain else (False if targets.complete else UNKNOWN)
        for targets in target_lists
    )


def _open_to_ssh(resource: Resource) -> Known:
    """Return whether a node group with an SSH key names no security groups, so is open to all.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_RemoteAccessConfig.html
    """
    access = resource.inputs.get("remoteAccess")
    if resource.type != resource_types.NODE_GROUP or at(access, "ec2SshKey") is None:
        return False
    group_ids = at(access, "sourceSecurityGroupIds")
    return opposite(group_ids)


def _open_login(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    verdicts: dict[str, Known] = {}

    def opens_login(group: Resource) -> Known:
        if group.urn not in verdicts:
            verdicts[group.urn] = traffic.login_open(group, index)
        return verdicts[group.urn]

    if _has_group_of_cluster(resource, launch):
        return traffic.login_open_elsewhere(index)
    return any_of(
        targets.any_target(opens_login)
        for targets in security_groups.security_groups_of(resource, launch, index)
    )


def _open_ports(resource: Resource, launch: LaunchSources, index: Index) -> Iterator[str]:
    for targets in security_groups.security_groups_of(resource, launch, index):
        for group in targets.certain:
            yield from traffic.open_ports(group, index)


def _has_group_of_cluster(resource: Resource, launch: LaunchSources) -> bool:
    """Return whether machines are in the security group that EKS creates for their cluster.

    So do those of a node group whose template names none. Only the group itself gets in:
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    if resource_types.canonical(resource.type) != resource_types.NODE_GROUP or launch.hidden:
        return False
    network_keys = ("networkInterfaces", "vpcSecurityGroupIds", "securityGroupNames")
    return all(launch.get(key) is None for key in network_keys)


def _long_lived_key(launch: LaunchSources) -> Known:
    scripts = [launch.get(key) for key in _SCRIPTS]
    return any_of(_holds_key(script) for script in scripts if script is not None)


def _holds_key(script: Any) -> Known:
    if not isinstance(script, str):
        return UNKNOWN
    texts = texts_of(script)
    if isinstance(texts, Unknown):
        return UNKNOWN
    return any(_shows_key(text) for text in (script, *texts))


def _shows_key(text: str) -> bool:
    """Return whether a text contains an access key's id, or a secret key by its name."""
    if _ACCESS_KEY.search(text):
        return True
    return any(kind == AWS_SECRET_KEY for _, kind in found_in(text))
