"""Azure's requirements for scale sets: health, upgrades, extensions, interfaces, domains."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.sandbox.plugin.azure.input_requirement import (
    InputRequirements,
    failure_of,
    items_at,
    value_at,
)
from gpuinfra.sandbox.plugin.azure.machine_needs import PROFILE, SCALE_SET_TYPES, missing
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown

_KINDS: Final = ("ApplicationHealthLinux", "ApplicationHealthWindows", UNKNOWN)
_MOST_DOMAINS: Final = 5
_TEMPLATES: Final = "https://learn.microsoft.com/azure/templates/microsoft.compute"
_HEALTH: Final = (
    "https://learn.microsoft.com/azure/virtual-machine-scale-sets/"
    "virtual-machine-scale-sets-health-extension"
)

REQUIREMENTS = InputRequirements()


@REQUIREMENTS.register(SCALE_SET_TYPES, "https://github.com/gbowerman/azure-myriad/issues/30")
def _health_source_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield an error if rolling upgrades or repairs lack a health probe or extension."""
    extensions = value_at(inputs, f"{PROFILE}.extensionProfile.extensions")
    has_health_source = isinstance(extensions, Unknown) or any(
        isinstance(extension, Unknown)
        or (
            value_at(extension, "type") in _KINDS
            and value_at(extension, "publisher") == "Microsoft.ManagedServices"
        )
        for extension in extensions or ()
    )
    if (
        has_health_source
        or value_at(inputs, f"{PROFILE}.networkProfile.healthProbe.id") is not None
    ):
        return
    users = {
        "Rolling Upgrade mode is": value_at(inputs, "upgradePolicy.mode") == "Rolling",
        "Automatic repairs": value_at(inputs, "automaticRepairsPolicy.enabled") is True,
    }
    for words, needed in users.items():
        if needed:
            yield failure_of(
                f"{PROFILE}.extensionProfile",
                "BadRequest",
                f"{words} not supported for this Virtual Machine Scale Set because a health probe "
                "or health extension was not provided.",
            )


@REQUIREMENTS.register(SCALE_SET_TYPES, f"{_TEMPLATES}/virtualmachinescalesets")
def _extension_part_failures(inputs: Inputs) -> Iterator[Failure]:
    extension_keys = ("name", "publisher", "type", "typeHandlerVersion")
    for extension in items_at(inputs, f"{PROFILE}.extensionProfile.extensions"):
        for key in extension_keys if isinstance(extension, dict) else ():
            if value_at(extension, key) is None:
                yield missing(f"{PROFILE}.extensionProfile.extensions", f"its {key}")


@REQUIREMENTS.register(SCALE_SET_TYPES, _HEALTH)
def _health_extension_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield the settings that the health extension lacks: protocol, port, path for HTTP."""
    for extension in items_at(inputs, f"{PROFILE}.extensionProfile.extensions"):
        kind = value_at(extension, "type") if isinstance(extension, dict) else None
        if kind not in _KINDS:
            continue
        settings = value_at(extension, "settings") or {}
        protocol = value_at(settings, "protocol")
        keys = ["port"] if protocol == "tcp" else ["port", "requestPath"]
        if protocol not in ("tcp", "http", "https", UNKNOWN):
            yield Failure(f"{PROFILE}.extensionProfile", "its protocol must be tcp, http or https")
        for key in keys:
            if value_at(settings, key) is None:
                yield missing(f"{PROFILE}.extensionProfile.settings.{key}", "of the extension")


@REQUIREMENTS.register(SCALE_SET_TYPES, "https://github.com/MicrosoftDocs/azure-docs/issues/37697")
def _fault_domain_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield an error if the fault domain count is not from 1 (widest spread) to 5."""
    count = value_at(inputs, "platformFaultDomainCount")
    if isinstance(count, int | float) and not 1 <= count <= _MOST_DOMAINS:
        yield failure_of(
            "platformFaultDomainCount",
            "InvalidParameter",
            f"The specified fault domain count {count} must fall in the range 1 to "
            f"{_MOST_DOMAINS}.",
        )


@REQUIREMENTS.register(SCALE_SET_TYPES, f"{_TEMPLATES}/virtualmachinescalesets")
def _network_interface_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield an error for addresses without a subnet, or no primary interface or address."""
    network = value_at(inputs, f"{PROFILE}.networkProfile")
    if value_at(inputs, PROFILE) is None or isinstance(network, Unknown):
        return
    cards = value_at(network or {}, "networkInterfaceConfigurations")
    known = [nic for nic in cards if isinstance(nic, dict)] if isinstance(cards, list) else []
    if known and all(value_at(nic, "primary") is False for nic in known):
        yield Failure(f"{PROFILE}.networkProfile", "exactly one network interface must be primary")
    for card in known:
        addresses = [
            address
            for address in value_at(card, "ipConfigurations") or ()
            if isinstance(address, dict)
        ]
        if addresses and all(value_at(address, "primary") is False for address in addresses):
            yield Failure(
                f"{PROFILE}.networkProfile", "exactly one IP configuration must be primary"
            )
        for address in addresses:
            if value_at(address, "subnet.id") is None:
                yield missing(f"{PROFILE}.networkProfile.ipConfigurations.subnet", "of the set")
