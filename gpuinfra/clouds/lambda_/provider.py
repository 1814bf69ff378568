"""Lambda: machines and prices; nothing of it is observed or built."""

from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.lambda_.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.provider import PricedCloud
from gpuinfra.clouds.region_list import RegionList

if TYPE_CHECKING:
    from gpuinfra.clouds.refreshing.contract import PriceSource

_FORM: Final = r"gpu_[0-9]+x_[a-z0-9_]+"


class Lambda(PricedCloud):
    """Lambda, priced only."""

    tables = TABLES
    machines = MachineList("lambda", TABLES, _FORM)
    prices = PriceList("lambda", TABLES)
    regions = RegionList(TABLES, default="us-east-1")

    @property
    def refresh(self) -> "PriceSource":
        """Lambda's own interface."""
        from gpuinfra.clouds.lambda_ import refresh

        return refresh


PROVIDER: Final = Lambda()
