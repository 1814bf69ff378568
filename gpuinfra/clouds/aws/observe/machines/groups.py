"""Machine groups as resources request them: instances, scaling groups, fleets."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.fabric import PLACEMENT
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import (
    launch_options,
    locations,
    node_images,
    weighted_capacity,
)
from gpuinfra.clouds.aws.observe.launch.extra_machines import unbounded_of
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.launch.image_pinning import image_of
from gpuinfra.clouds.aws.observe.machines import (
    hibernation,
    launch_template_faults,
    purchase_faults,
    surcharges,
)
from gpuinfra.clouds.aws.observe.machines.machine_items import machine_items
from gpuinfra.clouds.aws.observe.machines.machine_labels_and_scaling import with_labels_and_scaling
from gpuinfra.clouds.aws.observe.machines.machine_security import safety_of
from gpuinfra.clouds.aws.observe.machines.time_limits import (
    has_scheduled_stop,
    hours_of_restart,
    hours_until_stop,
    starts_again,
)
from gpuinfra.clouds.aws.observe.network import start_places
from gpuinfra.clouds.aws.observe.network.addresses import addresses_of
from gpuinfra.clouds.aws.observe.network.fabric import (
    fabric_of,
    is_declared,
    placement_name,
)
from gpuinfra.clouds.aws.observe.storage.disk_rows import disk_faults_of
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.several_options import weakest_fabric, worst_safety
from gpuinfra.clouds.observing.values import any_of
from gpuinfra.model import (
    UNKNOWN,
    Fabric,
    Group,
    GroupLifecycle,
    Machine,
    MarketFacts,
    Purpose,
    Resource,
    Rows,
    Rung,
    Unknown,
    Usage,
)

_NO_TYPE: Final = "its machine type is not set"
_TYPE_UNKNOWN: Final = "its machine type is not known yet"


def group_rows(
    resource: Resource,
    index: Index,
    usage: Usage,
    request: launch_options.GroupRequest | None = None,
) -> Rows:
    """Return the rows of one resource's machines, with their disks and addresses.

    Args:
        resource: that holds machines.
        index: all resources.
        usage: the user's statements about it.
        request: its request, if not in its own inputs.
    """
    request = request or group_request_of(resource, index)
    unknown_price_reason = _unknown_price_reason(request)
    if unknown_price_reason:
        return unjudged_rows(resource, unknown_price_reason)
    is_fabric_declared = any_of(is_declared(option.launch, index) for option in request.options)
    parts = (
        weighted_capacity.split_by_weight(request)
        if is_fabric_declared is False
        else (weighted_capacity.count_in_machines(request),)
    )
    first, *other_rows = (_rows_of(resource, part, request, index, usage) for part in parts)
    rows = [first, *(_additional_rows(row) for row in other_rows)]
    return Rows(
        groups=tuple(group for row in rows for group in row.groups),
        items=tuple(item for row in rows for item in row.items),
        not_judged=surcharges.machine_surcharge_reasons(
            resource, purchase_faults.launches_of(request), index
        ),
    )


def _additional_rows(rows: Rows) -> Rows:
    """Return the rows of a resource's additional machines, named by their types."""
    (group,) = rows.groups
    group_name = f"{group.name} ({', '.join(group.machines)})"
    return replace(
        rows,
        groups=(replace(group, name=group_name),),
        items=tuple(replace(item, group=group_name) for item in rows.items),
    )


