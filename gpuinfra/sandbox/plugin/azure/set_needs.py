"""What Azure demands of scale sets: health, upgrades, extensions, interfaces, fault domains."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.sandbox.plugin.azure.demand import Demand, given, listed, refused
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
    asked = {
        "Rolling Upgrade mode is": given(inputs, "upgradePolicy.mode") == "Rolling",
        "Automatic repairs": given(inputs, "automaticRepairsPolicy.enabled") is True,
    }
    for words, wanted in asked.items():
        if wanted:
            yield refused(
                f"{PROFILE}.extensionProfile",
                "BadRequest",
                f"{words} not supported for this Virtual Machine Scale Set because a health probe "
                "or health extension was not provided.",
            )


def _extensions_stand(inputs: Inputs) -> Iterator[Failure]:
    words = ("name", "publisher", "type", "typeHandlerVersion")
    for one in listed(inputs, f"{PROFILE}.extensionProfile.extensions"):
        for key in words if isinstance(one, dict) else ():
            if given(one, key) is None:
                yield missing(f"{PROFILE}.extensionProfile.extensions", f"its {key}")


def _asks_for_health(inputs: Inputs) -> Iterator[Failure]:
    """The health extension asks by a protocol, at a port, and by HTTP for a path."""
    for one in listed(inputs, f"{PROFILE}.extensionProfile.extensions"):
        kind = given(one, "type") if isinstance(one, dict) else None
        if kind not in _KINDS:
            continue
        settings = given(one, "settings") or {}
        protocol = given(settings, "protocol")
        wanted = ["port"] if protocol == "tcp" else ["port", "requestPath"]
        if protocol not in ("tcp", "http", "https", UNKNOWN):
            yield Failure(f"{PROFILE}.extensionProfile", "its protocol must be tcp, http or https")
        for key in wanted:
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
    known = [one for one in cards if isinstance(one, dict)] if isinstance(cards, list) else []
    if known and all(given(one, "primary") is False for one in known):
        yield Failure(f"{PROFILE}.networkProfile", "exactly one network interface must be primary")
    for card in known:
        addresses = [one for one in given(card, "ipConfigurations") or () if isinstance(one, dict)]
        if addresses and all(given(one, "primary") is False for one in addresses):
            yield Failure(
                f"{PROFILE}.networkProfile", "exactly one IP configuration must be primary"
            )
        for address in addresses:
            if given(address, "subnet.id") is None:
                yield missing(f"{PROFILE}.networkProfile.ipConfigurations.subnet", "of the set")


DEMANDS: tuple[Demand, ...] = (
    Demand(SET, _health_is_told, "https://github.com/gbowerman/azure-myriad/issues/30"),
    Demand(SET, _extensions_stand, f"{_TEMPLATES}/virtualmachinescalesets"),
    Demand(SET, _asks_for_health, _HEALTH),
    Demand(SET, _spreads_over_domains, "https://github.com/MicrosoftDocs/azure-docs/issues/37697"),
    Demand(SET, _stands_in_a_network, f"{_TEMPLATES}/virtualmachinescalesets"),
)
