"""What Azure demands of scale sets: health, upgrades, extensions, interfaces, fault domains."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.sandbox.plugin.azure.demand import MachineDemand, given, listed, refused
from gpuinfra.sandbox.plugin.azure.machine_needs import PROFILE, SET, missing
from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown

Inputs = Mapping[str, Any]

_KINDS: Final = ("ApplicationHealthLinux", "ApplicationHealthWindows", UNKNOWN)
_MOST_DOMAINS: Final = 5
_TEMPLATES: Final = "https://learn.microsoft.com/azure/templates/microsoft.compute"
_HEALTH: Final = (
    "https://learn.microsoft.com/azure/virtual-machine-scale-sets/"
    "virtual-machine-scale-sets-health-extension"
)


def _health_is_told(inputs: Inputs) -> Iterator[Failure]:
    """Rolling upgrades and repairs go by a health probe or a health extension."""
    extensions = given(inputs, f"{PROFILE}.extensionProfile.extensions")
    told = isinstance(extensions, Unknown) or any(
        isinstance(extension, Unknown)
        or (
            given(extension, "type") in _KINDS
            and given(extension, "publisher") == "Microsoft.ManagedServices"
        )
        for extension in extensions or ()
    )
    if told or given(inputs, f"{PROFILE}.networkProfile.healthProbe.id") is not None:
        return
    users = {
        "Rolling Upgrade mode is": given(inputs, "upgradePolicy.mode") == "Rolling",
        "Automatic repairs": given(inputs, "automaticRepairsPolicy.enabled") is True,
    }
    for words, needed in users.items():
        if needed:
            yield refused(
                f"{PROFILE}.extensionProfile",
                "BadRequest",
                f"{words} not supported for this Virtual Machine Scale Set because a health probe "
                "or health extension was not provided.",
            )


def _extensions_stand(inputs: Inputs) -> Iterator[Failure]:
    words = ("name", "publisher", "type", "typeHandlerVersion")
    for extension in listed(inputs, f"{PROFILE}.extensionProfile.extensions"):
        for key in words if isinstance(extension, dict) else ():
            if given(extension, key) is None:
                yield missing(f"{PROFILE}.extensionProfile.extensions", f"its {key}")


def _asks_for_health(inputs: Inputs) -> Iterator[Failure]:
    """The health extension asks by a protocol, at a port, and by HTTP for a path."""
    for extension in listed(inputs, f"{PROFILE}.extensionProfile.extensions"):
        kind = given(extension, "type") if isinstance(extension, dict) else None
        if kind not in _KINDS:
            continue
        settings = given(extension, "settings") or {}
        protocol = given(settings, "protocol")
        keys = ["port"] if protocol == "tcp" else ["port", "requestPath"]
        if protocol not in ("tcp", "http", "https", UNKNOWN):
            yield Failure(f"{PROFILE}.extensionProfile", "its protocol must be tcp, http or https")
        for key in keys:
            if given(settings, key) is None:
                yield missing(f"{PROFILE}.extensionProfile.settings.{key}", "of the extension")


def _spreads_over_domains(inputs: Inputs) -> Iterator[Failure]:
    """Fault domains are counted from 1, the widest spread, to 5."""
    count = given(inputs, "platformFaultDomainCount")
    if isinstance(count, int | float) and not 1 <= count <= _MOST_DOMAINS:
        yield refused(
            "platformFaultDomainCount",
            "InvalidParameter",
            f"The specified fault domain count {count} must fall in the range 1 to "
            f"{_MOST_DOMAINS}.",
        )


def _stands_in_a_network(inputs: Inputs) -> Iterator[Failure]:
    """Each address of a machine's interfaces stands in a subnet, and one of them is the first."""
    network = given(inputs, f"{PROFILE}.networkProfile")
    if given(inputs, PROFILE) is None or isinstance(network, Unknown):
        return
    cards = given(network or {}, "networkInterfaceConfigurations")
    known = [nic for nic in cards if isinstance(nic, dict)] if isinstance(cards, list) else []
    if known and all(given(nic, "primary") is False for nic in known):
        yield Failure(f"{PROFILE}.networkProfile", "exactly one network interface must be primary")
    for card in known:
        addresses = [
            address
            for address in given(card, "ipConfigurations") or ()
            if isinstance(address, dict)
        ]
        if addresses and all(given(address, "primary") is False for address in addresses):
            yield Failure(
                f"{PROFILE}.networkProfile", "exactly one IP configuration must be primary"
            )
        for address in addresses:
            if given(address, "subnet.id") is None:
                yield missing(f"{PROFILE}.networkProfile.ipConfigurations.subnet", "of the set")


DEMANDS: tuple[MachineDemand, ...] = (
    MachineDemand(SET, _health_is_told, "https://github.com/gbowerman/azure-myriad/issues/30"),
    MachineDemand(SET, _extensions_stand, f"{_TEMPLATES}/virtualmachinescalesets"),
    MachineDemand(SET, _asks_for_health, _HEALTH),
    MachineDemand(
        SET, _spreads_over_domains, "https://github.com/MicrosoftDocs/azure-docs/issues/37697"
    ),
    MachineDemand(SET, _stands_in_a_network, f"{_TEMPLATES}/virtualmachinescalesets"),
)
