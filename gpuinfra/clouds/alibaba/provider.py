"""Alibaba Cloud: machines and prices; nothing of it is observed or built."""

from pathlib import Path
from typing import Final

from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.provider import PricedCloud
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.clouds.tables import Tables

TABLES: Final = Tables(Path(__file__).parent / "data")

_FORM: Final = r"ecs\.[a-z0-9.-]+"


class Alibaba(PricedCloud):
    """Alibaba Cloud, priced only."""

    tables = TABLES
    machines = MachineList("alibaba", TABLES, _FORM)
    prices = PriceList("alibaba", TABLES)
    regions = RegionList(TABLES, default="cn-shanghai")


PROVIDER: Final = Alibaba()
