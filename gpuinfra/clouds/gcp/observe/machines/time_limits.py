"""The time limits that end machines of Google Cloud, and the schedules that start them."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import purchase_options
from gpuinfra.clouds.gcp.observe.machines.group_updates import lifecycle_of
from gpuinfra.clouds.observing.end_times import (
    has_no_day,
    hours_between,
    hours_from_start_to_stop,
    hours_to_end,
    is_far,
    is_over,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, amount, any_of, at, text
from gpuinfra.model import UNKNOWN, GroupLifecycle, Known, Resource, Unknown

_HOUR: Final = 3_600


def ends_of(
    resource: Resource,
    launches: Sequence[LaunchSources],
    bought: purchase_options.ObservedPurchase,
    index: Index,
) -> GroupLifecycle:
    """Return how machines end and start again."""
    return GroupLifecycle(
        ends=has_scheduled_stop(launches, bought, index),
        ends_within=hours_until_stop(resource, launches, index),
        starts_again=starts_again(resource, launches, index),
        restarts_within=hours_of_restart(resource, launches, index),
    )


def has_scheduled_stop(
    launches: Iterable[LaunchSources], bought: purchase_options.ObservedPurchase, index: Index
) -> Known:
    """Return whether all of the machines end by themselves, however they start.

    After a run duration, at a time, or by a schedule that stops them. A reservation ends those
    that are bound to it; whether the reservation ends is not visible here.
    https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime
    https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
    """
    is_bound: Known = UNKNOWN if bought.model == purchase_options.BOUND else False
    return all_of(
        any_of(
            (
                purchase_options.has_end_time(launch.get("scheduling")),
                _has_stop_schedule(launch, index),
                is_bound,
            )
        )
        for launch in launches
    )


def hours_until_stop(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> Decimal | None:
    """Return the hours within which the machines end, as they are scheduled; None without that.

    A managed group deletes a machine that reaches its limit instead of repairing it. Its
    autoscaler asks for another, and a run duration restarts with a machine that the group
    makes again after a fault, an interruption or a failed health check:
    https://docs.cloud.google.com/compute/docs/release-notes#April_29_2024,
    https://docs.cloud.google.com/dotnet/docs/reference/Google.Cloud.Compute.V1/latest/Google.Cloud.Compute.V1.InstanceGroupManagerInstanceLifecyclePolicy.Types.OnFailedHealthCheck
    """
    lasts, grouped = True, resource_types.canonical(resource.type) == resource_types.GROUP
    if grouped:
        targets = index.referrers(resource, resource_types.AUTOSCALER, "target")
        if targets.certain or not targets.complete:
            return None
        lasts = _repairs_nothing(lifecycle_of(resource))
    hours_by_launch = [_hours(launch, index, lasts=lasts) for launch in launches]
    known_hours = [hours for hours in hours_by_launch if hours is not None]
    return max(known_hours) if known_hours and len(known_hours) == len(hours_by_launch) else None


def _repairs_nothing(policy: Any) -> bool:
    """Return whether a group leaves a failed or unhealthy machine as it is."""
    unhealthy = text(at(policy, "onFailedHealthCheck"))
    return text(at(policy, "defaultActionOnFailure")) == "DO_NOTHING" and (
        unhealthy in {None, "DEFAULT_ACTION", "DO_NOTHING"}
    )


def _hours(launch: LaunchSources, index: Index, *, lasts: bool) -> Decimal | None:
    """Return the hours until a machine ends: at a moment, after its run duration, on schedule."""
    scheduling = launch.get("scheduling")
    moment = at(scheduling, "terminationTime")
    stops_at = [hours_to_end(moment)] if moment is not None else []
    seconds = amount(at(scheduling, "maxRunDuration", "seconds"))
    if lasts:
        stops_at += [seconds / _HOUR] if isinstance(seconds, Decimal) else []
        policies = launch.targets(index, "resourcePolicies", resource_types.POLICY)
        stops_at += map(_hours_to_stop, () if policies is None else policies.certain)
    return min((hours for hours in stops_at if hours is not None), default=None)


def _hours_to_stop(policy: Resource) -> Decimal | None:
    """Return the hours until a policy's schedule surely stops a machine."""
    schedule = _schedule(policy, "vmStopSchedule")
    begins = at(policy.inputs.get("instanceSchedulePolicy"), "startTime")
    later = Decimal(0) if begins is None else hours_to_end(begins)
    between = hours_between(at(schedule, "schedule"))
    return None if later is None or between is None else later + between


def _has_stop_schedule(launch: LaunchSources, index: Index) -> Known:
    policies = launch.targets(index, "resourcePolicies", resource_types.POLICY)
    return False if policies is None else policies.any_target(stops)


def stops(policy: Resource) -> Known:
    """Return whether a policy's schedule stops machines, and not only in a far future."""
    schedule = _schedule(policy, "vmStopSchedule")
    return UNKNOWN if isinstance(schedule, Unknown) else bool(schedule)


def _schedule(policy: Resource, key: str) -> Any:
    """Return a policy's schedule under a key; None for one that has no day, or none soon."""
    plan = policy.inputs.get("instanceSchedulePolicy")
    if is_far(at(plan, "startTime")) or is_over(at(plan, "expirationTime")):
        return None
    schedule = at(plan, key)
    return None if has_no_day(at(schedule, "schedule")) else schedule


def starts_again(resource: Resource, launches: Iterable[LaunchSources], index: Index) -> bool:
    """Return whether a schedule of the stack starts a machine again after it was stopped."""
    return any(map(starts, _policies_of(resource, launches, index)))


def hours_of_restart(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> Decimal | None:
    """Return the hours within which the stop of a machine's policy follows its start.

    A machine has one such policy, whose schedules share a time zone:
    https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
    """
    hours = [
        hours_from_start_to_stop(
            at(_schedule(policy, "vmStartSchedule"), "schedule"),
            at(_schedule(policy, "vmStopSchedule"), "schedule"),
        )
        for policy in _policies_of(resource, launches, index)
    ]
    return hours[0] if len(hours) == 1 else None


def _policies_of(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> Iterator[Resource]:
    for launch in launches:
        policies = launch.targets(index, "resourcePolicies", resource_types.POLICY)
        yield from () if policies is None else policies.certain
    attached = index.referrers(resource, resource_types.POLICY_ATTACHMENT, "instance")
    for attachment in attached.certain:
        yield from index.targets(attachment, "name", resource_types.POLICY).certain


def starts(policy: Resource) -> bool:
    """Return whether a policy has a schedule that starts machines, as far as it is known."""
    return bool(_schedule(policy, "vmStartSchedule"))


_MACHINES: Final = (resource_types.INSTANCE, resource_types.INSTANCE_FROM_TEMPLATE)
_STARTS: Final = "its schedule starts a machine that is not declared here"
_MAY_START: Final = (
    "its policy, which is not declared here, may start a machine outside this stack"
)


def foreign_start(attachment: Resource, index: Index) -> str:
    """Return why an attached policy may start a machine outside this stack; empty if it can't."""
    machines = (index.targets(attachment, "instance", kind) for kind in _MACHINES)
    if any(machine.certain or machine.possible or machine.namesakes for machine in machines):
        return ""
    attached_policies = index.targets(attachment, "name", resource_types.POLICY)
    policies = (
        *attached_policies.certain,
        *attached_policies.possible,
        *attached_policies.namesakes,
    )
    if not policies:
        return _MAY_START
    return _STARTS if any(map(starts, policies)) else ""
