"""The time limits that stop machines."""

from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.functions import source
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.extra_machines import scheduled_size
from gpuinfra.clouds.aws.observe.machines.scaling_signals import stops_later, workload_of
from gpuinfra.clouds.aws.observe.machines.stop_schedules import calls, document
from gpuinfra.clouds.aws.observe.rights.principals import may_call_function
from gpuinfra.clouds.observing.end_times import (
    hours_between,
    hours_until,
    is_far,
    is_over,
    out_of_reach,
)
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_STOP: Final = "stop"
"""The function that takes a workload's machines down, as gpuinfra uploads it."""
_STAYING: Final = frozenset({"Terminate", "ScheduledActions"})
"""Processes without which a schedule ends no machine:
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html"""
_ENDED_WHEN_STOPPED: Final = frozenset({"spot", "capacity-block"})
_INSTANT: Final = "instant"
"""The type of a fleet that is gone once its machines run, and does not expire:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-request-type.html"""
_FLEET_TYPES: Final = ("type", "fleetType")


def has_scheduled_stop(resource: Resource, index: Index) -> Known:
    """Return whether something stops the machines of a resource after a time.

    A schedule of the group itself, one of EventBridge Scheduler, or the end of a fleet. A schedule
    that calls a function other than gpuinfra's own may do so: what the function does is in no
    resource.
    """
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName")
    return any_of(
        (
            *(_stops_all(schedule, resource) for schedule in schedules.certain),
            False if schedules.complete else UNKNOWN,
            *(is_stopped for is_stopped, _ in _calendar_stops(resource, index)),
            _expires(resource),
        )
    )


def starts_again(resource: Resource, index: Index) -> bool:
    """Return whether something lets the machines run again after they were stopped.

    A schedule that leaves a group its maximum leaves its scaling policies, which raise it again.
    """
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName").certain
    ending = [schedule for schedule in schedules if _stops_all(schedule, resource) is not False]
    calendars = [
        calendar
        for is_stopped, calendar in _calendar_stops(resource, index)
        if is_stopped is not False
    ]
    ends = [*map(_last_of_schedule, ending), *map(_last_of_calendar, calendars)]
    if not ends:
        return False
    from gpuinfra.clouds.aws.observe.machines.restarts import start_again  # noqa: PLC0415  (few have any)

    policies = index.referrers(
        resource, resource_types.SCALING_POLICY, "autoscalingGroupName"
    ).certain
    stays_positive = all(scheduled_size(schedule, "maxSize") != 0 for schedule in ending)
    return bool(policies and ending and stays_positive) or start_again(resource, index, ends)


def _last_of_schedule(schedule: Resource) -> Decimal | None:
    """Return the hours until a group's schedule runs; None where it recurs."""
    if schedule.inputs.get("recurrence") is not None:
        return None
    return hours_until(schedule.inputs.get("startTime"), schedule.inputs.get("timeZone"))


def _last_of_calendar(calendar: Resource) -> Decimal | None:
    """Return the hours until a schedule of EventBridge runs; None where it recurs."""
    expression = calendar.inputs.get("scheduleExpression")
    once = isinstance(expression, str) and expression.startswith("at(")
    return _hours_until_next_run(calendar) if once else None


def hours_until_stop(resource: Resource, index: Index) -> Decimal | None:
    """Return the hours within which the machines surely stop; None where nothing ensures it.

    A schedule that calls a function counts where the function's code is the one that gpuinfra
    uploads, and the workload that it names is that of the machines: what other code does is not
    visible.
    """
    schedules = index.referrers(resource, resource_types.SCHEDULE, "autoscalingGroupName").certain
    stop_times = [*map(_hours_until_next_run, _stopping_calendars(resource, index))]
    if not any(_starts_again(schedule) for schedule in schedules):
        stop_times += [
            _hours_until_run(schedule)
            for schedule in schedules
            if _stops_all(schedule, resource) is True
        ]
    if _expires(resource) is True:
        stop_times.append(hours_until(resource.inputs.get("validUntil")))
    return min((hours for hours in stop_times if hours is not None), default=None)


def hours_of_restart(resource: Resource, index: Index) -> Decimal | None:
    """Return the hours within which a schedule surely stops what others of EventBridge start."""
    stops = _stopping_calendars(resource, index)
    if not stops:
        return None
    from gpuinfra.clouds.aws.observe.machines import restarts  # noqa: PLC0415  (few have any)

    return restarts.hours_to_stop(resource, index, stops)


def _stopping_calendars(machines: Resource, index: Index) -> list[Resource]:
    """Return the schedules of EventBridge that surely stop machines."""
    return [
        calendar for is_stopped, calendar in _calendar_stops(machines, index) if is_stopped is True
    ]


def _calendar_stops(machines: Resource, index: Index) -> tuple[tuple[Known, Resource], ...]:
    """Return each schedule of EventBridge, with whether it stops the machines."""
    calendars = index.of_kind(resource_types.SCHEDULER_SCHEDULE)
    return index.memo_of(
        "stops",
        (machines,),
        lambda: tuple(
            (_is_stopped_by_schedule(calendar, machines, index), calendar)
            for calendar in calendars
        ),
    )


