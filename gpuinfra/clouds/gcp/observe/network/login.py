"""The logins to machines: with the user's own identity, with keys, or at a console."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, home_of
from gpuinfra.clouds.observing.fault_texts import all_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.model import UNKNOWN, Resource, Unknown

_YES: Final = frozenset({"true", "1", "y", "yes"})
"""What switches a flag of the metadata on, in any case:
https://docs.cloud.google.com/compute/docs/metadata/setting-custom-metadata#boolean"""


_KEYS: Final = ("ssh-keys", "sshKeys")
"""What of the metadata lets keys in:
https://docs.cloud.google.com/compute/docs/connect/add-ssh-keys"""


_LOGIN_ROLES: Final = frozenset(
    {"roles/compute.osLogin", "roles/compute.osAdminLogin", "roles/iap.tunnelResourceAccessor"}
)
"""https://docs.cloud.google.com/compute/docs/oslogin/set-up-oslogin"""


def is_login_by_ssh(launch: LaunchSources) -> bool:
    """Return whether a login, if any, surely is by SSH, with no serial console instead."""
    metadata = _items(launch)
    over_ssh = _metadata_flag(metadata, "enable-oslogin") is True or _has_keys(metadata)
    return over_ssh and _metadata_flag(metadata, "serial-port-enable") in (None, False)


def is_login_meant(launch: LaunchSources, index: Index) -> bool:
    """Return whether the stack lets people log in: by keys, or by a role that it grants.

    OS Login alone is a safeguard: without it, keys of the project allow logins.
    """
    return _has_keys(_items(launch)) or index.memo(
        "a role for logins",
        lambda: any(str(resource.inputs.get("role")) in _LOGIN_ROLES for resource in index),
    )


def _items(launch: LaunchSources) -> Mapping[str, Any]:
    metadata = launch.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _has_keys(metadata_items: Mapping[str, Any]) -> bool:
    return any(metadata_items.get(key) for key in _KEYS)


def login_faults(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> tuple[str, ...] | Unknown:
    """Return the login faults of machines, with their project's metadata included."""
    shared = _project_metadata(resource, index)
    return all_faults(*(_login_faults(launch, shared) for launch in launches))


def _project_metadata(machine: Resource, index: Index) -> Mapping[str, Any]:
    """Return the metadata that this stack gives to all machines of a project.

    A machine's own values win: https://docs.cloud.google.com/compute/docs/metadata/overview
    (2026-11-26, not re-read: unverified)
    """
    if isinstance(machine.inputs.get("project"), Unknown):
        return {}
    return index.memo("metadata of projects", lambda: _metadata_by_project(index)).get(
        home_of(machine), {}
    )


def _metadata_by_project(index: Index) -> Mapping[str | None, Mapping[str, Any]]:
    """Return the metadata of the known projects."""
    metadata: dict[str | None, dict[str, Any]] = {}
    for kind in (resource_types.PROJECT_METADATA, resource_types.PROJECT_METADATA_ITEM):
        for resource in index.of_kind(kind):
            if not isinstance(resource.inputs.get("project"), Unknown):
                metadata.setdefault(home_of(resource), {}).update(_entries(resource.inputs))
    return metadata


def _entries(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    key, metadata = inputs.get("key"), inputs.get("metadata")
    if isinstance(key, str):
        return {key: inputs.get("value")}
    return metadata if isinstance(metadata, Mapping) else {}


def _login_faults(launch: LaunchSources, shared: Mapping[str, Any]) -> tuple[str, ...] | Unknown:
    """Return the logins that check no identity; UNKNOWN where the project decides.

    With OS Login, keys in the metadata are not read, those of the project included:
    https://docs.cloud.google.com/compute/docs/oslogin/set-up-oslogin
    """
    metadata = launch.get("metadata")
    if isinstance(metadata, Unknown):
        return UNKNOWN
    metadata_items = {**shared, **(metadata if isinstance(metadata, Mapping) else {})}
    faults = tuple(_faults(metadata_items))
    return faults or (
        UNKNOWN if _metadata_flag(metadata_items, "enable-oslogin") in (None, UNKNOWN) else ()
    )


def _faults(metadata_items: Mapping[str, Any]) -> Iterator[str]:
    by_identity = _metadata_flag(metadata_items, "enable-oslogin")
    if by_identity is False:
        yield (
            "SSH keys of the project and of the machine allow logins: enable-oslogin is not TRUE"
        )
    if _metadata_flag(metadata_items, "serial-port-enable") is True:
        yield (
            "its serial console is on, which bypasses every firewall: set "
            "serial-port-enable to FALSE"
        )


def _metadata_flag(metadata_items: Mapping[str, Any], key: str) -> bool | Unknown | None:
    value = metadata_items.get(key)
    if value is None or isinstance(value, Unknown):
        return value
    return str(value).lower() in _YES
