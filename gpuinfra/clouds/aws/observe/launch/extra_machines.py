"""The machines above a group's size: in updates, rebalancing, a warm pool, or without a limit."""

from collections.abc import Iterator
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.fault_texts import faults_of_checks
from gpuinfra.clouds.observing.values import (
    all_of,
    as_list,
    at,
    equals,
    flag,
    largest,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_UNCHANGED_SIZES: Final = frozenset({"-1", "-1.0"})
_ZONES: Final = ("availabilityZones", "vpcZoneIdentifiers")
_MAINTENANCE: Final = "instanceMaintenancePolicy"
_NON_SPOT_CAPACITY: Final = frozenset({"ON_DEMAND", "CAPACITY_BLOCK"})
"""The capacity types of nodes that are no spot ones."""

_PARALLEL: Final = 100
"""The most nodes that EKS updates at once:
https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html"""

_DEFAULT_HEALTHY_PERCENT: Final = 90
"""The default percentage of healthy machines that a refresh keeps:
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RefreshPreferences.html"""

_WARM_POOL_CONFIG: Final = "warmPoolConfig"
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_WarmPoolConfig.html"""
_UNLIMITED_SIZE: Final = -1
"""The prepared capacity of a node group without a limit:
https://www.pulumi.com/registry/packages/aws/api-docs/eks/nodegroup/#nodegroupwarmpoolconfig"""
_FORECASTS: Final = "ForecastOnly"
"""The mode of a predictive policy that changes no group."""
_BREACH: Final = "IncreaseMaxCapacity"
_MAXIMUM_RAISED_FAULT: Final = (
    "the scaling policy {} may raise the maximum when its forecast is higher: set "
    "max_capacity_breach_behavior to HonorMaxCapacity"
)
_RUNS_ON: Final = (
    "a machine at risk keeps running beside its replacement: set replacement_strategy "
    "to launch-before-terminate"
)
_NO_TERMINATION: Final = frozenset({"no-termination", "NoTermination"})
_EXCESS_CAPACITY: Final = (
    "machines above a lowered target capacity keep running:"
    " set excess_capacity_termination_policy to terminate them"
)
_REBALANCES: Final[dict[str, str]] = {
    resource_types.FLEET: "spotOptions",
    resource_types.SPOT_FLEET: "spotMaintenanceStrategies",
}


def surge_of(group: Resource, maximum: int | Unknown, index: Index) -> int | Unknown:
    """Return how many machines a replacement may add to a group's maximum.

    Two kinds at once, for example a refresh while spot machines are at risk, bring both.
    """
    if resource_types.canonical(group.type) == resource_types.NODE_GROUP:
        return _surge_of_nodes(group, maximum, index)
    if resource_types.canonical(group.type) != resource_types.GROUP:
        return 0
    refresh = at(group.inputs.get("instanceRefresh"), "preferences")
    surges = [_surge(settings, maximum) for settings in (refresh, group.inputs.get(_MAINTENANCE))]
    surges.append(_zone_balancing_machines(group, maximum))
    known_surges = [surge for surge in surges if isinstance(surge, int)]
    at_risk = _spot_replacement_machines(group, maximum)
    if isinstance(at_risk, Unknown) or len(known_surges) < len(surges):
        return UNKNOWN
    return max(known_surges) + at_risk


def _surge_of_nodes(nodes: Resource, maximum: int | Unknown, index: Index) -> int | Unknown:
    """Return the nodes that an EKS node group's update starts before it ends others.

    EKS raises the maximum of the group by the nodes that it updates at once, or by up to twice the
    number of its zones where that is more; the strategy MINIMAL ends the old nodes first. Spot
    nodes at risk are replaced as in any group:
    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html
    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
    """
    if maximum == 0:
        return 0
    is_on_demand = text(nodes.inputs.get("capacityType")) in {None, *_NON_SPOT_CAPACITY}
    at_risk = 0 if is_on_demand else _tenth_of_group(maximum)
    surge = _update_extra_machines(
        nodes.inputs.get("updateConfig"), maximum, 2 * locations.most_zones(nodes, index)
    )
    if isinstance(at_risk, Unknown) or isinstance(surge, Unknown):
        return UNKNOWN
    return surge + at_risk


def _update_extra_machines(config: Any, maximum: int | Unknown, by_zones: int) -> int | Unknown:
    strategy = text(at(config, "updateStrategy"))
    if strategy == "MINIMAL":
        return 0
    count, share = (_number(at(config, f"maxUnavailable{unit}")) for unit in ("", "Percentage"))
    if isinstance(count, Unknown) or isinstance(share, Unknown):
        return UNKNOWN
    if share is not None:
        if isinstance(maximum, Unknown):
            return UNKNOWN
        count = min(ceil(maximum * share / 100), _PARALLEL)
    return max(count or 1, by_zones)


def _tenth_of_group(maximum: int | Unknown) -> int | Unknown:
    return UNKNOWN if isinstance(maximum, Unknown) else ceil(maximum / 10)


def _zone_balancing_machines(group: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return the machines that start in other zones before those out of balance end.

    A tenth of the maximum, at least one. A group of one machine is out of balance only when its
    zones change.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-benefits.html
    """
    zones_before = group.before or {}
    zones_change = any(
        key in zones_before and zones_before[key] != group.inputs.get(key) for key in _ZONES
    )
    is_spread = any(_may_be_several(group.inputs.get(key)) for key in _ZONES)
    is_suspended = "AZRebalance" in map(str, as_list(group.inputs.get("suspendedProcesses")))
    if is_suspended or not (zones_change or (is_spread and maximum != 1)):
        return 0
    return _tenth_of_group(maximum)


def _may_be_several(zones: Any) -> bool:
    return isinstance(zones, Unknown) or len(as_list(zones)) > 1


def _spot_replacement_machines(group: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return the replacements of spot machines at risk, at most a tenth of the group.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-capacity-rebalancing.html
    """
    rebalances = flag(group.inputs.get("capacityRebalance"))
    if isinstance(rebalances, Unknown):
        return UNKNOWN
    if not rebalances:
        return 0
    return _tenth_of_group(maximum)


def _surge(policy: Any, maximum: int | Unknown) -> int | Unknown:
    """Return the machines that one policy adds; 0 without a maximum healthy percentage.

    One of 100% still brings a machine where the minimum leaves no other way: it starts before an
    old one ends.
    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RefreshPreferences.html
    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceMaintenancePolicy.html
    """
    share, least = (_number(at(policy, f"{end}HealthyPercentage")) for end in ("max", "min"))
    if share is None or maximum == 0:
        return 0
    least = _DEFAULT_HEALTHY_PERCENT if least is None else least
    if isinstance(share, Unknown) or isinstance(least, Unknown) or isinstance(maximum, Unknown):
        return UNKNOWN
    is_stuck = ceil(maximum * least / 100) == maximum
    return max(int(is_stuck), ceil(maximum * (share - 100) / 100))


def scheduled_size(schedule: Resource, key: str) -> int | Unknown | None:
    """Return the size that a schedule gives its group; None where it leaves the size alone.

    https://www.pulumi.com/registry/packages/aws/api-docs/autoscaling/schedule/
    """
    return _number(schedule.inputs.get(key))


def _number(value: Any) -> int | Unknown | None:
    """Return a number; None where it is not stated or is -1, which means the same."""
    return None if str(value).strip() in _UNCHANGED_SIZES else whole_number(value)


def warm_pool_size(group: Resource) -> int | Unknown:
    """Return how many machines a warm pool keeps above the group's maximum.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutWarmPool.html
    """
    number = whole_number(at(_warm_pool_config(group), "minSize"))
    return 0 if number is None else number


def with_warm_pool(group: Resource, maximum: int | Unknown) -> int | Unknown:
    """Return the most machines of a group and its warm pool together."""
    warm = warm_pool_size(group)
    if isinstance(maximum, Unknown) or isinstance(warm, Unknown):
        maximum = UNKNOWN
    else:
        maximum += warm
    prepared = whole_number(at(_warm_pool_config(group), "maxGroupPreparedCapacity"))
    if prepared == _UNLIMITED_SIZE and group.inputs.get(_WARM_POOL_CONFIG) is not None:
        return UNKNOWN
    return maximum if prepared is None else largest((maximum, prepared))


def _warm_pool_config(group: Resource) -> Any:
    nodes = group.inputs.get(_WARM_POOL_CONFIG)
    pool = group.inputs.get("warmPool") if nodes is None else nodes
    return None if flag(at(pool, "enabled")) is False else pool


def unbounded_of(resource: Resource, index: Index) -> tuple[str, ...] | Unknown:
    """Return why a group may exceed its maximum, or a fleet its target.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PredictiveScalingConfiguration.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-capacity-rebalance.html
    """
    return faults_of_checks(_maximum_breaches(resource, index))


def _maximum_breaches(resource: Resource, index: Index) -> Iterator[tuple[Known, str]]:
    policies = index.referrers(resource, resource_types.SCALING_POLICY, "autoscalingGroupName")
    for policy in policies.certain:
        predicted = policy.inputs.get("predictiveScalingConfiguration")
        breaches = equals(at(predicted, "maxCapacityBreachBehavior"), _BREACH)
        scales = opposite(equals(at(predicted, "mode"), _FORECASTS))
        yield all_of((breaches, scales)), _MAXIMUM_RAISED_FAULT.format(policy.name)
    if resource_types.canonical(resource.type) == resource_types.GROUP and not policies.complete:
        yield UNKNOWN, "a scaling policy of a group that is not known yet"
    if resource.inputs.get("instanceLifecyclePolicy") is not None:
        from gpuinfra.clouds.aws.observe.launch import retained_machines  # noqa: PLC0415  (few have any)

        yield (
            retained_machines.retains(resource, index),
            retained_machines.RETAINED_MACHINES_REASON,
        )
    termination_policy = text(resource.inputs.get("excessCapacityTerminationPolicy"))
    is_unknown = isinstance(termination_policy, Unknown)
    yield (UNKNOWN if is_unknown else termination_policy in _NO_TERMINATION, _EXCESS_CAPACITY)
    options = resource.inputs.get(_REBALANCES.get(resource_types.canonical(resource.type), ""))
    at_risk = options
    if resource_types.canonical(resource.type) == resource_types.FLEET:
        at_risk = at(options, "maintenanceStrategies")
    yield (
        equals(at(at_risk, "capacityRebalance", "replacementStrategy"), "launch"),
        _RUNS_ON,
    )
