"""The security basics that a machine's resources declare."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_settings import scripts_of
from gpuinfra.clouds.gcp.observe.network import traffic
from gpuinfra.clouds.gcp.observe.network.addresses import public_address
from gpuinfra.clouds.gcp.observe.network.firewall_targets import firewall_targets_of
from gpuinfra.clouds.gcp.observe.network.networks import interfaces_of
from gpuinfra.clouds.gcp.observe.rights.identity import is_administrator
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, is_on
from gpuinfra.clouds.secrets import joined_secrets, script_secrets, value_secrets
from gpuinfra.model import UNKNOWN, Known, Safety, Unknown

_KEY_FILE: Final = re.compile(r"-----BEGIN (?:RSA )?PRIVATE KEY-----")
"""What a service account's key file holds:
https://docs.cloud.google.com/iam/docs/keys-create-delete"""


def safety_of(launch: LaunchSources, index: Index) -> Safety:
    """Return the security basics of a group's machines.

    The metadata server always demands a header, and every disk is encrypted:
    https://docs.cloud.google.com/compute/docs/metadata/querying-metadata
    https://docs.cloud.google.com/compute/docs/disks/disk-encryption
    """
    return Safety(
        metadata_v2=True,
        hop_limit=None,  # Google Cloud has no such setting
        disks_encrypted=True,
        public_ip=public_address(launch),
        open_login=_open_login(launch, index),
        open_ports=_open_ports(launch, index),
        administrator=is_administrator(launch, index),
        long_lived_key=_carries_key(launch),
        secrets=plain_secrets(launch),
        secure_boot=is_on(at(launch.get("shieldedInstanceConfig"), "enableSecureBoot")),
        measured_boot=_measured_boot(launch),
    )


def plain_secrets(launch: LaunchSources) -> tuple[str, ...] | Unknown:
    """Return descriptions of the passwords and keys in scripts and metadata, with their lines."""
    script_secret_lists = [script_secrets(text, name) for name, text in _named_scripts(launch)]
    return joined_secrets([*script_secret_lists, *_named_values(launch.get("metadata"))])


def _named_values(metadata: Any) -> Iterator[tuple[str, ...]]:
    """Yield secrets that are the whole value of a metadata key, for example a password."""
    for key, value in metadata.items() if isinstance(metadata, Mapping) else ():
        secrets = script_secrets(value, f"metadata {key}")
        if isinstance(value, str) and not secrets:
            yield tuple(value_secrets(value.strip(), f"metadata {key}"))


def _measured_boot(launch: LaunchSources) -> Known:
    """Return whether vTPM and integrity monitoring are on, which is the default.

    https://docs.cloud.google.com/compute/shielded-vm/docs/shielded-vm
    """
    shield = launch.get("shieldedInstanceConfig")
    flags = (flag(at(shield, key)) for key in ("enableVtpm", "enableIntegrityMonitoring"))
    return all_of(True if is_on is None else is_on for is_on in flags)


def _named_scripts(launch: LaunchSources) -> Iterator[tuple[str, Any]]:
    yield "metadataStartupScript", launch.get("metadataStartupScript")
    metadata = launch.get("metadata")
    if not isinstance(metadata, Mapping):
        yield "metadata", metadata
        return
    for key, value in metadata.items():
        yield f"metadata {key}", value


def _open_login(launch: LaunchSources, index: Index) -> Known:
    interfaces = interfaces_of(launch, index)
    if isinstance(interfaces, Unknown):
        return UNKNOWN
    firewall_targets = firewall_targets_of(launch, index)
    vpcs_by_key = {
        interface.vpc.key: interface.vpc
        for interface in interfaces
        if not isinstance(interface.vpc, Unknown)
    }
    unknown_vpcs = [UNKNOWN for interface in interfaces if isinstance(interface.vpc, Unknown)]
    open_facts = (traffic.login_open(vpc, firewall_targets, index) for vpc in vpcs_by_key.values())
    return any_of((*unknown_vpcs[:1], *open_facts))


def _open_ports(launch: LaunchSources, index: Index) -> tuple[str, ...]:
    interfaces, firewall_targets = interfaces_of(launch, index), firewall_targets_of(launch, index)
    known_interfaces = () if isinstance(interfaces, Unknown) else interfaces
    vpcs = {
        interface.vpc.key: interface.vpc
        for interface in known_interfaces
        if not isinstance(interface.vpc, Unknown)
    }
    return tuple(
        port_text
        for vpc in vpcs.values()
        for port_text in traffic.open_ports(vpc, firewall_targets, index)
    )


def _carries_key(launch: LaunchSources) -> Known:
    return any_of(_holds_key(script) for script in scripts_of(launch) if script is not None)


def _holds_key(script: Any) -> Known:
    return bool(_KEY_FILE.search(script)) if isinstance(script, str) else UNKNOWN
