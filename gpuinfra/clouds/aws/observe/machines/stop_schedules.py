"""Schedules that call an AWS API to stop machines, and whether they surely do."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_settings import instance_launch
from gpuinfra.clouds.aws.observe.machines.scaling_signals import is_of, may_stop
from gpuinfra.clouds.aws.observe.rights.principals import INVOKE, may_call
from gpuinfra.clouds.observing.end_times import is_far, is_over, never_rings
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    at,
    is_on,
    opposite,
    read_json,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

SDK: Final = ":scheduler:::aws-sdk:"
"""A schedule that calls an API itself:
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html"""
_ENDING: Final = frozenset(
    {
        *("ec2:terminateInstances", "ec2:stopInstances", "ec2:deleteFleets"),
        *("ec2:cancelSpotFleetRequests", "autoscaling:deleteAutoScalingGroup"),
        "eks:deleteNodegroup",
    }
)
RESIZING: Final = frozenset(
    {"autoscaling:updateAutoScalingGroup", "autoscaling:setDesiredCapacity"}
)
_PROTECTION_KEYS: Final = {
    "ec2:terminateInstances": ("disableApiTermination", "disableApiStop"),
    "ec2:stopInstances": ("disableApiStop",),
}
"""The settings of a machine with which it refuses an action; what may not stop it may not end it:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-stop-protection.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_ChangingDisableAPITermination.html"""
_HARMLESS: Final = (":sqs:", ":kinesis:", ":firehose:", ":inspector:", ":codepipeline:")
"""Targets that stop no machines; any other runs code that is not visible here, and may."""
_DRY_RUN: Final = "DryRun"
"""A call with it does nothing: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StopInstances.html"""
_NONE_LEFT: Final = ("MaxSize", "DesiredCapacity")


def calls(schedule: Resource, machines: Resource, index: Index) -> Known:
    """Return whether a schedule of EventBridge stops these machines.

    One that calls a function of this stack does not, where the function's role does not let it.
    One that calls an API surely does where its role surely may, or is none of this stack.
    """
    if is_silent(schedule):
        return False
    target = schedule.inputs.get("target")
    arn = text(at(target, "arn"))
    if not isinstance(arn, str):
        return UNKNOWN
    _, direct, action = arn.partition(SDK)
    if not direct:
        functions = index.targets(schedule, "target", resource_types.FUNCTION, arn).certain
        is_harmless = any(kind in arn for kind in _HARMLESS)
        is_harmless = is_harmless or not is_of(document(at(target, "input")), machines)
        unable = functions and all(
            may_stop(resource, index) is False
            or may_call(schedule, INVOKE, index, resource) is False
            for resource in functions
        )
        return False if is_harmless or unable else UNKNOWN
    if action not in _ENDING | RESIZING:
        return False
    allowed = may_call(schedule, action, index, machines)
    return all_of(
        (
            _calls_machines_region(schedule, machines, index),
            opposite(_is_protected(machines, action, index)),
            True if allowed is None else allowed,
            _stops_machines(schedule, action, target, machines),
        )
    )


def _calls_machines_region(schedule: Resource, machines: Resource, index: Index) -> Known:
    """Return whether a schedule calls the API of the machines' region, by default its own.

    Where no region is known, resources of one provider are in the same one, unless stated.
    """
    is_same_region = locations.same_region(schedule, machines, index)
    region_sources = (
        (schedule, schedule.inputs.get("region")),
        (machines, machines.inputs.get("region")),
    )
    shared = {
        (function_region.region, function_region.credentials, str(schedule_region))
        for function_region, schedule_region in region_sources
    }
    return True if is_same_region is UNKNOWN and len(shared) == 1 else is_same_region


def _is_protected(machines: Resource, action: str, index: Index) -> Known:
    """Return whether a machine refuses an API action because of its protection settings."""
    if resource_types.canonical(machines.type) != resource_types.INSTANCE:
        return False
    launch = instance_launch(machines, index)
    settings = (_setting(launch, machines, key) for key in _PROTECTION_KEYS.get(action, ()))
    return any_of(map(is_on, settings))


def _setting(launch: LaunchSources, machines: Resource, key: str) -> Any:
    stated = launch.get(key)
    return machines.outputs.get(key) if stated is None else stated


def _stops_machines(schedule: Resource, action: str, target: Any, machines: Resource) -> Known:
    """Return whether a schedule's API call stops these machines."""
    payload = at(target, "input")
    if not isinstance(payload, str):
        is_related = machines.urn in schedule.relations.get("target", ())
        return True if is_related and action in _ENDING else UNKNOWN
    is_named = any_of(name in payload for name in names(machines))
    request = document(payload)
    is_no_dry_run = opposite(is_on(at(request, _DRY_RUN)))
    return all_of((is_named, is_no_dry_run, action in _ENDING or _leaves_none(request, machines)))


def document(payload: Any) -> Any:
    """Return the parsed input of a schedule; None where it is no document."""
    content = read_json(payload) if isinstance(payload, str) else None
    return None if isinstance(content, Unknown) else content


def is_silent(schedule: Resource) -> bool:
    """Return whether a schedule is disabled, over, or too far in the future to end a run."""
    inputs = schedule.inputs
    return (
        inputs.get("state") == "DISABLED"
        or never_rings(inputs.get("scheduleExpression"))
        or is_far(inputs.get("startDate"))
        or is_over(inputs.get("endDate"))
    )


def names(machines: Resource) -> Iterator[str]:
    """Yield the names of the machines that an input may contain, in quotes."""
    values = (
        *(machines.outputs.get(key) for key in ("id", "name", "arn", "spotInstanceId")),
        machines.inputs.get("name"),
    )
    return (f'"{value}"' for value in dict.fromkeys(values) if isinstance(value, str))


def _leaves_none(sizes: Any, group: Resource) -> Known:
    """Return whether a call leaves a group no machine, with a minimum size of 0 too."""
    least = at(sizes, "MinSize")
    minimum = whole_number(group.inputs.get("minSize") if least is None else least)
    has_no_minimum: Known = UNKNOWN if isinstance(minimum, Unknown) else minimum in {None, 0}
    return all_of((any(whole_number(at(sizes, key)) == 0 for key in _NONE_LEFT), has_no_minimum))
