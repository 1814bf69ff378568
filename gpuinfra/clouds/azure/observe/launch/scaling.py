"""Autoscale settings: the least and the most machines of a scale set."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.network import ANY_PLACEMENT, SINGLE_PLACEMENT_GROUP, most_machines
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.machine_requests import GroupRequest, group_request_of
from gpuinfra.clouds.observing.fault_texts import all_faults, size_faults
from gpuinfra.clouds.observing.values import as_list, at, flag, largest, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

TIME_KEYS: Final = ("fixedDate", "recurrence")
"""What says when a profile applies; one without either is the default."""


def settings_of(resource: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the autoscale settings that scale a resource."""
    targets = index.referrers(resource, resource_types.AUTOSCALE, "targetResourceUri")
    return tuple(setting for setting in targets.certain if may_scale(setting))


def may_scale(setting: Resource) -> bool:
    """Return whether a setting is not switched off; one without a value counts as on.

    The default has changed between API versions (pulumi-azure-native 3.29.0: false).
    """
    return flag(setting.inputs.get("enabled")) is not False


def windows(setting: Resource) -> tuple[Any, ...]:
    """Return the fixed dates after which a setting leaves no machine; none where it does not.

    For all other times Azure uses the default profile:
    https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-understanding-settings
    """
    profiles = as_list(setting.inputs.get("profiles"))
    defaults = [
        profile for profile in profiles if not any(at(profile, time_key) for time_key in TIME_KEYS)
    ]
    are_defaults_empty = bool(defaults) and all(
        whole_number(at(profile, "capacity", "maximum")) == 0 for profile in defaults
    )
    if not are_defaults_empty or any(
        at(profile, "recurrence") is not None for profile in profiles
    ):
        return ()
    return tuple(
        at(profile, "fixedDate") for profile in profiles if at(profile, "fixedDate") is not None
    )


def keeps_one_size(setting: Resource) -> bool:
    """Return whether a setting keeps a set at one size, until it ends or always: no scaling."""
    profiles = as_list(setting.inputs.get("profiles"))
    sizes = [
        [at(profile, "capacity", key) for key in ("minimum", "maximum")] for profile in profiles
    ]
    has_rules = any(at(profile, "rules") for profile in profiles)
    is_one_size = len(sizes) == 1 or bool(windows(setting))
    return is_one_size and not has_rules and all(least == most for least, most in sizes)


def is_folded(setting: Resource, index: Index) -> bool:
    """Return whether a setting's machines are counted with the scale set that it names."""
    return index.targets(setting, "targetResourceUri", resource_types.SCALE_SET).only is not None


def with_autoscaled_machines(
    request: GroupRequest, resource: Resource, index: Index
) -> GroupRequest:
    """Return a request with the machines that autoscale settings may add."""
    settings = settings_of(resource, index)
    if not settings:
        return request
    maxima = [request.maximum, *(_limit(setting, "maximum") for setting in settings)]
    smallest = [_limit(setting, "minimum") for setting in settings]
    return replace(request, maximum=largest(maxima), minimum=_minimum(smallest))


def faults_of(resource: Resource, index: Index) -> tuple[str, ...] | Unknown:
    """Return the autoscale profiles, on or off, whose limits contradict each other.

    A scale set also has at most so many machines, by itself or as it scales.
    """
    targets = index.referrers(resource, resource_types.AUTOSCALE, "targetResourceUri")
    limits = [
        at(profile, "capacity")
        for setting in targets.certain
        for profile in as_list(setting.inputs.get("profiles"))
    ]
    return all_faults(
        *(
            size_faults(whole_number(at(limit, "minimum")), whole_number(at(limit, "maximum")))
            for limit in limits
        ),
        tuple(_too_many(resource, [at(limit, "maximum") for limit in limits])),
    )


def _too_many(resource: Resource, maxima: Iterable[Any]) -> Iterator[str]:
    """Yield the numbers of machines that a scale set does not take."""
    if resource_types.canonical(resource.type) != resource_types.SCALE_SET:
        return
    is_single = flag(resource.inputs.get("singlePlacementGroup")) is True
    placement = SINGLE_PLACEMENT_GROUP if is_single else ANY_PLACEMENT
    most = most_machines(placement)
    for capacity in (at(resource.inputs.get("sku"), "capacity"), *maxima):
        count = whole_number(capacity)
        if isinstance(count, int) and count > most:
            placement_text = "with a single placement group" if is_single else "of any placement"
            yield f"{count:,} machines: a scale set {placement_text} has at most {most:,}"


def autoscaled_machines(setting: Resource, goal: Resource, index: Index) -> int | Unknown:
    """Return how many machines an autoscale setting adds to the scale set and earlier settings."""
    machines_before: list[int | Unknown] = [group_request_of(goal).maximum]
    for other in settings_of(goal, index):
        if other.urn == setting.urn:
            break
        machines_before.append(_limit(other, "maximum"))
    most, existing_machines = _limit(setting, "maximum"), largest(machines_before)
    if isinstance(most, Unknown) or isinstance(existing_machines, Unknown):
        return UNKNOWN
    return max(0, most - existing_machines)


def _limit(setting: Resource, key: str) -> int | Unknown:
    """Return the limit of all profiles together while machines run; Azure writes it as text."""
    profiles = as_list(setting.inputs.get("profiles"))
    if windows(setting):
        profiles = tuple(
            dated_profile
            for dated_profile in profiles
            if at(dated_profile, "fixedDate") is not None
        )
    limits = [whole_number(at(profile, "capacity", key)) for profile in profiles]
    numbers = [UNKNOWN if number is None else number for number in limits]
    if not numbers:
        return UNKNOWN
    return largest(numbers) if key == "maximum" else _minimum(numbers)


def _minimum(numbers: list[int | Unknown]) -> int | Unknown:
    known = [number for number in numbers if isinstance(number, int)]
    return min(known) if len(known) == len(numbers) else UNKNOWN
