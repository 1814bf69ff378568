"""Machine groups as resources request them: instances, managed groups, node pools."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import launch_options, locations
from gpuinfra.clouds.gcp.observe.machines.attached_costs import machine_items
from gpuinfra.clouds.gcp.observe.machines.group_lifecycle import UpkeepGroup, upkeep_of
from gpuinfra.clouds.gcp.observe.machines.group_updates import surge_of, update_refused
from gpuinfra.clouds.gcp.observe.machines.machine_labels_and_scaling import with_labels_and_scaling
from gpuinfra.clouds.gcp.observe.machines.machine_security import safety_of
from gpuinfra.clouds.gcp.observe.machines.resize_requests import (
    has_run_duration,
    with_resize_request,
)
from gpuinfra.clouds.gcp.observe.machines.start_places import of_places
from gpuinfra.clouds.gcp.observe.machines.surcharges import surcharges
from gpuinfra.clouds.gcp.observe.machines.time_limits import ends_of
from gpuinfra.clouds.gcp.observe.network import fabric
from gpuinfra.clouds.gcp.observe.network.login import login_faults
from gpuinfra.clouds.gcp.observe.network.mixed_pools import backends_of
from gpuinfra.clouds.gcp.observe.network.network_paths import ReachedGroup as Reached
from gpuinfra.clouds.gcp.observe.network.network_paths import reach_of
from gpuinfra.clouds.gcp.observe.storage.disk_faults import disk_faults_of
from gpuinfra.clouds.gcp.observe.storage.disks import image_of
from gpuinfra.clouds.observing.fault_texts import all_faults, rule_faults, size_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.several_options import weakest_fabric, worst_safety
from gpuinfra.clouds.observing.values import all_of, any_of, at, equals, text, whole_number
from gpuinfra.model import (
    UNKNOWN,
    Group,
    Known,
    Machine,
    MarketFacts,
    NotJudged,
    Purpose,
    Resource,
    Rows,
    Rung,
    Unknown,
    Usage,
)

_NO_TYPE: Final = "its machine type is not set"
_TYPE_UNKNOWN: Final = "its machine type is not known yet"
_WAITING: Final = (
    "it keeps suspended or stopped machines, whose disks and memory are billed and not "
    "counted here"
)
_GROUP_NOT_IN_STACK: Final = "the group that it scales is not in this stack, or not known yet"
_MAY_HAVE_GPUS: Final = re.compile(r"[ag]\d+[a-z]*-")
"""Series that come with GPUs, also those that no table has yet:
https://docs.cloud.google.com/compute/docs/accelerator-optimized-machines"""


def group_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the rows of one resource's machines, with disks, addresses and NAT use.

    A managed group without a size of its own has none: its autoscaler brings them. Why machines
    can't be known is told of the group alone.
    """
    request = launch_options.group_request_of(resource, index)
    unknown_price_reason = _unknown_price_reason(request)
    if unknown_price_reason:
        return unjudged_rows(resource, unknown_price_reason)
    waiting = _standby(resource)
    if resource_types.canonical(resource.type) == resource_types.GROUP and request.maximum == 0:
        return Rows(not_judged=waiting)
    rows = _rows(resource, request, index, usage)
    return replace(rows, not_judged=(*rows.not_judged, *waiting))


def _standby(resource: Resource) -> tuple[NotJudged, ...]:
    """Return the suspended or stopped machines of a group, which are billed in part.

    https://docs.cloud.google.com/compute/docs/instance-groups/suspended-and-stopped-vms-in-mig
    """
    counts = (
        whole_number(resource.inputs.get(key))
        for key in ("targetSuspendedSize", "targetStoppedSize")
    )
    if all(count in (None, 0) for count in counts):
        return ()
    return (NotJudged(subject=resource.urn, type=resource.type, reason=_WAITING),)


def autoscaler_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that an autoscaler may add to its group."""
    groups = index.targets(resource, "target", resource_types.GROUP)
    if len(groups.certain) != 1:
        return unjudged_rows(resource, _GROUP_NOT_IN_STACK)
    (group,) = groups.certain
    group_request = launch_options.group_request_of(group, index)
    limit_faults = size_faults(*launch_options.limits_of(resource))
    least, most = launch_options.autoscaled_machines(resource, group, group_request)
    request = replace(group_request, scaling=limit_faults, minimum=least, maximum=most)
    if group.inputs.get("targetSize") is None and not launch_options.is_off(resource):
        return _rows(group, request, index, usage)
    if most == 0 and (isinstance(limit_faults, Unknown) or not limit_faults):
        return Rows()
    return _under_adding_resource(_rows(group, request, index, usage), resource, usage)


