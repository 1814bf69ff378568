"""The catalog over all clouds: GPU models, today's rates, and the choice of a machine."""

from gpuinfra.catalog.age import earliest
from gpuinfra.catalog.book import CATALOG, Book, dearest
from gpuinfra.catalog.gpus import gpu, gpus, matching
from gpuinfra.catalog.known import cloud_with, unknown_region
from gpuinfra.catalog.query import Candidate, Choice, Loser, NothingFits, choose
from gpuinfra.catalog.request import Request, request

__all__ = [
    "CATALOG",
    "Book",
    "Candidate",
    "Choice",
    "Loser",
    "NothingFits",
    "Request",
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
