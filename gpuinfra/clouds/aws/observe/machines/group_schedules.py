"""The machines that the schedules of scaling groups add."""

from dataclasses import replace

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import launch_options
from gpuinfra.clouds.aws.observe.launch.extra_machines import scheduled_size, warm_pool_size
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.machines.groups import group_rows
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage


def scheduled(
    resource: Resource, request: launch_options.GroupRequest, index: Index
) -> launch_options.GroupRequest:
    """Return a group's request at the largest size that it or one of its schedules has."""
    own_maximum, warm = request.maximum, warm_pool_size(resource)
    if isinstance(own_maximum, Unknown) or isinstance(warm, Unknown):
        return request
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName").certain
    sizes = [scheduled_size(schedule, "maxSize") for schedule in schedules]
    known_sizes = [own_maximum, *(size + warm for size in sizes if isinstance(size, int))]
    return replace(request, maximum=max(known_sizes))


def schedule_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that a schedule adds beyond its group's own maximum.

    Schedules of one group come one after the other: each adds only what exceeds those before it.
    """
    largest = scheduled_size(resource, "maxSize")
    if largest is None:
        return Rows()
    scaling_groups = index.targets(resource, "autoscalingGroupName", resource_types.GROUP)
    if len(scaling_groups.certain) != 1:
        return unjudged_rows(
            resource, "the group that it scales is not in this stack, or not known yet"
        )
    scaling_group = scaling_groups.certain[0]
    request = group_request_of(scaling_group, index)
    extra = _extra(resource, scaling_group, largest, request.maximum, index)
    if extra == 0:
        return Rows()
    rows = group_rows(scaling_group, index, usage, replace(request, minimum=0, maximum=extra))
    end = len(scaling_group.name)
    groups = tuple(
        replace(group, name=resource.name + group.name[end:], subject=resource.urn)
        for group in rows.groups
    )
    items = tuple(
        replace(
            item,
            group=resource.name + (item.group or "")[end:],
            subject=resource.urn,
            resource=resource.urn,
        )
        for item in rows.items
    )
    return Rows(groups=groups, items=items, not_judged=rows.not_judged)


def _extra(
    resource: Resource,
    group: Resource,
    largest: int | Unknown,
    own_maximum: int | Unknown,
    index: Index,
) -> int | Unknown:
    """Return how many units a schedule adds to its group and the schedules before it."""
    warm = warm_pool_size(group)
    if (
        isinstance(own_maximum, Unknown)
        or isinstance(largest, Unknown)
        or isinstance(warm, Unknown)
    ):
        return UNKNOWN
    known_sizes = [own_maximum]
    for other in index.referrers(group, resource_types.SCHEDULE, "autoscalingGroupName").certain:
        if other.urn == resource.urn:
            break
        size = scheduled_size(other, "maxSize")
        known_sizes += [size + warm] if isinstance(size, int) else []
    return max(0, largest + warm - max(known_sizes))
