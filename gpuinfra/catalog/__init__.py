"""The catalog of all clouds: GPU models, current prices, and the choice of a machine."""

from typing import TYPE_CHECKING

from gpuinfra.catalog.gpus import gpu, gpus, matching
from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.catalog.choosing.candidate_machines import OfferedMachines
    from gpuinfra.catalog.choosing.known_names import cloud_with, unknown_region
    from gpuinfra.catalog.choosing.rejections import NothingFits, RejectedMachine
    from gpuinfra.catalog.choosing.request import Request, request
    from gpuinfra.catalog.choosing.selection import Candidate, Choice, choose
    from gpuinfra.catalog.fact_age import earliest
    from gpuinfra.catalog.price_book import CATALOG, PriceBook, ceiling

__all__ = [
    "CATALOG",
    "Candidate",
    "Choice",
    "NothingFits",
    "OfferedMachines",
    "PriceBook",
    "RejectedMachine",
    "Request",
    "ceiling",
    "choose",
    "cloud_with",
    "earliest",
    "gpu",
    "gpus",
    "matching",
    "request",
    "unknown_region",
]

__getattr__ = lazy_names(
    __name__,
    {
        "fact_age": "earliest",
        "price_book": "CATALOG PriceBook ceiling",
        "choosing.known_names": "cloud_with unknown_region",
        "choosing.rejections": "NothingFits RejectedMachine",
        "choosing.selection": "Candidate Choice choose",
        "choosing.request": "Request request",
        "choosing.candidate_machines": "OfferedMachines",
    },
)
"""The module of each name, imported on first use."""
