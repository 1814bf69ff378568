"""Tencent Cloud: machines and prices; nothing of it is observed or built."""

from pathlib import Path
from typing import Final

from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.provider import PricedCloud
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.clouds.tables import Tables

TABLES: Final = Tables(Path(__file__).parent / "data")

_FORM: Final = r"[A-Z]\w+\.[0-9]*X?LARGE[0-9]+(-[a-z]+)?|(BMG|HCC)[\w.-]+"


class Tencent(PricedCloud):
    """Tencent Cloud, priced only."""

    tables = TABLES
    machines = MachineList("tencent", TABLES, _FORM)
    prices = PriceList("tencent", TABLES)
    regions = RegionList(
        TABLES, default="cn-mainland"
    )  # the one region of its price pages: the mainland of China


PROVIDER: Final = Tencent()
