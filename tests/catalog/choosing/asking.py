"""Requests in the default region of a cloud, and the machines that a choice of one nearly took."""

from gpuinfra.catalog import Choice, Request, choose
from gpuinfra.catalog.choosing.near_misses import near_misses
from gpuinfra.clouds import priced_cloud_of


def ask(cloud: str = "aws", **more: object) -> Request:
    region = priced_cloud_of(cloud).regions.default
    return Request(**{"clouds": (cloud,), "regions": (region,), **more})


def near(request: Request) -> tuple[Choice, dict[str, tuple[str, str, str]]]:
    choice = choose(request)
    misses = near_misses(request, choice)
    return choice, {
        miss.constraint: (miss.required, miss.actual, miss.candidate.machine.type)
        for miss in misses
    }
