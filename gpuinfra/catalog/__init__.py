"""The catalog over all clouds: GPU models, today's rates, and the choice of a machine."""

from gpuinfra.catalog.age import earliest
from gpuinfra.catalog.gpus import gpu, gpus, matching
from gpuinfra.catalog.known import cloud_with, unknown_region
from gpuinfra.catalog.query import Candidate, Choice, Loser, NothingFits, choose
from gpuinfra.catalog.rates import dearest, listed, on_demand, service, spot
from gpuinfra.catalog.request import Request, request

__all__ = [
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
    "listed",
    "matching",
    "on_demand",
    "request",
    "service",
    "spot",
    "unknown_region",
]
