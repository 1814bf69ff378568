"""The machines that a resource requests, and Azure's errors without capacity or quota."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.azure.locations import normal
from gpuinfra.sandbox.plugin.cloud import MachineRequest
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext

_SPOT = "spot"
_ON_DEMAND = "on-demand"

# Quota family by size: names of the Compute usages API as karpenter-provider-azure and
# Azure/ai-infrastructure-on-azure list them; other families are named by the regional total.
_FAMILIES = facts("azure-native", "families")
_CORES = re.compile(r"Standard_[A-Z]+(\d+)")


@dataclass(frozen=True, slots=True)
class MachinesInLocation(MachineRequest):
    """The machines in one location.

    Attributes:
        location: where they are wanted.
        count: how many.
    """

    location: str = ""
    count: int = 1


def demands(context: OperationContext) -> list[MachineRequest]:
    """Return the machines that the call's resource would start; none for other types."""
    inputs = context.call.inputs
    read = {
        "VirtualMachine": _machine,
        "VirtualMachineScaleSet": _scale_set,
        "CapacityReservation": _reservation,
        "AgentPool": _pool,
        "ManagedCluster": _cluster,
    }.get(context.call.token.rsplit(":", 1)[-1])
    location = normal(str(inputs.get("location") or context.call.region))
    return [
        MachinesInLocation(
            machine,
            tuple(f"{location}-{zone}" for zone in zones or ()),
            capacity,
            location,
            count,
        )
        for machine, zones, capacity, count in (read(inputs) if read else ())
        if machine and count
    ]


# The words: learn.microsoft.com/troubleshoot/azure/virtual-machines/allocation-failure,
# github.com/Azure-Samples/azuresandbox/issues/70, and the spot error codes of
# learn.microsoft.com/azure/virtual-machines/error-codes-spot.
def no_capacity(request: MachineRequest) -> CloudRefusalError:
    """Return Azure's error for missing capacity."""
    if request.capacity == _SPOT:
        location = request.location if isinstance(request, MachinesInLocation) else ""
        return CloudRefusalError(
            "SkuNotAvailable",
            "The requested VM size for resource 'Following SKUs have failed for Capacity "
            f"Restrictions: {request.machine}' is currently not available in location "
            f"'{location}'. Please try another size or deploy to a different location or "
            "different zone. See "
            "https://aka.ms/azureskunotavailable for details.",
        )
    code, place = ("AllocationFailed", "region")
    if request.zones:
        code, place = ("ZonalAllocationFailed", "zone")
    return CloudRefusalError(
        code,
        "Allocation failed. We do not have sufficient capacity for the requested VM size "
        f"({request.machine}) in this {place}. Read more about improving likelihood of allocation "
        "success at http://aka.ms/allocation-guidance",
    )


# The words: github.com/scylladb/scylla-cluster-tests/issues/12948.
def no_quota(request: MachineRequest) -> CloudRefusalError:
    """Return Azure's error for a core quota that is too small."""
    located_request = (
        request
        if isinstance(request, MachinesInLocation)
        else MachinesInLocation(*_request_key(request))
    )
    cores = _CORES.match(located_request.machine)
    needed = int(cores[1]) * located_request.count if cores else located_request.count
    family = next(
        (name for form, name in _FAMILIES.items() if re.fullmatch(form, located_request.machine)),
        None,
    )
    quota = f"{family} Cores" if family else "Total Regional Cores"
    if located_request.capacity == _SPOT:
        quota = "LowPriorityCores"
    return CloudRefusalError(
        "OperationNotAllowed",
        f"Operation could not be completed as it results in exceeding approved {quota} quota. "
        "Additional details - Deployment Model: Resource Manager, Location: "
        f"{located_request.location}, Current Limit: 0, Current Usage: 0, "
        f"Additional Required: {needed}, "
        f"(Minimum) New Limit Required: {needed}. Setup Alerts when Quota reaches threshold. "
        "Learn more at https://aka.ms/quotamonitoringalerting",
    )


_MachineRequests = Iterator[tuple[str, list[str] | None, str, int]]


def _machine(inputs: Inputs) -> _MachineRequests:
    size = (inputs.get("hardwareProfile") or {}).get("vmSize", "")
    yield size, inputs.get("zones"), _capacity(inputs.get("priority")), 1


def _scale_set(inputs: Inputs) -> _MachineRequests:
    sku = inputs.get("sku") or {}
    count = int(sku.get("capacity") or 0)
    priority = (inputs.get("virtualMachineProfile") or {}).get("priority")
    regular = _regular_count(inputs, count) if _capacity(priority) == _SPOT else count
    for capacity, number in ((_ON_DEMAND, regular), (_SPOT, count - regular)):
        yield sku.get("name", ""), inputs.get("zones"), capacity, number


def _regular_count(inputs: Inputs, count: int) -> int:
    """Return how many machines of a spot scale set are regular, by its priority mix."""
    mix = inputs.get("priorityMixPolicy") or {}
    base = min(int(mix.get("baseRegularPriorityCount") or 0), count)
    share = int(mix.get("regularPriorityPercentageAboveBase") or 0)
    return base + -(-(count - base) * share // 100)


def _reservation(inputs: Inputs) -> _MachineRequests:
    sku = inputs.get("sku") or {}
    yield sku.get("name", ""), inputs.get("zones"), _ON_DEMAND, int(sku.get("capacity") or 0)


def _pool(inputs: Inputs) -> _MachineRequests:
    count = inputs.get("count") or inputs.get("minCount") or 0
    zones = inputs.get("availabilityZones")
    yield inputs.get("vmSize", ""), zones, _capacity(inputs.get("scaleSetPriority")), int(count)


def _cluster(inputs: Inputs) -> _MachineRequests:
    for pool in inputs.get("agentPoolProfiles") or ():
        yield from _pool(pool)


def _capacity(priority: Any) -> str:
    return _SPOT if priority in ("Spot", "Low") else _ON_DEMAND


def _request_key(request: MachineRequest) -> tuple[str, tuple[str, ...], str]:
    return request.machine, request.zones, request.capacity
