"""Long-lived keys: in a machine's scripts, or of the data it uses."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.rights.identity import principals
from gpuinfra.clouds.azure.payload import unpack_custom_data
from gpuinfra.clouds.observing.fault_texts import faults_of_checks
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_ACCOUNT_KEY: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])")
"""The 64 bytes of a storage account's key in base64:
https://learn.microsoft.com/azure/storage/common/storage-account-keys-manage"""

_SHARED_ACCESS: Final = re.compile(
    r"sig=(?<![A-Za-z0-9]sig=)(?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:=|%3[Dd])"
)
"""The signature of a shared access token, 32 bytes in base64 as a URL has them:
https://learn.microsoft.com/rest/api/storageservices/create-service-sas"""

_KEY_SETTING: Final = "storageaccountkey"
_SCRIPT_SETTING: Final = "script"
"""A key, and a script in base64 that may be compressed:
https://learn.microsoft.com/azure/virtual-machines/extensions/custom-script-linux"""

_EXTENSIONS: Final = {
    resource_types.MACHINE: (resource_types.MACHINE_EXTENSION, "vmName"),
    resource_types.SCALE_SET: (resource_types.SCALE_SET_EXTENSION, "vmScaleSetName"),
}


def long_lived_key(profile: Profile, index: Index) -> Known:
    """Return whether the machines' scripts or extensions contain a key."""
    system = profile.get("osProfile")
    scripts = [at(system, "customData"), profile.get("userData")]
    return any_of(
        (
            *(_data_shows_key(script) for script in scripts if script is not None),
            *_extensions(profile, index),
        )
    )


def opened_by_keys(resource: Resource, index: Index) -> tuple[str, ...] | Unknown:
    """Return the storage accounts with a role for the machines that also accept account keys.

    While it is not known which identities they are, or on what they have a role, it may be any
    account.
    """
    return faults_of_checks(_data(resource, index))


def _opened_by_keys(account: Resource) -> Known:
    """Return whether a storage account accepts its keys, which is the default."""
    allowed = flag(account.inputs.get("allowSharedKeyAccess"))
    return True if allowed is None else allowed


def extensions_of(profile: Profile, index: Index) -> Iterator[Any]:
    """Yield each extension of the machines, inline or as a separate resource."""
    yield from as_list(profile.get("extensionProfile", "extensions"))
    kind, prop = _EXTENSIONS.get(resource_types.canonical(profile.resource.type), ("", ""))
    extensions = index.referrers(profile.resource, kind, prop) if kind else None
    yield from (extension.inputs for extension in (extensions.certain if extensions else ()))


def _extensions(profile: Profile, index: Index) -> Iterator[Known]:
    for extension in extensions_of(profile, index):
        yield from (_in_settings(at(extension, key)) for key in ("settings", "protectedSettings"))


def _in_settings(settings: Any) -> Known:
    if isinstance(settings, Unknown):
        return UNKNOWN
    if isinstance(settings, Mapping):
        if any(str(key).lower() == _KEY_SETTING for key in settings):
            return True
        return any_of(
            _data_shows_key(value) if str(key).lower() == _SCRIPT_SETTING else _in_settings(value)
            for key, value in settings.items()
        )
    if isinstance(settings, (list, tuple)):
        return any_of(_in_settings(setting) for setting in settings)
    return _data_shows_key(settings) is True if isinstance(settings, str) else False


def _data_shows_key(data: Any) -> Known:
    """Return whether a script or its base64 contains a key; UNKNOWN for data that is no text."""
    if not isinstance(data, str):
        return UNKNOWN
    if _shows_key(data):
        return True
    try:
        packed = base64.b64decode(data.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return False  # no base64, so the script itself
    try:
        return _shows_key(unpack_custom_data(packed).decode())
    except ValueError:
        return UNKNOWN


def _shows_key(script: str) -> bool:
    return any(key.search(script) for key in (_ACCOUNT_KEY, _SHARED_ACCESS))


def _data(resource: Resource, index: Index) -> Iterator[tuple[Known, str]]:
    """Yield whether keys open each storage account on which the machines have a role."""
    doubt = False
    for principal in principals(resource, index):
        if isinstance(principal, Unknown):
            doubt = True
            continue
        grants, complete = index.grants(principal)
        doubt = doubt or not complete
        for grant in grants:
            accounts, all_known = _accounts(grant, index)
            doubt = doubt or not all_known
            yield from ((_opened_by_keys(account), account.name) for account in accounts)
    if (
        doubt
        and any_of(_opened_by_keys(account) for account in index.of_kind(resource_types.ACCOUNT))
        is not False
    ):
        yield UNKNOWN, ""


def _accounts(grant: Resource, index: Index) -> tuple[tuple[Resource, ...], bool]:
    """Return the storage accounts of this stack that a role covers, and whether they are all."""
    accounts = index.targets(grant, "scope", resource_types.ACCOUNT)
    containers = index.targets(grant, "scope", resource_types.CONTAINER)
    account_targets_above = [
        index.targets(resource, "accountName", resource_types.ACCOUNT)
        for resource in containers.certain
    ]
    resources = (
        *accounts.certain,
        *(account for targets in account_targets_above for account in targets.certain),
    )
    is_known = isinstance(grant.inputs.get("scope"), str) or accounts.exact or containers.exact
    is_known = is_known and not (accounts.namesakes or containers.namesakes)
    return resources, is_known and all(
        account_targets.exact for account_targets in account_targets_above
    )
