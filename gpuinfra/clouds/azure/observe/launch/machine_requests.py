"""The machines that a resource requests: types, number, and how they are bought."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from gpuinfra.clouds.azure.machines import size_name
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.launch.launch_settings import profile_of
from gpuinfra.clouds.observing.values import amount, as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Capacity, Known, Resource, Unknown
from gpuinfra.records import record

_TYPE_UNKNOWN: Final = "its machine type is not known yet"
_NO_TYPE: Final = "its machine type is not set"
_CHOSEN_BY_ATTRIBUTES: Final = "its machines are chosen by attributes, not by type"
_PRIORITY_LATER: Final = "the purchase option (priority) is not known yet"
_MIX_LATER: Final = "its mix of spot and regular machines is not known yet"
_PRICE_LATER: Final = "its maximum spot price is not known yet, or is not an amount"

_MIX: Final = "Mix"
"""The size of a scale set that lists several:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/instance-mix-overview"""

_ANY_PRICE: Final = frozenset({"-1", "-1.0"})
"""Up to the on-demand price: https://learn.microsoft.com/azure/virtual-machines/spot-vms"""


@record
class GroupRequest:
    """The machines that a resource requests; `trouble` is the reason if they are unknown."""

    machines: tuple[str, ...] = ()
    capacity: Capacity = "on-demand"
    max_price: Decimal | None = None
    minimum: int | Unknown = 1
    maximum: int | Unknown = 1
    base: int = 0
    spot_share: Decimal = Decimal(0)
    trouble: str = ""


def group_request_of(resource: Resource) -> GroupRequest:
    """Return the request of a machine, a scale set or a fleet, before it is scaled."""
    kind = resource_types.canonical(resource.type)
    if kind == resource_types.FLEET:
        return _fleet_request(resource)
    profile = profile_of(resource)
    if kind == resource_types.MACHINE:
        sizes: tuple[Any, ...] = (profile.get("hardwareProfile", "vmSize"),)
        return priority_request(
            sizes, profile.get("priority"), at(profile.get("billingProfile"), "maxPrice")
        )
    sizes = _sizes(resource.inputs)
    count = _count(at(resource.inputs.get("sku"), "capacity"))
    request = priority_request(
        sizes, profile.get("priority"), at(profile.get("billingProfile"), "maxPrice"), count, count
    )
    return _with_spot_mix(request, resource.inputs.get("priorityMixPolicy"))


def priority_request(
    sizes: tuple[Any, ...],
    priority: Any,
    price: Any,
    minimum: int | Unknown = 1,
    maximum: int | Unknown = 1,
) -> GroupRequest:
    """Return the request of machines of one priority, Regular (the default) or Spot."""
    names = [text(size) for size in sizes]
    if not names or None in names:
        return GroupRequest(trouble=_NO_TYPE)
    if UNKNOWN in names:
        return GroupRequest(trouble=_TYPE_UNKNOWN)
    capacity = capacity_of(priority)
    if isinstance(capacity, Unknown):
        return GroupRequest(trouble=_PRIORITY_LATER)
    is_spot = capacity == "spot"
    ceiling = _ceiling(price) if is_spot else None
    if isinstance(ceiling, Unknown):
        return GroupRequest(trouble=_PRICE_LATER)
    return GroupRequest(
        machines=tuple(dict.fromkeys(size_name(str(name)) for name in names)),
        capacity=capacity,
        max_price=ceiling,
        minimum=minimum,
        maximum=maximum,
        spot_share=Decimal(1 if is_spot else 0),
    )


def capacity_of(priority: Any) -> Capacity | Unknown:
    """Return the purchase option of a priority; Low is a former name of Spot."""
    priority_text = text(priority)
    if isinstance(priority_text, Unknown):
        return UNKNOWN
    return "spot" if (priority_text or "").lower() in {"spot", "low"} else "on-demand"


def is_valid_price(price: Any) -> Known:
    """Return whether Azure takes a maximum price: -1, or an amount above zero."""
    if isinstance(price, Unknown):
        return UNKNOWN
    try:
        return price in (None, "") or str(price).strip() in _ANY_PRICE or Decimal(str(price)) > 0
    except InvalidOperation:
        return False


def _ceiling(price: Any) -> Decimal | Unknown | None:
    """Return the maximum price of an hour; None for -1, none and a refused one: on-demand."""
    return (
        None
        if str(price).strip() in _ANY_PRICE or is_valid_price(price) is False
        else amount(price)
    )


def _sizes(inputs: Mapping[str, Any]) -> tuple[Any, ...]:
    name = at(inputs.get("sku"), "name")
    mixed_sizes = at(inputs.get("skuProfile"), "vmSizes")
    if mixed_sizes is None and name != _MIX:
        return (name,)
    return tuple(at(size, "name") for size in as_list(mixed_sizes))


def _count(value: Any) -> int | Unknown:
    number = whole_number(value)
    return UNKNOWN if number is None else number


def _with_spot_mix(request: GroupRequest, policy: Any) -> GroupRequest:
    """Return a request with regular machines among spot ones: a base, and a share above it."""
    if policy is None or request.trouble or request.capacity != "spot":
        return request
    base = whole_number(at(policy, "baseRegularPriorityCount"))
    regular_percent = amount(at(policy, "regularPriorityPercentageAboveBase"))
    if isinstance(base, Unknown) or isinstance(regular_percent, Unknown):
        return GroupRequest(trouble=_MIX_LATER)
    share = max(Decimal(0), 1 - (regular_percent or Decimal(0)) / 100)
    if share == 0:
        return replace(request, capacity="on-demand", max_price=None, spot_share=share)
    return replace(request, base=base or 0, spot_share=share)


def _fleet_request(resource: Resource) -> GroupRequest:
    inputs = resource.inputs
    if inputs.get("vmAttributes") is not None:
        return GroupRequest(trouble=_CHOSEN_BY_ATTRIBUTES)
    if inputs.get("additionalLocationsProfile") is not None:
        return GroupRequest(
            trouble="it starts machines in several regions, each with its own price"
        )
    spot, regular = inputs.get("spotPriorityProfile"), inputs.get("regularPriorityProfile")
    if isinstance(spot, Unknown) or isinstance(regular, Unknown):
        return GroupRequest(trouble=_MIX_LATER)
    sizes = inputs.get("vmSizesProfile")
    names = (
        () if isinstance(sizes, Unknown) else tuple(at(size, "name") for size in as_list(sizes))
    )
    if isinstance(sizes, Unknown):
        return GroupRequest(trouble=_TYPE_UNKNOWN)
    counts = [_fleet_count(inputs, profile) for profile in (spot, regular)]
    if UNKNOWN in counts:
        total: int | Unknown = UNKNOWN
    else:
        total = sum(count for count in counts if isinstance(count, int))
    wants_spot = counts[0] != 0
    priority = "Spot" if wants_spot else "Regular"
    request = priority_request(names, priority, at(spot, "maxPricePerVM"), total, total)
    base = counts[1]
    if request.trouble or not wants_spot or isinstance(base, Unknown):
        return request
    return replace(request, base=base)


def _fleet_count(inputs: Mapping[str, Any], profile: Any) -> int | Unknown:
    """Return the number of machines of one profile; a capacity in vCPUs is UNKNOWN."""
    if profile is None:
        return 0
    if text(inputs.get("capacityType")) not in {None, "VM"}:
        return UNKNOWN
    return _count(at(profile, "capacity"))