def _is_stopped_by_schedule(calendar: Resource, machines: Resource, index: Index) -> Known:
    """Return whether a schedule stops the machines, by an API or by gpuinfra's function."""
    is_called = calls(calendar, machines, index)
    return True if is_called is UNKNOWN and _is_ours(calendar, machines, index) else is_called


def _is_ours(calendar: Resource, machines: Resource, index: Index) -> bool:
    target = calendar.inputs.get("target")
    functions = index.targets(calendar, "target", resource_types.FUNCTION, at(target, "arn"))
    workload = at(document(at(target, "input")), "workload")
    return (
        functions.exact
        and bool(functions.certain)
        and all(_code(function) == source(_STOP) for function in functions.certain)
        and all(stops_later(function, index) for function in functions.certain)
        and all(
            may_call_function(calendar, index, stop_function)
            for stop_function in functions.certain
        )
        and workload is not None
        and workload_of(machines) == workload
    )


def _code(function: Resource) -> Any:
    return at(function.inputs.get("code"), "assets", f"{_STOP}.py", "text")


def _starts_again(schedule: Resource) -> bool:
    sizes = (scheduled_size(schedule, key) for key in ("minSize", "desiredCapacity"))
    return any(size not in (None, 0) for size in sizes)


def _hours_until_run(schedule: Resource) -> Decimal | None:
    """Return the hours until a group's schedule next runs, once or recurring."""
    recurrence = schedule.inputs.get("recurrence")
    begins, zone = schedule.inputs.get("startTime"), schedule.inputs.get("timeZone")
    if recurrence is None:
        return hours_until(begins, zone)
    between = hours_between(recurrence)
    hours_until_begin = Decimal(0) if begins is None else hours_until(begins, zone)
    return None if between is None or hours_until_begin is None else between + hours_until_begin


def _hours_until_next_run(calendar: Resource) -> Decimal | None:
    """Return the hours until a schedule of EventBridge next runs."""
    expression = calendar.inputs.get("scheduleExpression")
    if isinstance(expression, Unknown):
        return Decimal(0)  # a preview does not know it yet; the update does
    zone = calendar.inputs.get("scheduleExpressionTimezone")
    if isinstance(expression, str) and expression.startswith("at("):
        return hours_until(expression.removeprefix("at(").removesuffix(")"), zone)
    begins = calendar.inputs.get("startDate")
    hours_until_begin = Decimal(0) if begins is None else hours_until(begins)
    between = hours_between(expression)
    return None if between is None or hours_until_begin is None else between + hours_until_begin


def keeps_disks(resource: Resource) -> bool:
    """Return whether a stop leaves the machines' disks, which are billed until they are deleted.

    A fleet's machines on demand are stopped, unless the fleet ends them by itself. Those of a
    scaling group, on spot and of a capacity block are ended, and their disks deleted with them.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-ec2-instance-stop-start-works.html
    """
    if (
        resource_types.canonical(resource.type) != resource_types.FLEET
        or _expires(resource) is True
    ):
        return False
    target = resource.inputs.get("targetCapacitySpecification")
    on_demand = whole_number(at(target, "onDemandTargetCapacity"))
    bought = text(at(target, "defaultTargetCapacityType"))
    return bought not in _ENDED_WHEN_STOPPED or on_demand not in (None, 0)


def _stops_all(schedule: Resource, group: Resource) -> Known:
    """Return whether a schedule leaves a group no machine, where the group may terminate them."""
    processes = _STAYING.intersection(map(str, as_list(group.inputs.get("suspendedProcesses"))))
    if processes or flag(group.inputs.get("protectFromScaleIn")) is True:
        return False
    runs_once = schedule.inputs.get("recurrence") is None
    begins = schedule.inputs.get("startTime")
    is_far_off = out_of_reach(begins) if runs_once else is_far(begins)
    if is_far_off or is_over(schedule.inputs.get("endTime")):
        return False
    sizes = (scheduled_size(schedule, key) for key in ("maxSize", "desiredCapacity"))
    return all_of((any_of(equals(size, 0) for size in sizes), _may_be_empty(schedule, group)))


def _may_be_empty(schedule: Resource, group: Resource) -> Known:
    """Return whether the minimum size, of a schedule or else of its group, is 0.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html
    """
    least = scheduled_size(schedule, "minSize")
    minimum = whole_number(group.inputs.get("minSize")) if least is None else least
    return UNKNOWN if isinstance(minimum, Unknown) else minimum in {None, 0}


def _expires(resource: Resource) -> Known:
    inputs = resource.inputs
    until = text(inputs.get("validUntil"))
    if until is None:
        return False
    dated: Known = UNKNOWN if isinstance(until, Unknown) else not out_of_reach(until)
    ends = flag(inputs.get("terminateInstancesWithExpiration"))
    lasts = _INSTANT not in {text(inputs.get(key)) for key in _FLEET_TYPES}
    return all_of((dated, False if ends is None else ends, lasts))
