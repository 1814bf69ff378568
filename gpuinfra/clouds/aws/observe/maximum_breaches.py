"""The ways for a group to exceed its maximum, and for a fleet to exceed its target."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, at, equals, opposite, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

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


def unbounded_of(resource: Resource, index: Index) -> tuple[str, ...] | Unknown:
    """Return why a group may exceed its maximum, or a fleet its target.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PredictiveScalingConfiguration.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-capacity-rebalance.html
    """
    reasons = list(_maximum_breaches(resource, index))
    certain = tuple(reason_text for fact, reason_text in reasons if fact is True)
    return certain or (UNKNOWN if any(fact is UNKNOWN for fact, _ in reasons) else ())


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
        from gpuinfra.clouds.aws.observe import retained_machines  # noqa: PLC0415  (few have any)

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
