"""The machines that an upgrade of a scale set or a node pool may add to the old ones."""

from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.observing.values import amount, any_of, as_list, at, flag, is_on, text
from gpuinfra.model import UNKNOWN, Known, Unknown

_BATCH: Final = Decimal(20)
"""The share of a scale set that is upgraded at a time where none is set."""

_DOUBLES: Final = "bluegreen"
"""https://learn.microsoft.com/dotnet/api/azure.resourcemanager.containerservice.models.agentpoolupgradestrategy"""

_DEFAULT: Final = Decimal(10)
"""The share of a node pool that an upgrade adds where none is set, rounded up; older versions of
the API added one node, which is no more:
https://learn.microsoft.com/dotnet/api/microsoft.azure.commands.aks.neworupdateagentpoolbase.maxsurge
"""


def surge_of_set(inputs: Mapping[str, Any], maximum: int | Unknown) -> int | Unknown:
    """Return the machines of one batch, where a rolling upgrade creates new ones first.

    In every mode the automatic upgrades of the image and of extensions follow the rolling
    policy, if it creates new machines first. Automatic zone balance makes them first, too, and
    no page says how many at a time.
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-maxsurge
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/auto-zone-balance-overview
    """
    balance = at(inputs.get("resiliencyPolicy"), "automaticZoneRebalancingPolicy", "enabled")
    if flag(balance) not in {None, False}:
        return UNKNOWN
    policy = inputs.get("upgradePolicy")
    rolling = at(policy, "rollingUpgradePolicy")
    mode, first = text(at(policy, "mode")), flag(at(rolling, "maxSurge"))
    upgraded = (
        UNKNOWN if isinstance(mode, Unknown) else any_of((mode == "Rolling", _upgrades(inputs)))
    )
    if not upgraded or not first:
        return 0
    if isinstance(upgraded, Unknown) or isinstance(first, Unknown):
        return UNKNOWN
    share = amount(at(rolling, "maxBatchInstancePercent"))
    return _share(_BATCH if share is None else share, maximum)


def _upgrades(inputs: Mapping[str, Any]) -> Known:
    """Say whether Azure upgrades the image or an extension by itself."""
    image = at(inputs.get("upgradePolicy"), "automaticOSUpgradePolicy", "enableAutomaticOSUpgrade")
    profile = at(inputs.get("virtualMachineProfile"), "extensionProfile", "extensions")
    upgraded = (at(each, "enableAutomaticUpgrade") for each in as_list(profile))
    return any_of(is_on(each) for each in (image, *upgraded))


def surge_of_pool(spec: Any, maximum: int | Unknown) -> int | Unknown:
    """Return the nodes that an upgrade of a node pool may add: a tenth by default.

    A blue-green one doubles them, whatever the settings of a rolling one are.
    https://learn.microsoft.com/azure/aks/upgrade-aks-node-pools-rolling
    https://learn.microsoft.com/azure/aks/blue-green-node-pool-upgrade
    """
    strategy = text(at(spec, "upgradeStrategy"))
    if isinstance(strategy, Unknown):
        return UNKNOWN
    if strategy is not None and strategy.lower() == _DOUBLES:
        return maximum
    surge = text(at(spec, "upgradeSettings", "maxSurge"))
    if surge is None:
        return _share(_DEFAULT, maximum)
    if isinstance(surge, Unknown):
        return UNKNOWN
    number = amount(surge.removesuffix("%"))
    if surge.endswith("%"):
        return UNKNOWN if number is None else _share(number, maximum)
    return int(number) if isinstance(number, Decimal) else UNKNOWN


def _share(percent: Decimal | Unknown, maximum: int | Unknown) -> int | Unknown:
    if isinstance(percent, Unknown) or isinstance(maximum, Unknown):
        return UNKNOWN
    return ceil(maximum * percent / 100)
