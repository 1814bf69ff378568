"""What Container Apps cost: replicas by the size of their containers, and dedicated instances.

https://learn.microsoft.com/azure/container-apps/billing (2026-11-27, not re-read: unverified)
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.starts import undeclared_starts
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows, unpriced_rows
from gpuinfra.clouds.observing.values import amount, as_list, at, text, whole_or
from gpuinfra.model import UNKNOWN, Item, Resource, Rows, Unknown, Usage, combined_rows

_ENVIRONMENT_KEYS: Final = ("managedEnvironmentId", "environmentId")
_CONSUMPTION: Final = "Consumption"
_MEMORY: Final = re.compile(r"(?P<gib>\d*\.?\d+) ?Gi")
_MOST_REPLICAS: Final = 10
"""The default of maxReplicas:
https://learn.microsoft.com/dotnet/api/azure.resourcemanager.applications.containers.models.containerappscale"""
_REVISIONS_OF_AN_UPDATE: Final = 2
"""The old revision runs until the new one is ready:
https://learn.microsoft.com/azure/container-apps/revisions
(2026-11-27, not re-read: unverified)"""
_STARTS: Final = "its identity may start machines that are not declared here"
_SIZE: Final = (
    "the size of its replicas is not known; state resources.cpu and resources.memory (as 1Gi) of "
    "each of its containers"
)
_PROFILE: Final = "the workload profile {}"
_UNSEEN: Final = "its workload profile is one of an environment that is not in this stack"


def app(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the replicas of an app, as many as may run; those of a dedicated profile are free."""
    parts = [_replicas(resource, index)]
    if undeclared_starts.may_start(resource, index, unseen=False):
        parts.append(unjudged_rows(resource, _STARTS))
    return combined_rows(parts)


def _replicas(resource: Resource, index: Index) -> Rows:
    profile = _profile_of(resource, index)
    if profile is None or isinstance(profile, Unknown):
        return unjudged_rows(resource, _UNSEEN)
    if profile in _sizes():
        return Rows()
    if profile != _CONSUMPTION:
        return unpriced_rows(resource, _PROFILE.format(profile))
    size = _size(resource.inputs.get("template"))
    if size is None:
        return unjudged_rows(resource, _SIZE)
    sized = (size, _most_replicas(resource))
    return Rows(items=tuple(_hours(resource, index, "replicas", "container-apps", sized)))


def _profile_of(resource: Resource, index: Index) -> str | Unknown | None:
    """Return the type of an app's workload profile; None for one that no environment here has.

    Every environment has one of Consumption, unless it has another of this name.
    """
    name = text(resource.inputs.get("workloadProfileName")) or _CONSUMPTION
    kind = resource_types.CONTAINER_APP_ENVIRONMENT
    profiles = (
        profile
        for key in _ENVIRONMENT_KEYS
        for hosting in index.targets(resource, key, kind).certain
        for profile in as_list(hosting.inputs.get("workloadProfiles"))
    )
    types = (
        text(at(profile, "workloadProfileType"))
        for profile in profiles
        if text(at(profile, "name")) == name
    )
    return next(types, _CONSUMPTION if name == _CONSUMPTION else None)


def _size(template: Any) -> tuple[Decimal, Decimal] | None:
    """Return the vCPUs and GiB of all containers of a replica; None where they are not known."""
    containers = at(template, "containers")
    if isinstance(containers, Unknown) or not containers:
        return None
    vcpus = gib = Decimal(0)
    for container in as_list(containers):
        cpu, memory = amount(at(container, "resources", "cpu")), _gib(container)
        if not isinstance(cpu, Decimal) or memory is None:
            return None
        vcpus, gib = vcpus + cpu, gib + memory
    return vcpus, gib


def _gib(container: Any) -> Decimal | None:
    memory = text(at(container, "resources", "memory"))
    match = _MEMORY.fullmatch(memory) if isinstance(memory, str) else None
    return Decimal(match["gib"]) if match else None


def _most_replicas(resource: Resource) -> int | Unknown:
    """Return the most replicas at once; UNKNOWN where each revision may stay active."""
    mode = text(at(resource.inputs.get("configuration"), "activeRevisionsMode"))
    scale = at(resource.inputs.get("template"), "scale", "maxReplicas")
    most = whole_or(scale, _MOST_REPLICAS)
    if mode not in {None, "Single"} or isinstance(most, Unknown):
        return UNKNOWN
    return most * _REVISIONS_OF_AN_UPDATE


def environment(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the dedicated instances of an environment, and its management; else it is free."""
    profiles = as_list(resource.inputs.get("workloadProfiles"))
    if UNKNOWN in profiles:
        return unpriced_rows(resource, _PROFILE.format("of the environment, which is not known"))
    types = [text(at(profile, "workloadProfileType")) for profile in profiles]
    dedicated = [
        (_sizes()[kind], whole_or(at(profile, "maximumCount"), UNKNOWN))
        for kind, profile in zip(types, profiles, strict=True)
        if isinstance(kind, str) and kind in _sizes()
    ]
    unpriced_types = [kind for kind in types if not _is_priced(kind)]
    items = [
        item
        for size, count in dedicated
        for item in _hours(resource, index, "instances", "container-apps-dedicated", (size, count))
    ]
    if dedicated:
        region, item = locations.region_of(resource, index), "container-apps-dedicated-management"
        quantity = Decimal(1)
        items.append(service_item("azure", resource, "instances", item, "hour", quantity, region))
    kinds_text = ", ".join(
        str(kind) if isinstance(kind, str) else "not known yet" for kind in unpriced_types
    )
    rows = unpriced_rows(resource, _PROFILE.format(kinds_text)) if unpriced_types else Rows()
    return replace(rows, items=tuple(items))


def _is_priced(kind: str | Unknown | None) -> bool:
    """Return whether a profile's type costs nothing by itself, or by the hour of an instance."""
    return isinstance(kind, str) and (kind in _sizes() or kind.startswith(_CONSUMPTION))


def _hours(
    resource: Resource,
    index: Index,
    kind: str,
    item: str,
    sized: tuple[tuple[Decimal, Decimal], int | Unknown],
) -> Iterator[Item]:
    (vcpus, gib), count = sized
    region = locations.region_of(resource, index)
    for part, size in (("vcpu", vcpus), ("memory", gib)):
        quantity = UNKNOWN if isinstance(count, Unknown) else size * count
        yield service_item("azure", resource, kind, f"{item}-{part}", "hour", quantity, region)


@cache
def _sizes() -> dict[str, tuple[Decimal, Decimal]]:
    """Return the vCPUs and GiB of an instance, by the type of a dedicated profile."""
    rows = TABLES.rows("workload_profiles")
    return {row["profile"]: (Decimal(row["vcpus"]), Decimal(row["gib"])) for row in rows}
