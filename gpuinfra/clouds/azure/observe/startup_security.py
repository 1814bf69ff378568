"""The start of machines: secrets in plain scripts, and secure boot."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.azure.machines import capabilities
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch_settings import Profile
from gpuinfra.clouds.azure.observe.long_lived_keys import extensions_of
from gpuinfra.clouds.observing.values import all_of, at, flag, text
from gpuinfra.clouds.secrets import joined_secrets, script_secrets, value_secrets
from gpuinfra.model import UNKNOWN, Known, Unknown

_SECURE_BOOT_TYPES: Final = frozenset({"TrustedLaunch", "ConfidentialVM"})
"""The security types that have secure boot:
https://learn.microsoft.com/azure/virtual-machines/trusted-launch"""


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
    able = {capabilities(machine).trusted_launch for machine in machines}
    if able == {False}:
        return None
    is_on = flag(enabled)
    typed: Known = UNKNOWN if isinstance(kind, Unknown) else kind in _SECURE_BOOT_TYPES
    secure = all_of((typed, False if is_on is None else is_on))
    # It is not known whether such a size could.
    return UNKNOWN if able == {None} and secure is False else secure
