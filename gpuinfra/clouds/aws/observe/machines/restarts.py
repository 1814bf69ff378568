"""The restarts of stopped machines: schedules, scaling policies, automations."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.extra_machines import scheduled_size
from gpuinfra.clouds.aws.observe.machines.stop_schedules import (
    RESIZING,
    SDK,
    document,
    is_silent,
    names,
)
from gpuinfra.clouds.observing.end_times import (
    hours_from_start_to_stop,
    hours_until,
    is_over,
    out_of_reach,
)
from gpuinfra.clouds.observing.values import at, text, texts_in, whole_number
from gpuinfra.model import UNKNOWN, Resource

_START: Final = "ec2:startInstances"
_SIZES: Final = ("MinSize", "DesiredCapacity")
_ONCE: Final = "at("
_DOCUMENTS: Final = ("AWS-StartEC2Instance", "AWS-RestartEC2Instance")
_STARTERS: Final = (
    "aws:ssm/association:Association",
    "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask",
    "aws:cfg/remediationConfiguration:RemediationConfiguration",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:sfn/stateMachine:StateMachine",
)
"""What may start stopped machines by a document of Systems Manager, or a call of its own."""


Moment = Decimal | None
"""In so many hours; None: again and again, or not known."""


def start_again(machines: Resource, index: Index, ends: Sequence[Moment]) -> bool:
    """Return whether something in the stack starts machines again after they were stopped.

    A start of one moment is none where one of the `ends` comes later, or again and again.
    """
    starts = (*_group_start_times(machines, index), *_calendar_start_times(machines, index))
    return _is_started_by_automation(machines, index) or any(
        _is_last(start, ends) for start in starts
    )


def _is_last(start: Moment, ends: Sequence[Moment]) -> bool:
    return start is None or not any(end is None or end > start for end in ends)


def _group_start_times(machines: Resource, index: Index) -> Iterator[Moment]:
    """Yield when schedules of a group, or its scaling policies, enlarge it."""
    schedules = index.referrers(machines, resource_types.SCHEDULE, "autoscalingGroupName").certain
    grows = index.referrers(
        machines, resource_types.SCALING_POLICY, "autoscalingGroupName"
    ).certain
    keys = ("minSize", "desiredCapacity", *(("maxSize",) if grows else ()))
    for schedule in schedules:
        sizes = [scheduled_size(schedule, key) for key in keys]
        if all(size in {None, 0} for size in sizes) or is_over(schedule.inputs.get("endTime")):
            continue
        begins = schedule.inputs.get("startTime")
        if schedule.inputs.get("recurrence") is not None:
            yield None
        elif not out_of_reach(begins):
            yield hours_until(begins, schedule.inputs.get("timeZone"))


def _calendar_start_times(machines: Resource, index: Index) -> Iterator[Moment]:
    """Yield when schedules of EventBridge start machines, or enlarge a group."""
    for calendar in _starting_calendars(machines, index):
        expression = str(calendar.inputs.get("scheduleExpression"))
        once = expression.startswith(_ONCE)
        zone = calendar.inputs.get("scheduleExpressionTimezone")
        yield hours_until(expression[len(_ONCE) : -1], zone) if once else None


def _starting_calendars(machines: Resource, index: Index) -> Iterator[Resource]:
    """Yield the schedules of EventBridge that start machines, or enlarge a group."""
    for calendar in index.of_kind(resource_types.SCHEDULER_SCHEDULE):
        if not is_silent(calendar) and _starts_machines(calendar, machines):
            yield calendar


def hours_to_stop(machines: Resource, index: Index, stops: Sequence[Resource]) -> Decimal | None:
    """Return the hours from each start of machines by schedules to the next of their stops.

    None where anything but recurring schedules of EventBridge starts them, too.
    """
    if _is_started_by_automation(machines, index) or list(_group_start_times(machines, index)):
        return None
    hours = [
        min(filter(None, (_hours_between(calendar, stop) for stop in stops)), default=None)
        for calendar in _starting_calendars(machines, index)
    ]
    known_hours = [each for each in hours if each is not None]
    return max(known_hours) if known_hours and len(known_hours) == len(hours) else None


def _hours_between(start: Resource, stop: Resource) -> Decimal | None:
    zones = {
        calendar.inputs.get("scheduleExpressionTimezone") or "UTC" for calendar in (start, stop)
    }
    if UNKNOWN in zones or len(zones) > 1:
        return None
    return hours_from_start_to_stop(
        *(calendar.inputs.get("scheduleExpression") for calendar in (start, stop))
    )


def _starts_machines(calendar: Resource, machines: Resource) -> bool:
    target = calendar.inputs.get("target")
    arn = text(at(target, "arn"))
    action = arn.partition(SDK)[2] if isinstance(arn, str) else ""
    payload = at(target, "input")
    is_named = (
        any(name in payload for name in names(machines))
        if isinstance(payload, str)
        else machines.urn in calendar.relations.get("target", ())
    )
    if not is_named or action not in {_START, *RESIZING}:
        return False
    sizes = [whole_number(at(document(payload), key)) for key in _SIZES]
    return action == _START or any(size not in {None, 0} for size in sizes)


def _is_started_by_automation(machines: Resource, index: Index) -> bool:
    """Return whether an automation or a state machine of the stack starts stopped machines."""
    if resource_types.canonical(machines.type) != resource_types.INSTANCE:
        return False
    return any(
        _START in target_text or any(document in target_text for document in _DOCUMENTS)
        for kind in _STARTERS
        for resource in index.of_kind(kind)
        for target_text in texts_in(_target_fields(resource.inputs))
    )


def _target_fields(inputs: Any) -> list[Any]:
    return [at(inputs, key) for key in ("name", "taskArn", "arn", "targetId", "definition")]
