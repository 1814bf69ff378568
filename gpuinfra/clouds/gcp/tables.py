"""The Google Cloud data files, and the prices in them."""

from pathlib import Path
from typing import Final

from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.tables import Tables

TABLES: Final = Tables(Path(__file__).parent / "data")

PRICES: Final = PriceList("gcp", TABLES)
"""The prices of machines and services, and the resource types that cost nothing."""
