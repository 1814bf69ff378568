"""Faults on request, as they strike a create or an update."""

import os
import time
from collections.abc import Callable

from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import Fault
from gpuinfra.sandbox.plugin.cloud import Asked, Cloud
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.world import World

CRASH_EXIT = 70


def before_create(cloud: Cloud, world: World) -> None:
    """Crash, wait, or raise the refusal that a waiting fault asks for."""
    token = world.call.token
    if faults.strike("crash", _about(token)) is not None:
        os._exit(CRASH_EXIT)
    slow = faults.strike("slow-create", _about(token))
    if slow is not None:
        time.sleep(slow.seconds)
    before_update(cloud, world)


def before_update(cloud: Cloud, world: World) -> None:
    """Raise the refusal that a waiting fault asks for where machines are wanted."""
    if not faults.listed():
        return
    for asked in cloud.asked(world):
        refusals = {"no-capacity": cloud.no_capacity, "quota": cloud.no_quota}
        for kind, refusal in refusals.items():
            if faults.strike(kind, _about(world.call.token, asked)) is not None:
                raise refusal(asked)


def throttle(token: str) -> None:
    """Raise the refusal of a throttled call when such a fault waits."""
    if faults.strike("throttling", _about(token)) is not None:
        raise CloudRefusalError("RequestLimitExceeded", "Request limit exceeded.")


def _about(token: str, asked: Asked | None = None) -> Callable[[Fault], bool]:
    def fits(fault: Fault) -> bool:
        return fault.type in (None, token) and (asked is None or _matches(fault, asked))

    return fits


def _matches(fault: Fault, asked: Asked) -> bool:
    return (
        fault.instance_type in (None, asked.machine)
        and fault.capacity in (None, asked.capacity)
        and (fault.zone is None or not asked.zones or set(asked.zones) == {fault.zone})
    )
