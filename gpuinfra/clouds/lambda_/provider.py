"""Lambda: machines and prices; nothing of it is observed or built."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.provider import PricedCloud, lazy_attribute
from gpuinfra.clouds.region_list import RegionList
from gpuinfra.clouds.tables import Tables

if TYPE_CHECKING:  # it has what it needs
    from gpuinfra.clouds.lambda_ import refresh
    from gpuinfra.clouds.refreshing.contract import PriceSource

    _REFRESH: PriceSource = refresh

TABLES: Final = Tables(Path(__file__).parent / "data")

_FORM: Final = r"gpu_[0-9]+x_[a-z0-9_]+"


class Lambda(PricedCloud):
    """Lambda, priced only."""

    tables = TABLES
    machines = MachineList("lambda", TABLES, _FORM)
    prices = PriceList("lambda", TABLES)
    regions = RegionList(TABLES, default="us-east-1")
    refresh = lazy_attribute("refresh")


PROVIDER: Final = Lambda()
