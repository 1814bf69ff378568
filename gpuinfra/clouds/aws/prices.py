"""The prices of AWS: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

PRICES: Final = PriceList("aws", TABLES)
