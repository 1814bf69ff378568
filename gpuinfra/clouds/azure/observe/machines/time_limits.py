"""The time limits that end machines of Azure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.scaling import TIME_KEYS, settings_of, windows
from gpuinfra.clouds.observing.end_times import (
    hours_between,
    hours_to_end,
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
from gpuinfra.model import UNKNOWN, Known, Resource

_SHUTDOWN: Final = "ComputeVmShutdownTask"
_A_DAY: Final = Decimal(24)
_START: Final = "Start"


def has_scheduled_stop(resource: Resource, index: Index) -> Known:
    """Return whether the machines of a resource are stopped at a time.

    A machine by a shutdown schedule, which is free of charge; a scale set by a profile of its
    autoscale setting that leaves none.
    https://learn.microsoft.com/azure/virtual-machines/auto-shutdown-vm
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-understanding-settings
    """
    shutdowns = index.referrers(resource, resource_types.SHUTDOWN, "targetResourceId")
    scaling = index.referrers(resource, resource_types.AUTOSCALE, "targetResourceUri")
    otherwise_stopped: Known = False if shutdowns.complete and scaling.complete else UNKNOWN
    settings = settings_of(resource, index)
    profiles = (
        profile for setting in settings for profile in as_list(setting.inputs.get("profiles"))
    )
    actions = (_may_stop(action) for action in index.of_kind(resource_types.ACTION))
    return any_of(
        (
            otherwise_stopped,
            *map(shuts_down, shutdowns.certain),
            *map(_leaves_none, profiles),
            *map(_removes_all_machines, settings),
            *actions,
        )
    )


def hours_until_stop(resource: Resource, index: Index) -> Decimal | None:
    """Return the hours within which machines are taken down.

    A machine within a day, by a schedule that says so; a scale set once a profile of its autoscale
    setting applies that leaves none, or the fixed dates are over beside which none is left.
    """
    shutdowns = index.referrers(resource, resource_types.SHUTDOWN, "targetResourceId").certain
    stops = [_A_DAY for schedule in shutdowns if shuts_down(schedule) is True]
    for setting in settings_of(resource, index):
        profiles = as_list(setting.inputs.get("profiles"))
        hours = (_hours_to_empty(each) for each in profiles if _leaves_none(each) is True)
        stops += [each for each in hours if each is not None]
        if _removes_all_machines(setting) is True:
            ends = [_hours(window) for window in windows(setting)]
            known = [hours for hours in ends if hours is not None]
            stops += [max(known)] if len(known) == len(ends) else []
    return min(stops, default=None)


def _hours_to_empty(profile: Any) -> Decimal | None:
    """Return the hours until a profile that leaves no machine surely applies.

    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-understanding-settings
    """
    fixed, schedule = at(profile, "fixedDate"), at(profile, "recurrence", "schedule")
    if fixed is not None:
        return hours_to_end(at(fixed, "start"), at(fixed, "timeZone"))
    days = [text(day) for day in as_list(at(schedule, "days"))]
    named = [day[:3] for day in days if isinstance(day, str)]
    return hours_between(f"0 0 * * {','.join(named)}") if named else None


def starts_again(resource: Resource, index: Index) -> bool:
    """Return whether the stack starts machines again after they were stopped.

    A scheduled action does, or a profile that applies again after one that leaves no machine:
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-understanding-settings
    """
    if any(map(_starts_machines, index.of_kind(resource_types.ACTION))):
        return True
    for setting in settings_of(resource, index):
        profiles = as_list(setting.inputs.get("profiles"))
        emptied = [profile for profile in profiles if _leaves_none(profile) is not False]
        if emptied and any(not _is_empty(profile) for profile in profiles):
            return True
    return False


def _starts_machines(action: Resource) -> bool:
    """Return whether an action that isn't switched off starts machines."""
    return action.inputs.get("actionType") == _START and flag(action.inputs.get("disabled")) in {
        None,
        False,
    }


def _is_empty(profile: Any) -> bool:
    return whole_number(at(profile, "capacity", "maximum")) == 0


def _hours(window: Any) -> Decimal | None:
    """Return the hours until a fixed date is over."""
    return hours_to_end(at(window, "end"), at(window, "timeZone"))


def _removes_all_machines(setting: Resource) -> Known:
    """Return whether a setting leaves no machine after its fixed dates, which will be over."""
    ends = [at(window, "end") for window in windows(setting)]
    is_enabled = flag(setting.inputs.get("enabled"))
    if not ends or any(map(out_of_reach, ends)):
        return False
    return is_enabled if isinstance(is_enabled, bool) else UNKNOWN


def shuts_down(schedule: Resource) -> Known:
    """Return whether a schedule shuts its machine down every day; UNKNOWN where it is hidden."""
    inputs: Mapping[str, Any] = schedule.inputs
    is_enabled = equals(text(inputs.get("status")) or "Enabled", "Enabled")
    return all_of((is_enabled, equals(inputs.get("taskType"), _SHUTDOWN)))


def _may_stop(action: Resource) -> Known:
    """Return UNKNOWN, as the action's machines are not visible; False for a scheduled start."""
    return False if action.inputs.get("actionType") == _START else UNKNOWN


def _leaves_none(profile: Any) -> Known:
    timed = [at(profile, key) for key in TIME_KEYS]
    has_time: Known = UNKNOWN if UNKNOWN in timed else any(value is not None for value in timed)
    if is_far(at(profile, "fixedDate", "start")) or is_over(at(profile, "fixedDate", "end")):
        return False
    most = whole_number(at(profile, "capacity", "maximum"))
    return all_of((has_time, equals(most, 0)))
