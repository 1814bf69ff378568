"""The purchase and scaling settings that AWS refuses, described with the fix.

What a resource says is enough to see it; a value that is not known yet is never a fault.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest
from gpuinfra.clouds.aws.observe.machines.spot_interruption import (
    in_placement_group,
    interruption_faults,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_BLOCK: Final = "capacity-block"
_TARGETS: Final = (
    *("capacityReservationId", "capacityReservationResourceGroupArn"),
    *("capacityReservationIds", "capacityReservationResourceGroupArns"),
)
"""How a launch template names a reservation, and how a scaling group does:
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CapacityReservationTarget.html"""
_SIZES: Final = {
    resource_types.GROUP: ("", ("minSize", "maxSize", "desiredCapacity")),
    resource_types.NODE_GROUP: ("scalingConfig", ("minSize", "maxSize", "desiredSize")),
}
"""The inputs of a group's minimum, maximum and desired size."""
_OPTIONS: Final = "instanceMarketOptions"
_SHARES: Final = ("mixedInstancesPolicy", "instancesDistribution")
_BUYS: Final = (
    ("capacityType",),
    (*_SHARES, "onDemandBaseCapacity"),
    (*_SHARES, "onDemandPercentageAboveBaseCapacity"),
    ("targetCapacitySpecification", "defaultTargetCapacityType"),
    ("targetCapacitySpecification", "spotTargetCapacity"),
    ("targetCapacitySpecification", "onDemandTargetCapacity"),
    ("onDemandTargetCapacity",),
)
"""Inputs that say whether machines are spot machines."""
_LOWEST: Final = frozenset({None, "lowest-price", "lowestPrice"})


def spot_conflicts(resource: Resource, request: GroupRequest, index: Index) -> Iterator[str]:
    """Yield settings that conflict with how machines are bought, except capacity blocks."""
    yield from interruption_faults(resource, launches_of(request), index)
    kind = resource_types.canonical(resource.type)
    for option in launches_of(request):
        market = at(option.get("instanceMarketOptions"), "marketType")
        if kind == resource_types.NODE_GROUP and market == "spot":
            yield (
                "the launch template of a managed node group requests spot, which EKS "
                "refuses: remove instance_market_options and set capacity_type to SPOT"
            )
        if resource.inputs.get("mixedInstancesPolicy") is not None and market == "spot":
            yield (
                "the launch template of a mixed instances policy requests spot, which "
                "Auto Scaling refuses: remove instance_market_options, and set the "
                "spot share in instances_distribution"
            )


def unknown_market_faults(resource: Resource, request: GroupRequest) -> tuple[str, ...] | Unknown:
    """Return UNKNOWN where it is not known yet whether machines are spot machines, else ()."""
    market_inputs = [at(resource.inputs, *path) for path in _BUYS]
    market_inputs += [at(launch.get(_OPTIONS), "marketType") for launch in launches_of(request)]
    return UNKNOWN if UNKNOWN in market_inputs else ()


def capacity_block_faults(
    resource: Resource, request: GroupRequest, index: Index
) -> Iterator[str]:
    """Yield settings that keep the machines of a capacity block from starting.

    A placement group adds constraints that the reservation does not have:
    https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/validators/ec2_validators.py
    (2026-11-28)
    """
    if not _wants_block(request):
        return
    kind = resource_types.canonical(resource.type)
    for launch in launches_of(request):
        if in_placement_group(resource, launch, index):
            yield (
                "its capacity block is in a placement group, so machines may not start for "
                "insufficient capacity: remove the placement group (EC2 already places "
                "them close together)"
            )
        if _names_none(launch) and _names_none(resource.inputs):
            yield (
                "the capacity block's reservation is not named: write its id in "
                "capacity_reservation_specification, under capacity_reservation_target"
            )
    if resource.inputs.get("mixedInstancesPolicy") is not None and request.spot_share > 0:
        yield (
            "a mixed instances policy with a capacity block requests spot: set "
            "on_demand_percentage_above_base_capacity to 100, or remove the block"
        )
    if kind == resource_types.NODE_GROUP:
        yield from _eks_block(resource)


