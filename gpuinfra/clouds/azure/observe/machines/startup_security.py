"""The start of machines: secrets, login by a password, encryption at host, and secure boot."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.machines import capabilities
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.machines import surcharges
from gpuinfra.clouds.azure.observe.rights.long_lived_keys import extensions_of
from gpuinfra.clouds.observing.values import all_of, at, flag, text
from gpuinfra.clouds.secrets import joined_secrets, script_secrets, value_secrets
from gpuinfra.model import UNKNOWN, Known, Unknown

_SECURE_BOOT_TYPES: Final = frozenset({"TrustedLaunch", "ConfidentialVM"})
"""The security types that have secure boot:
https://learn.microsoft.com/azure/virtual-machines/trusted-launch"""

_DISK_ENCRYPTION: Final = "AzureDiskEncryption"
"""The beginning of the types of the extensions that encrypt the disks from inside a machine:
https://learn.microsoft.com/azure/virtual-machines/extensions/azure-disk-enc-linux"""


def plain_secrets(profile: Profile, index: Index) -> tuple[str, ...] | Unknown:
    """Return descriptions of the passwords and keys in scripts and plain settings.

    What is not known yet of a password is a secret, as it should be.
    """
    system = profile.get("osProfile")
    scripts = {
        "customData": at(system, "customData"),
        "userData": profile.get("userData"),
    }
    secrets = [script_secrets(script, name) for name, script in scripts.items()]
    password = at(system, "adminPassword")
    if isinstance(password, str) and password:
        secrets.append(("a password in osProfile.adminPassword",))
    for extension in extensions_of(profile, index):
        settings = at(extension, "settings")
        secrets.append(tuple(value_secrets(settings, "the settings of an extension")))
        secrets.append(script_secrets(at(settings, "script"), "the script of an extension"))
    return joined_secrets(secrets)


def password_login(profile: Profile) -> tuple[str, ...] | Unknown:
    """Return that a Linux machine accepts a password; UNKNOWN where no setting says so.

    Windows has no keys, and a disk with users of its own has no `osProfile`. A password that is
    set is accepted; no page says what holds for a machine with keys alone that leaves
    `disablePasswordAuthentication` out.
    https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update#linuxconfiguration
    """
    system = profile.get("osProfile")
    closed = flag(at(system, "linuxConfiguration", "disablePasswordAuthentication"))
    if system is None or closed is True or (closed is None and surcharges.runs_windows(profile)):
        return ()
    if closed is False:
        return ("disablePasswordAuthentication is false: login takes a password",)
    parts = (at(system, "linuxConfiguration"), at(system, "adminPassword"))
    if closed is None and None not in parts:
        return ("it has an adminPassword, and disablePasswordAuthentication is not set",)
    return UNKNOWN


def host_encrypted(profile: Profile, machines: Sequence[str], index: Index) -> Known | None:
    """Return whether temporary disks and caches are encrypted, which is off unless it is set.

    None where Azure Disk Encryption or the disks of a confidential machine may do it instead, and
    where the setting is left out and it is not known whether the size takes it:
    https://learn.microsoft.com/azure/virtual-machines/disk-encryption
    """
    stated = flag(profile.get("securityProfile", "encryptionAtHost"))
    extensions = (text(at(extension, "type")) for extension in extensions_of(profile, index))
    if stated is not True and any(
        isinstance(kind, Unknown) or str(kind).startswith(_DISK_ENCRYPTION) for kind in extensions
    ):
        return None
    if stated is not True and _encrypts_confidentially(profile):
        return None
    is_supported = all(capabilities(machine).encryption_at_host for machine in machines)
    return False if stated is None and is_supported else stated


def _encrypts_confidentially(profile: Profile) -> bool:
    """Return whether a confidential machine has an encrypted disk, which excludes the host's.

    https://registry.terraform.io/providers/hashicorp/azurerm/latest/docs/resources/linux_virtual_machine
    (*unverified*: that Azure refuses both together)
    """
    disk = at(profile.get("storageProfile"), "osDisk", "managedDisk", "securityProfile")
    return (
        text(profile.get("securityProfile", "securityType")) == "ConfidentialVM"
        and text(at(disk, "securityEncryptionType")) == "DiskWithVMGuestState"
    )


def secure_boot(profile: Profile, machines: Sequence[str]) -> Known | None:
    """Return whether machines boot securely; None where their size has no trusted launch."""
    guarded = profile.get("securityProfile")
    return boots(
        machines,
        text(at(guarded, "securityType")),
        at(guarded, "uefiSettings", "secureBootEnabled"),
    )


def pool_boots(spec: Any, machine: str) -> Known | None:
    """Return whether the nodes of an AKS pool boot securely.

    https://learn.microsoft.com/azure/aks/use-trusted-launch
    """
    enabled = at(spec, "securityProfile", "enableSecureBoot")
    return boots((machine,), "TrustedLaunch", enabled)


def boots(machines: Sequence[str], kind: str | Unknown | None, enabled: Any) -> Known | None:
    """Return whether sizes boot securely, by the declared security type and flag."""
    supported = {capabilities(machine).trusted_launch for machine in machines}
    if supported == {False}:
        return None
    is_on = flag(enabled)
    typed: Known = UNKNOWN if isinstance(kind, Unknown) else kind in _SECURE_BOOT_TYPES
    secure = all_of((typed, False if is_on is None else is_on))
    # It is not known whether such a size could.
    return UNKNOWN if supported == {None} and secure is False else secure