def resize_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that a resize request adds to its group."""
    managers = index.targets(resource, "instanceGroupManager", resource_types.GROUP)
    if len(managers.certain) != 1:
        return unjudged_rows(resource, _GROUP_NOT_IN_STACK)
    (manager,) = managers.certain
    count = _number(whole_number(resource.inputs.get("resizeBy")), UNKNOWN)
    group_request = launch_options.group_request_of(manager, index)
    request = with_resize_request(resource, manager, group_request, index)
    rows = _rows(manager, replace(request, minimum=count, maximum=count), index, usage)
    ends = has_run_duration(resource)
    groups = (
        replace(
            group,
            lifecycle=replace(group.lifecycle, ends=any_of((ends, group.lifecycle.ends or False))),
        )
        for group in rows.groups
    )
    return _under_adding_resource(replace(rows, groups=tuple(groups)), resource, usage)


def _rows(
    resource: Resource, request: launch_options.GroupRequest, index: Index, usage: Usage
) -> Rows:
    if _unknown_price_reason(request):
        return Rows()
    launches = _distinct_launches(request.options)
    names = tuple(dict.fromkeys(str(option.machine) for option in request.options))
    machine_types = tuple(row for name in names if (row := machine(name)) is not None)
    needs = [
        fabric.FabricRequest(resource, launch, machine_types, request.market, request.maximum)
        for launch in launches
    ]
    is_spot = request.market.capacity == "spot"
    purpose = _purpose(resource, launches, machine_types, index, usage)
    group = Group(
        name=resource.name,
        subject=resource.urn,
        purpose=purpose,
        cloud="gcp",
        rungs=(
            Rung(
                capacity=request.market.capacity,
                machine=names[0],
                region=locations.region_of(resource, index),
                zones=locations.machine_zones(resource, index),
                spot_share_above_base=Decimal(1 if is_spot else 0),
                image=image_of(launches[0]),
                reserve=_is_kept(resource, request, index),
            ),
        ),
        machines=names,
        minimum=request.minimum,
        maximum=request.maximum,
        needs=usage.needs_of(resource.name),
        fabric=weakest_fabric([fabric.fabric_of(need, index) for need in needs]),
        safety=worst_safety([safety_of(launch, index) for launch in launches]),
        faults=(
            *request.market.faults,
            *rule_faults(
                "scaling-settings", all_faults(request.scaling, update_refused(resource))
            ),
            *rule_faults(
                "launch-settings",
                of_places(resource, launches, names, request.maximum, index),
            ),
            *rule_faults("disk-limits", disk_faults_of(launches, names)),
            *rule_faults("login-identity", login_faults(resource, launches, index)),
        ),
        market=MarketFacts(usage_classes=request.market.ways),
        lifecycle=replace(
            ends_of(resource, launches, request.market, index),
            maintenance=_maintenance(names, launches, spot=is_spot),
            surge=surge_of(resource, request.maximum),
            upkeep=upkeep_of(
                UpkeepGroup(resource, launches, machine_types, request.minimum, request.maximum),
                index,
            ),
        ),
        reach=reach_of(
            Reached(
                resource,
                launches,
                serves=usage.purpose.get(resource.name) == "inference",
                together=purpose == "training" and request.maximum not in (0, 1),
            ),
            index,
        ),
    )
    group = with_labels_and_scaling(group, resource, launches, index)
    items = tuple(machine_items(resource, launches, machine_types, index))
    return Rows(groups=(group,), items=items, not_judged=surcharges(resource, launches, index))


def _is_kept(resource: Resource, request: launch_options.GroupRequest, index: Index) -> bool:
    """Return whether machines surely run in a reservation of this stack."""
    if not index.of_kind(resource_types.RESERVATION):
        return False
    from gpuinfra.clouds.gcp.observe.machines import reserved_machines  # noqa: PLC0415  (few stacks have any)

    return reserved_machines.is_kept(resource, request, index)


def _unknown_price_reason(request: launch_options.GroupRequest) -> str:
    """Return why a group's price can't be known; empty when it can."""
    if not request.options:
        return "it names no instance template"
    for option in request.options:
        if option.machine is None:
            return option.launch.hidden or _NO_TYPE
        if isinstance(option.machine, Unknown):
            return option.launch.hidden or _TYPE_UNKNOWN
    return ""


def _distinct_launches(options: Sequence[launch_options.LaunchOption]) -> list[LaunchSources]:
    """Return the distinct launches, by their templates and the disks of a selection."""
    launches = (option.launch for option in options)
    return list(
        {
            (*(layer.urn for layer in layers.layers), repr(layers.get("disks"))): layers
            for layers in launches
        }.values()
    )


def _purpose(
    resource: Resource,
    launches: Sequence[LaunchSources],
    machines: Sequence[Machine],
    index: Index,
    usage: Usage,
) -> Purpose:
    """Return the stated purpose, else the implied one: a balancer serves, a fabric trains."""
    purpose = usage.purpose.get(resource.name)
    if purpose is not None:
        return purpose
    is_served = any(resource.inputs.get(key) for key in ("targetPools", "namedPorts"))
    scaled = index.referrers(resource, resource_types.AUTOSCALER, "target").certain
    if is_served or scaled or backends_of(resource, index):
        return "inference"
    has_fabric = any_of(fabric.is_declared(launch, machines, index) for launch in launches)
    return "training" if has_fabric is True else "unknown"


def _maintenance(
    names: Sequence[str], launches: Sequence[LaunchSources], *, spot: bool
) -> Known | None:
    """Return whether GPU machines end at host maintenance, as required; None without GPUs.

    A spot machine ends unless it says otherwise, any other would be moved.
    """
    ends = all_of(_ends_at_maintenance(launch, spot=spot) for launch in launches)
    if any(machine(name) is not None or "+" in name for name in names):
        return ends
    if any(_MAY_HAVE_GPUS.match(name) for name in names):
        return ends if ends is True else UNKNOWN
    return None


def _ends_at_maintenance(launch: LaunchSources, *, spot: bool) -> Known:
    behavior = text(at(launch.get("scheduling"), "onHostMaintenance"))
    if behavior is None:
        return spot
    return equals(behavior, "TERMINATE")


def _under_adding_resource(rows: Rows, resource: Resource, usage: Usage) -> Rows:
    """Return the rows of additional machines under the resource that adds them."""
    groups = tuple(
        replace(
            group,
            name=resource.name,
            subject=resource.urn,
            needs=replace(group.needs, hours=usage.hours.get(resource.name, group.needs.hours)),
        )
        for group in rows.groups
    )
    items = tuple(
        replace(item, group=resource.name, subject=resource.urn, resource=resource.urn)
        for item in rows.items
    )
    return Rows(groups=groups, items=items, not_judged=rows.not_judged)


def _number(value: int | Unknown | None, default: int | Unknown) -> int | Unknown:
    return default if value is None else value
