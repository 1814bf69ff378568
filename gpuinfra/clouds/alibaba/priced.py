"""The room of Alibaba Cloud: machines and prices; nothing of it is observed or built."""

import re
from typing import Final

from gpuinfra.clouds import interruptions
from gpuinfra.clouds.alibaba.tables import TABLES
from gpuinfra.clouds.machinelist import MachineList
from gpuinfra.clouds.pricelist import PriceList
from gpuinfra.clouds.regionlist import RegionList, may_use

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

DEFAULT_REGION: Final = "cn-shanghai"
TYPE_FORM: Final = re.compile(r"ecs\.[a-z0-9.-]+")

_MACHINES: Final = MachineList("alibaba", TABLES)
_PRICES: Final = PriceList("alibaba", TABLES, {})

machines = _MACHINES.machines
machine = _MACHINES.machine
prices = _PRICES.prices
all_prices = _PRICES.all_prices
modes = _PRICES.modes
service_items = _PRICES.service_items
interruption = interruptions.UNPUBLISHED
regions = RegionList(TABLES).regions
