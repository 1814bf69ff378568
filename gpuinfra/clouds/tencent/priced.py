"""The room of Tencent Cloud: machines and prices; nothing of it is observed or built."""

import re
from typing import Final

from gpuinfra.clouds import interruptions
from gpuinfra.clouds.machinelist import MachineList
from gpuinfra.clouds.pricelist import PriceList
from gpuinfra.clouds.regionlist import RegionList, may_use
from gpuinfra.clouds.tencent.tables import TABLES

__all__ = [
    "DEFAULT_REGION",
    "TYPE_FORM",
    "all_prices",
    "can",
    "interruption",
    "machine",
    "machines",
    "may_use",
    "modes",
    "prices",
    "regions",
    "service_items",
]

can: Final = frozenset({"prices"})

DEFAULT_REGION: Final = "cn-mainland"
"""The one region of its price pages: the mainland of China."""
TYPE_FORM: Final = re.compile(r"[A-Z]\w+\.[0-9]*X?LARGE[0-9]+(-[a-z]+)?|(BMG|HCC)[\w.-]+")

_MACHINES: Final = MachineList("tencent", TABLES)
_PRICES: Final = PriceList("tencent", TABLES, {})

machines = _MACHINES.machines
machine = _MACHINES.machine
prices = _PRICES.prices
all_prices = _PRICES.all_prices
modes = _PRICES.modes
service_items = _PRICES.service_items
interruption = interruptions.UNPUBLISHED
regions = RegionList(TABLES).regions