def scaling_faults(resource: Resource, request: GroupRequest) -> Iterator[str]:
    """Yield settings of a group's sizes and warm pool that Auto Scaling refuses."""
    inputs = resource.inputs
    yield from _sizes(resource)
    mixed = inputs.get("mixedInstancesPolicy")
    if inputs.get("warmPool") is not None:
        if mixed is not None:
            yield ("Auto Scaling refuses a warm pool with a mixed instances policy: remove one")
        elif request.market.capacity == "spot":
            yield (
                "Auto Scaling refuses a warm pool with a launch template that requests "
                "spot: remove one of them"
            )


def _sizes(resource: Resource) -> Iterator[str]:
    """Yield sizes that contradict each other.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-capacity-limits.html
    """
    sizes_path, keys = _SIZES.get(resource_types.canonical(resource.type), ("", ()))
    config = resource.inputs.get(sizes_path) if sizes_path else resource.inputs
    least, most, desired = (whole_number(at(config, key)) for key in keys or ("", "", ""))
    if not isinstance(least, int) and not isinstance(most, int):
        return
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield f"its minimum of {least} is above its maximum of {most}: raise the maximum"
    if isinstance(desired, int) and isinstance(least, int) and desired < least:
        yield (
            f"its desired capacity of {desired} is below its minimum of {least}: raise the "
            "desired capacity"
        )
    if isinstance(desired, int) and isinstance(most, int) and desired > most:
        yield (
            f"its desired capacity of {desired} is above its maximum of {most}: lower the "
            "desired capacity"
        )


def lowest_price(resource: Resource, request: GroupRequest) -> Known | None:
    """Return whether spot machines are chosen by the lowest price only, AWS's default.

    None where nothing is chosen: one type from one template, or no spot at all.
    """
    mixed = resource.inputs.get("mixedInstancesPolicy")
    kind = resource_types.canonical(resource.type)
    is_fleet_with_options = (
        kind in {resource_types.FLEET, resource_types.SPOT_FLEET} and len(request.options) > 1
    )
    if request.market.capacity != "spot" or (mixed is None and not is_fleet_with_options):
        return None
    strategy = at(mixed, "instancesDistribution", "spotAllocationStrategy")
    if kind == resource_types.SPOT_FLEET:
        strategy = resource.inputs.get("allocationStrategy")
    elif mixed is None:
        strategy = at(resource.inputs.get("spotOptions"), "allocationStrategy")
    return UNKNOWN if isinstance(strategy, Unknown) else strategy in _LOWEST


def launches_of(request: GroupRequest) -> Iterator[LaunchSources]:
    """Yield each launch of a group once."""
    seen_launches: set[tuple[str, ...]] = set()
    for option in request.options:
        key = tuple(layer.urn for layer in option.launch.layers)
        if key not in seen_launches:
            seen_launches.add(key)
            yield option.launch


def _wants_block(request: GroupRequest) -> bool:
    if request.market.capacity == _BLOCK:
        return True
    launches = launches_of(request)
    return any(
        at(launch.get("instanceMarketOptions"), "marketType") == _BLOCK for launch in launches
    )


def _names_none(properties: LaunchSources | Mapping[str, Any]) -> bool:
    """Return whether a launch, or the scaling group itself, surely names no reservation."""
    target = at(properties.get("capacityReservationSpecification"), "capacityReservationTarget")
    return not isinstance(target, Unknown) and not any(at(target, key) for key in _TARGETS)


def _eks_block(resource: Resource) -> Iterator[str]:
    if as_list(resource.inputs.get("instanceTypes")):
        yield (
            "a node group of a capacity block names instance_types: remove them, the "
            "launch template names the type"
        )
    if text(resource.inputs.get("capacityType")) in {None, "ON_DEMAND", "SPOT"}:
        yield (
            "a node group's launch template is of a capacity block: set capacity_type to"
            " CAPACITY_BLOCK"
        )
