"""The catalog over all clouds: GPU models, today's rates, and the choice of a machine."""

from gpuinfra.catalog.age import earliest
from gpuinfra.catalog.book import CATALOG, Book, dearest
from gpuinfra.catalog.choosing.known import cloud_with, unknown_region
from gpuinfra.catalog.choosing.query import Candidate, Choice, Loser, NothingFits, choose
from gpuinfra.catalog.choosing.request import Request, request
from gpuinfra.catalog.choosing.stock import STOCK, Stock
from gpuinfra.catalog.gpus import gpu, gpus, matching

__all__ = [
    "CATALOG",
    "STOCK",
    "Book",
    "Candidate",
    "Choice",
    "Loser",
    "NothingFits",
    "Request",
    "Stock",
    "choose",
    "cloud_with",
    "dearest",
    "earliest",
    "gpu",
    "gpus",
    "matching",
    "request",
    "unknown_region",
]
