"""Machines that are to hibernate, which AWS lets none with a GPU do."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe.launch_options import GroupRequest
from gpuinfra.clouds.aws.observe.spot_interruption import is_to
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import at, flag
from gpuinfra.model import Resource

_HIBERNATE: Final = "hibernate"
_KEYS: Final = (("hibernation",), ("hibernationOptions", "configured"))
"""How an instance says that it may hibernate, and how a launch template does."""


def of_launch(request: GroupRequest) -> Iterator[str]:
    """Name the machines that are started so as to hibernate, and can't."""
    for option in request.options:
        told = [flag(at(option.launch.get(key), *more)) for key, *more in _KEYS]
        if True in told and _never(option.machine):
            yield (
                f"{option.machine} is set to hibernate, and AWS machines with a GPU "
                "can't: remove hibernation"
            )


def of_spot(resource: Resource, request: GroupRequest) -> Iterator[str]:
    """Name the spot machines that are to hibernate when they are taken back, and can't."""
    for option in request.options:
        key = is_to(_HIBERNATE, resource, option.launch)
        if key is not None and _never(option.machine):
            yield (
                f"{option.machine} on spot is set to hibernate, and AWS machines with a "
                f"GPU can't: set {key} to stop or terminate"
            )


def _never(name: object) -> bool:
    """Whether a machine certainly never hibernates; False for one that no table has."""
    spec = machine(name) if isinstance(name, str) else None
    return spec is not None and spec.gpu_count > _most_accelerators()


@cache
def _most_accelerators() -> Decimal:
    return Decimal(TABLES.table("hibernation")["accelerators"])
