"""How many machines an upgrade of a scale set or of a node pool may bring beside the old ones."""

from decimal import Decimal
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.observing.values import amount, at, flag, text
from gpuinfra.model import UNKNOWN, Unknown

_BATCH: Final = Decimal(20)
"""The share of a scale set that is upgraded at a time where none is set."""


def surge_of_set(policy: Any, most: int | Unknown) -> int | Unknown:
    """Return the machines of one batch, where a rolling upgrade makes new ones first.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-maxsurge
    """
    rolling = at(policy, "rollingUpgradePolicy")
    mode, first = text(at(policy, "mode")), flag(at(rolling, "maxSurge"))
    if mode in (None, "Manual", "Automatic") or not first:
        return 0
    if isinstance(mode, Unknown) or isinstance(first, Unknown):
        return UNKNOWN
    share = amount(at(rolling, "maxBatchInstancePercent"))
    return _share(_BATCH if share is None else share, most)


def surge_of_pool(spec: Any, most: int | Unknown) -> int | Unknown:
    """Return the nodes that a node pool's upgrade settings let an upgrade add; 0 where none do.

    https://learn.microsoft.com/azure/aks/upgrade-aks-node-pools-rolling
    """
    surge = text(at(spec, "upgradeSettings", "maxSurge"))
    if surge is None or isinstance(surge, Unknown):
        return 0 if surge is None else UNKNOWN
    number = amount(surge.removesuffix("%"))
    if surge.endswith("%"):
        return UNKNOWN if number is None else _share(number, most)
    return int(number) if isinstance(number, Decimal) else UNKNOWN


def _share(percent: Decimal | Unknown, most: int | Unknown) -> int | Unknown:
    if isinstance(percent, Unknown) or isinstance(most, Unknown):
        return UNKNOWN
    return ceil(most * percent / 100)
