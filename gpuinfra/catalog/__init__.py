"""The catalog over all clouds: GPU models, today's rates, and the choice of a machine."""

from gpuinfra.catalog.age import earliest
from gpuinfra.catalog.book import CATALOG, Book, dearest
from gpuinfra.catalog.gpus import gpu, gpus, matching
from gpuinfra.catalog.known import cloud_with, unknown_region
from gpuinfra.catalog.query import Candidate, Choice, Loser, NothingFits, choose
from gpuinfra.catalog.relaxing import NearMiss, near_misses
from gpuinfra.catalog.request import Request, request
from gpuinfra.catalog.stock import STOCK, Stock

__all__ = [
    "CATALOG",
    "STOCK",
    "Book",
    "Candidate",
    "Choice",
    "Loser",
    "NearMiss",
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
    "near_misses",
    "request",
    "unknown_region",
]
