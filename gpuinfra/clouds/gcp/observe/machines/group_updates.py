"""The updates of a managed group's machines, and the settings that Google refuses."""

from collections.abc import Iterator
from decimal import Decimal
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.observing.fault_texts import all_faults
from gpuinfra.clouds.observing.values import amount, as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_ZONES: Final = 3
"""Of a regional group that names none:
https://docs.cloud.google.com/compute/docs/instance-groups/distributing-instances-with-regional-instance-groups"""

_SHAPES: Final = frozenset({"ANY", "ANY_SINGLE_ZONE", "BALANCED"})
"""Shapes that nothing moves machines for once they run:
https://docs.cloud.google.com/compute/docs/instance-groups/regional-mig-distribution-shape#limitations"""


def policy_of(group: Resource) -> Any:
    """Return a group's update policy, also where a provider has a list of one."""
    return _first_or_value(group.inputs.get("updatePolicy"))


def lifecycle_of(group: Resource) -> Any:
    """Return the policy by which a group repairs its machines."""
    return _first_or_value(group.inputs.get("instanceLifecyclePolicy"))


def _first_or_value(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and value else value


def zones_of(group: Resource) -> int | Unknown:
    """Return the number of zones that a group is spread over."""
    if group.type != resource_types.REGION_GROUP:
        return 1
    zones = group.inputs.get("distributionPolicyZones")
    return UNKNOWN if isinstance(zones, Unknown) else len(as_list(zones)) or _ZONES


def surge_of(group: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return how many machines an update may add to the old ones."""
    kind = resource_types.canonical(group.type)
    if kind == resource_types.NODE_POOL:
        return _surge_of_pool(group, maximum)
    return _surge_of_group(group, maximum) if kind == resource_types.GROUP else 0


def _surge_of_group(group: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return the machines that an update of a managed group may add.

    By default as many as there are zones; none where machines are updated one by one when they are
    next made, or keep their names:
    https://docs.cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups#max_surge
    """
    policy = policy_of(group)
    kind, method = text(at(policy, "type")), text(at(policy, "replacementMethod"))
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind != "PROACTIVE" or method == "RECREATE":
        return 0
    share = amount(at(policy, "maxSurgePercent"))
    if isinstance(share, Decimal):
        return UNKNOWN if isinstance(maximum, Unknown) else ceil(maximum * share / 100)
    surge_count = whole_number(at(policy, "maxSurgeFixed"))
    if surge_count is None:
        return zones_of(group) if share is None else UNKNOWN
    return surge_count


def _surge_of_pool(pool: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return the nodes that an upgrade of a GKE pool may add: one by default, in all zones.

    Blue-green upgrades bring every node a second time. Flex-start and queued nodes are replaced
    when they next start:
    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-pool-upgrade-strategies
    Of settings that only let nodes be unavailable, the surge is 0:
    https://www.pulumi.com/registry/packages/gcp/api-docs/container/nodepool/
    """
    settings = _first_or_value(pool.inputs.get("upgradeSettings"))
    strategy, count = text(at(settings, "strategy")), whole_number(at(settings, "maxSurge"))
    if isinstance(settings, Unknown) or isinstance(strategy, Unknown):
        return UNKNOWN
    if strategy == "BLUE_GREEN":
        return maximum
    if strategy == "SHORT_LIVED" or (strategy is None and _is_short_lived(pool)):
        return 0
    if count is None:
        unavailable = whole_number(at(settings, "maxUnavailable"))
        return 0 if isinstance(unavailable, int) and unavailable > 0 else 1
    return count


def _is_short_lived(pool: Resource) -> bool:
    flex = flag(at(pool.inputs.get("nodeConfig"), "flexStart"))
    queued = flag(at(pool.inputs.get("queuedProvisioning"), "enabled"))
    return flex is True or queued is True


def update_refused(group: Resource) -> tuple[str, ...] | Unknown:
    """Return the settings of an update policy that Google refuses."""
    if resource_types.canonical(group.type) != resource_types.GROUP or policy_of(group) is None:
        return ()
    return all_faults(tuple(_update_count_faults(group)), tuple(_shape(group)))


def _update_count_faults(group: Resource) -> Iterator[str]:
    """Yield machine counts below a regional group's number of zones, and an impossible update.

    https://docs.cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups#max_surge
    """
    policy, zones = policy_of(group), zones_of(group)
    counts = {
        key: whole_number(at(policy, key)) for key in ("maxSurgeFixed", "maxUnavailableFixed")
    }
    if all(count == 0 for count in counts.values()):
        yield "maxSurgeFixed and maxUnavailableFixed are both 0: no update is possible"
    for key, count in counts.items():
        if isinstance(count, int) and isinstance(zones, int) and 0 < count < zones:
            yield f"{key} of {count}: a group of {zones} zones allows 0, or at least {zones}"


def _shape(group: Resource) -> Iterator[str]:
    shape = text(group.inputs.get("distributionPolicyTargetShape"))
    moves = text(at(policy_of(group), "instanceRedistributionType"))
    if shape in _SHAPES and moves in (None, "PROACTIVE"):
        yield (
            f"distributionPolicyTargetShape {shape} requires "
            "updatePolicy.instanceRedistributionType: NONE"
        )
