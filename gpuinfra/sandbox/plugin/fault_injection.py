"""The injection of simulated faults into creates, updates and deletes."""

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Condition

from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault
from gpuinfra.sandbox.plugin.cloud import Cloud, FailedLaunch, MachineRequest
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext

CRASH_EXIT = 70
_UNDER_WAY_SECONDS = 5.0
_CAUSES = ("no-capacity", "quota")


class RunningCreates:
    """The counter of running creates, which the plugin completes before a simulated crash.

    So a crash leaves resources that no state has, and never half a request.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._number = 0
        self._over = False

    @contextmanager
    def resource(self) -> Generator[None]:
        """Count a running create; wait forever when the plugin is crashing."""
        with self._changed:
            self._changed.wait_for(lambda: not self._over)
            self._number += 1
        try:
            yield
        finally:
            with self._changed:
                self._number -= 1
                self._changed.notify_all()

    def end(self) -> None:
        """Allow no new create, and wait for the running ones."""
        with self._changed:
            self._over = True
            self._changed.wait_for(lambda: not self._number, _UNDER_WAY_SECONDS)


def before_create(cloud: Cloud, context: OperationContext, making: RunningCreates) -> None:
    """Crash, wait, or raise the refusal of a pending fault."""
    token = context.call.token
    if faults.take_fault("crash", _fault_matcher(token)) is not None:
        making.end()
        os._exit(CRASH_EXIT)
    _wait("slow-create", token)
    if token not in cloud.launches_after_create:
        before_update(cloud, context)


def before_delete(token: str) -> None:
    """Wait as long as a pending fault says; the resource exists until then."""
    _wait("slow-delete", token)


def _wait(kind: str, token: str) -> None:
    slow = faults.take_fault(kind, _fault_matcher(token))
    if slow is not None and slow.seconds:
        time.sleep(slow.seconds)


def before_update(cloud: Cloud, context: OperationContext) -> None:
    """Raise the refusal of a pending fault on machines that the resource requests."""
    if not faults.active_faults():
        return
    for request in cloud.machine_requests(context):
        refusals = {"no-capacity": cloud.no_capacity, "quota": cloud.no_quota}
        if cloud.low_price is not None and request.capacity == "spot":
            refusals["spot-price"] = cloud.low_price
        for kind, refusal in refusals.items():
            if faults.take_fault(kind, _fault_matcher(context.call.token, request)) is not None:
                raise _refusal_of_wait(cloud, context, request) or refusal(request)


def _refusal_of_wait(
    cloud: Cloud, context: OperationContext, request: MachineRequest
) -> CloudRefusalError | None:
    """Return how a wait for machines fails; None for a type that the cloud refuses by itself."""
    if context.call.token not in cloud.launches_after_create:
        return None
    group = cloud.failed_launch(context, request)
    return None if group is None else group.refusal


def deny(cloud: Cloud, call: Call, verb: str) -> None:
    """Raise the refusal of a missing permission if such a fault is pending."""
    if (
        cloud.permission_refusal is not None
        and faults.take_fault("unauthorized", _fault_matcher(call.token)) is not None
    ):
        raise cloud.permission_refusal(call, verb)


def throttle(cloud: Cloud, token: str) -> None:
    """Raise the refusal of a throttled call if such a fault is pending."""
    if faults.take_fault("throttling", _fault_matcher(token)) is not None:
        raise cloud.throttling.refusal()


class NotVisibleYetError(CloudRefusalError):
    """The error for a reference that exists but is not visible yet; a later try finds it."""


def raise_not_visible(cloud: Cloud, context: OperationContext) -> None:
    """Raise the refusal of the first reference if such a fault is pending.

    Raises:
        NotVisibleYetError: it is tried again, as the provider does.
    """
    if not faults.active_faults():
        return
    refusal = cloud.not_visible(context)
    matcher = _fault_matcher(context.call.token)
    if refusal is not None and faults.take_fault("not-found-yet", matcher) is not None:
        raise NotVisibleYetError(refusal.code, refusal.message)


def unlaunched_group(cloud: Cloud, context: OperationContext) -> FailedLaunch | None:
    """Return how a group without machines is created if such a fault is pending; else None."""
    if not faults.active_faults():
        return None
    token = context.call.token
    kinds = ("launches-fail", *(_CAUSES if token in cloud.launches_after_create else ()))
    for request in cloud.machine_requests(context):
        group = cloud.failed_launch(context, request)
        matcher = _fault_matcher(token, request)
        if group is not None and any(faults.take_fault(kind, matcher) for kind in kinds):
            return group
    return None


def _fault_matcher(
    token: str, request: MachineRequest | None = None
) -> Callable[[InjectedFault], bool]:
    def fault_applies(fault: InjectedFault) -> bool:
        return fault.type in (None, token) and (request is None or _matches(fault, request))

    return fault_applies


def _matches(fault: InjectedFault, request: MachineRequest) -> bool:
    return (
        fault.instance_type in (None, request.machine)
        and fault.capacity in (None, request.capacity)
        and (fault.zone is None or not request.zones or set(request.zones) == {fault.zone})
    )
