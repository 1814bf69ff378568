"""The prices of Google Cloud: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

PRICES: Final = PriceList("gcp", TABLES)