def _rows_of(
    resource: Resource,
    part_request: launch_options.GroupRequest,
    request: launch_options.GroupRequest,
    index: Index,
    usage: Usage,
) -> Rows:
    """Return the rows of some of a resource's machines; a refusal of one applies to all."""
    launches = _distinct_launches(part_request.launches)
    names = tuple(dict.fromkeys(str(option.machine) for option in part_request.options))
    group = Group(
        name=resource.name,
        subject=resource.urn,
        purpose=_purpose(resource, launches, index, usage),
        cloud="aws",
        rungs=(_rung(resource, part_request, names[0], index),),
        machines=names,
        minimum=part_request.minimum,
        maximum=part_request.maximum,
        needs=usage.needs_of(resource.name),
        fabric=_fabric(
            resource, launches, names, index, reserved=request.market.capacity == "reserved"
        ),
        safety=worst_safety([safety_of(resource, launch, index) for launch in launches]),
        faults=(
            *rule_faults(
                "spot-settings", purchase_faults.spot_conflicts(resource, request, index)
            ),
            *rule_faults(
                "spot-settings", purchase_faults.unknown_market_faults(resource, request)
            ),
            *rule_faults("spot-settings", hibernation.spot_hibernation_faults(resource, request)),
            *rule_faults(
                "capacity-block", purchase_faults.capacity_block_faults(resource, request, index)
            ),
            *rule_faults("launch-settings", launch_template_faults.template_faults(launches)),
            *rule_faults(
                "launch-settings",
                launch_template_faults.partition_faults(resource, launches, index),
            ),
            *rule_faults("launch-settings", hibernation.launch_hibernation_faults(request)),
            *rule_faults(
                "launch-settings", start_places.start_place_faults(resource, launches, index)
            ),
            *rule_faults("launch-settings", node_images.other_processors(resource, names)),
            *rule_faults("launch-settings", _template_conflicts(resource, launches)),
            *rule_faults("disk-limits", disk_faults_of(launches, names, index)),
            *rule_faults("scaling-settings", purchase_faults.scaling_faults(resource, request)),
            *rule_faults("pool-maximum", unbounded_of(resource, index)),
        ),
        lifecycle=GroupLifecycle(
            ends=has_scheduled_stop(resource, index),
            ends_within=hours_until_stop(resource, index),
            starts_again=starts_again(resource, index),
            restarts_within=hours_of_restart(resource, index),
        ),
        market=MarketFacts(lowest_price=purchase_faults.lowest_price(resource, request)),
        addresses=addresses_of(resource, launches, part_request.maximum, index),
    )
    group = with_labels_and_scaling(group, resource, launches, index)
    items = (
        *machine_items(resource, launches, index),
        *surcharges.setting_surcharges(resource, part_request),
    )
    return Rows(groups=(group,), items=items)


def _template_conflicts(resource: Resource, launches: Sequence[LaunchSources]) -> Iterable[str]:
    if resource_types.canonical(resource.type) != resource_types.NODE_GROUP:
        return ()
    from gpuinfra.clouds.aws.observe.machines import node_templates  # noqa: PLC0415  (few have any)

    return node_templates.conflicts(resource, launches)


def _unknown_price_reason(request: launch_options.GroupRequest) -> str:
    """Return why a group's price can't be known; empty when it can."""
    if not request.options:
        return _NO_TYPE
    for option in request.options:
        if option.reason:
            return option.reason
        if option.machine is None:
            return option.launch.hidden or _NO_TYPE
        if isinstance(option.machine, Unknown):
            return option.launch.hidden or _TYPE_UNKNOWN
    if isinstance(request.market.max_price, Unknown):
        return "its maximum spot price is not known yet, or is not an amount"
    return ""


def _distinct_launches(launches: Iterable[LaunchSources]) -> list[LaunchSources]:
    return list(
        {tuple(layer.urn for layer in launch.layers): launch for launch in launches}.values()
    )


def _rung(
    resource: Resource, request: launch_options.GroupRequest, first: str, index: Index
) -> Rung:
    price = request.market.max_price
    launches = request.launches
    return Rung(
        capacity=request.market.capacity,
        machine=first,
        region=locations.region_of(resource, index, launches),
        zones=locations.zones_of(resource, index, launches),
        max_price=price if isinstance(price, Decimal) else None,
        image=image_of(request.options[0].launch, index),
        placement_group=_known_text(placement_name(resource, request.options[0].launch)),
        on_demand_base=request.base,
        spot_share_above_base=request.spot_share,
        reservation=_known_text(request.market.reservation),
        reserve=request.market.kept_by is not None,
    )


def _known_text(value: str | Unknown | None) -> str | None:
    return value if isinstance(value, str) else None


def _purpose(
    resource: Resource, launches: Sequence[LaunchSources], index: Index, usage: Usage
) -> Purpose:
    """Return the stated purpose, else the implied one: a balancer serves, EFA trains."""
    purpose = usage.purpose.get(resource.name)
    if purpose is not None:
        return purpose
    serving_keys = ("targetGroupArns", "trafficSources", "loadBalancers")
    if any(resource.inputs.get(key) for key in serving_keys):
        return "inference"
    if index.referrers(resource, resource_types.SCALING_POLICY, "autoscalingGroupName").certain:
        return "inference"
    return (
        "training"
        if any_of(is_declared(launch, index) for launch in launches) is True
        else "unknown"
    )


def _fabric(
    resource: Resource,
    launches: Sequence[LaunchSources],
    names: Sequence[str],
    index: Index,
    *,
    reserved: bool,
) -> Fabric | None:
    machines: list[Machine] = [spec for name in names if (spec := machine(name)) is not None]
    launch_fabrics = [fabric_of(resource, launch, machines, index) for launch in launches]
    weakest = weakest_fabric(launch_fabrics)
    if weakest is None or weakest.placement is not UNKNOWN or not reserved:
        return weakest
    # Only a cluster placement group holds a reservation: under any name, it is one.
    return replace(weakest, placement=PLACEMENT)
