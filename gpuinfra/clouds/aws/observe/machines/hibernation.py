"""Machines configured to hibernate, which AWS does not support for those with a GPU."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest
from gpuinfra.clouds.aws.observe.machines.spot_interruption import is_to
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import at, flag
from gpuinfra.model import Resource

_HIBERNATE: Final = "hibernate"
_KEYS: Final = (("hibernation",), ("hibernationOptions", "configured"))
"""How an instance says that it may hibernate, and how a launch template does."""


def launch_hibernation_faults(request: GroupRequest) -> Iterator[str]:
    """Yield the machines that are started with hibernation and do not support it."""
    for option in request.options:
        is_on_by_option = [flag(at(option.launch.get(key), *keys)) for key, *keys in _KEYS]
        if True in is_on_by_option and _never_hibernates(option.machine):
            yield (
                f"{option.machine} is set to hibernate, and AWS machines with a GPU "
                "can't: remove hibernation"
            )


def spot_hibernation_faults(resource: Resource, request: GroupRequest) -> Iterator[str]:
    """Yield the spot machines that would hibernate on interruption and do not support it."""
    for option in request.options:
        key = is_to(_HIBERNATE, resource, option.launch)
        if key is not None and _never_hibernates(option.machine):
            yield (
                f"{option.machine} on spot is set to hibernate, and AWS machines with a "
                f"GPU can't: set {key} to stop or terminate"
            )


def _never_hibernates(name: object) -> bool:
    """Return whether a machine surely never hibernates; False for a type in no table."""
    spec = machine(name) if isinstance(name, str) else None
    return spec is not None and spec.gpu_count > _most_accelerators()


@cache
def _most_accelerators() -> Decimal:
    return Decimal(TABLES.table("hibernation")["accelerators"])
