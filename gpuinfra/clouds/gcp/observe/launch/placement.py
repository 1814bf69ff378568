"""The placement of a group's machines, by the policy that it names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.fabric import PLACEMENT
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.purchase_options import (
    BOUND,
    FLEX,
    ObservedPurchase,
    restarts,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at, text, whole_number
from gpuinfra.model import UNKNOWN, Machine, Resource, Unknown
from gpuinfra.records import record

_FLEXIBLE: Final = ("a3-ultragpu", "a4-", "h4d-")
"""Series that take flex-start in a compact placement."""

_NO_NEAREST: Final = "a3-"
"""Series that refuse the smallest distance:
https://docs.cloud.google.com/compute/docs/instances/use-compact-placement-policies"""

_MOST_BY_DISTANCE: Final = {1: 22, 2: 256, 3: 1500}
"""The most machines by max_distance, at the series that takes the most."""


@record(kw_only=False)
class Placement:
    """The strategy in the model's terms (None: none), and the policy that states it."""

    strategy: str | Unknown | None
    policy: Resource | None = None


def placement_of(resource: Resource, launch: LaunchSources, index: Index) -> Placement:
    """Return the placement of a group: by a workload policy or by its template's policy."""
    if resource.type == resource_types.NODE_POOL:
        return Placement(_node_pool_placement(resource.inputs.get("placementPolicy")))
    policies = resource.inputs.get("resourcePolicies")
    workload = at(policies, "workloadPolicy") if isinstance(policies, Mapping) else None
    if workload is not None:
        return _placement(resource, workload, index)
    layer, policy_value = launch.stating_layer_and_value("resourcePolicies")
    if isinstance(policy_value, Mapping):
        return Placement(None)
    if layer is None or not policy_value:
        return Placement(UNKNOWN if policy_value is UNKNOWN else None)
    return _placement(layer, policy_value, index)


def placement_faults(
    placement: Placement,
    machines: Sequence[Machine],
    market: ObservedPurchase,
    scheduling: Any,
    maximum: int | Unknown,
) -> Iterator[str]:
    """Yield the settings of machines in compact placement that Google refuses."""
    if placement.strategy != PLACEMENT:
        return
    policy = {} if placement.policy is None else placement.policy.inputs
    group = policy.get("groupPlacementPolicy")
    if group is not None and market.model != BOUND and restarts(scheduling) is True:
        yield "compact placement with automatic restart: set scheduling.automaticRestart to false"
    distance = whole_number(at(group, "maxDistance"))
    for machine in machines:
        if market.model == FLEX and not machine.type.startswith(_FLEXIBLE):
            yield f"{machine.type} does not support compact placement with flex-start"
        if distance == 1 and machine.type.startswith(_NO_NEAREST):
            yield f"{machine.type} does not support a max_distance of 1"
    if isinstance(maximum, int):
        yield from _limits(maximum, distance, whole_number(at(group, "vmCount")))


def _limits(
    maximum: int, distance: int | Unknown | None, count: int | Unknown | None
) -> Iterator[str]:
    limit = _MOST_BY_DISTANCE.get(distance) if isinstance(distance, int) else None
    if limit is not None and maximum > limit:
        yield f"{maximum} machines: a max_distance of {distance} allows {limit}"
    if isinstance(count, int) and count < maximum:
        yield f"{maximum} machines: the placement policy is for {count}"


def _placement(holder: Resource, value: Any, index: Index) -> Placement:
    policy = index.targets(holder, "resourcePolicies", resource_types.POLICY, value).only
    return Placement(UNKNOWN) if policy is None else Placement(_strategy(policy), policy)


def _strategy(policy: Resource) -> str | Unknown | None:
    group, workload = (policy.inputs.get(f"{key}Policy") for key in ("groupPlacement", "workload"))
    if isinstance(group, Unknown) or isinstance(workload, Unknown):
        return UNKNOWN
    if group is not None:
        collocation = text(at(group, "collocation"))
        if collocation is None:
            return "spread"
        return PLACEMENT if collocation == "COLLOCATED" else UNKNOWN
    if workload is not None:
        kind = text(at(workload, "type"))
        return PLACEMENT if kind == "HIGH_THROUGHPUT" else _hyphenated(kind)
    return None


def _node_pool_placement(policy: Any) -> str | Unknown | None:
    kind = UNKNOWN if isinstance(policy, Unknown) else text(at(policy, "type"))
    return PLACEMENT if kind == "COMPACT" else _hyphenated(kind)


def _hyphenated(kind: str | Unknown | None) -> str | Unknown | None:
    return kind.lower().replace("_", "-") if isinstance(kind, str) else kind
