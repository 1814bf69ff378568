"""The requests of AKS node pools, separate resources or parts of their cluster."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.launch_settings import Reference
from gpuinfra.clouds.azure.observe.launch.machine_requests import GroupRequest, priority_request
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import (
    amount,
    as_list,
    at,
    flag,
    largest,
    text,
    whole_number,
    whole_or,
)
from gpuinfra.model import UNKNOWN, Resource, Unknown

_DEFAULT_NODES: Final = 1
"""https://learn.microsoft.com/rest/api/aks/agent-pools/create-or-update"""

_SEVERAL: Final = (
    "gpuinfra does not read the machine sizes and counts in its virtualMachinesProfile"
)
"""https://learn.microsoft.com/azure/aks/virtual-machines-node-pools"""

_RESERVATION: Final = "capacityReservationGroupID"
_POOLS: Final = "agentPoolProfiles"


def request_of(spec: Any) -> GroupRequest:
    """Return the request of a node pool: machine type, priority and size."""
    if at(spec, "virtualMachinesProfile") is not None:
        return GroupRequest(trouble=_SEVERAL)
    count = whole_or(at(spec, "count"), _DEFAULT_NODES)
    scales = flag(at(spec, "enableAutoScaling"))
    fewest, most = count, count
    if scales is not None and scales is not False:
        fewest = whole_or(at(spec, "minCount"), UNKNOWN)
        most = whole_or(at(spec, "maxCount"), UNKNOWN)
        is_count_stated = at(spec, "count") is not None and isinstance(count, int)
        most = largest((most, count)) if is_count_stated else most
    return priority_request(
        (at(spec, "vmSize"),),
        at(spec, "scaleSetPriority"),
        at(spec, "spotMaxPrice"),
        fewest,
        most,
    )


def cluster_of(pool: Resource, index: Index) -> Resource | None:
    """Return the cluster of a separate node pool, where this stack has it."""
    return index.targets(pool, "resourceName", resource_types.CLUSTER).only


def pools_with_reservations(index: Index) -> Iterator[tuple[Resource, Any, Reference]]:
    """Yield each pool that may use reservations: its declaration, spec, and group's id.

    A cluster needs an identity of the user's own to use them; else its pools may run beside them:
    https://learn.microsoft.com/azure/aks/use-capacity-reservation-groups
    """
    for pool in index.of_kind(resource_types.POOL):
        cluster = cluster_of(pool, index)
        if cluster is not None and _has_own_identity(cluster):
            value = pool.inputs.get(_RESERVATION)
            yield pool, pool.inputs, Reference(holder=pool, prop=_RESERVATION, value=value)
    for cluster in index.of_kind(resource_types.CLUSTER):
        if _has_own_identity(cluster):
            for spec in as_list(cluster.inputs.get(_POOLS)):
                value = at(spec, _RESERVATION)
                yield cluster, spec, Reference(holder=cluster, prop=_POOLS, value=value)


def _has_own_identity(cluster: Resource) -> bool:
    kind = text(at(cluster.inputs.get("identity"), "type"))
    return isinstance(kind, str) and "userassigned" in kind.lower()


def os_disk_faults(spec: Any) -> Iterator[str]:
    """Yield the size of an OS disk that AKS refuses; 0 is the default."""
    size = amount(at(spec, "osDiskSizeGB"))
    if size != 0:
        yield from _bound_faults("osDiskSizeGB", size, "an OS disk of {} GB")


def count_faults(most: int | Unknown | None) -> Iterator[str]:
    """Yield a number of nodes that AKS refuses."""
    yield from _bound_faults("count", most, "{} nodes in a pool")


def pod_faults(spec: Any) -> Iterator[str]:
    """Yield a number of pods on each node that AKS refuses."""
    yield from _bound_faults("maxPods", whole_number(at(spec, "maxPods")), "{} pods on a node")


def beyond_scaling(spec: Any) -> Iterator[str]:
    """Yield a number of nodes above the most to which a pool scales.

    https://github.com/Azure/azure-cli acs/agentpool_decorator.py ("node-count is not in the range
    of min-count and max-count"); whether the API refuses it, too, was not read (unverified)
    """
    count, most = (whole_number(at(spec, key)) for key in ("count", "maxCount"))
    if isinstance(count, int) and isinstance(most, int) and count > most:
        yield f"count is {count:,}, above the maxCount of {most:,}"


def _bound_faults(key: str, number: Decimal | int | Unknown | None, subject: str) -> Iterator[str]:
    limits_by_input = {
        row["input"]: (row["least"], row["most"]) for row in TABLES.rows("pool_limits")
    }
    least, most = limits_by_input[key]
    if isinstance(number, (Decimal, int)) and not least <= number <= most:
        count_text = subject.format(f"{Decimal(number):,f}")
        yield f"AKS does not support {count_text}: use {least:,} to {most:,}"
