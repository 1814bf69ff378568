"""The prices of Azure: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

PRICES: Final = PriceList("azure", TABLES)
