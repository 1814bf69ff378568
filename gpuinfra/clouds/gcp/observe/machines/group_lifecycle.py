"""The upkeep of a managed group's machines: updates, repairs, interruptions, scaling."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import launch_options, locations
from gpuinfra.clouds.gcp.observe.launch.purchase_options import SPOT
from gpuinfra.clouds.gcp.observe.machines.group_updates import lifecycle_of, policy_of, zones_of
from gpuinfra.clouds.gcp.observe.network.mixed_pools import backends_of
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import Machine, Reachability, Resource, Unknown
from gpuinfra.records import record
from gpuinfra.units import format_count

_UTILIZATION: Final = "agent.googleapis.com/gpu/utilization"
_WHOLE_PERCENT: Final = 100
"""What the agent calls a GPU that does nothing else, of which each has a series of its own:
https://docs.cloud.google.com/monitoring/api/metrics_opsagent#agent-gpu"""

_SIGNALS: Final = ("cpuUtilization", "loadBalancingUtilization", "scalingSchedules")
_UNREACHED_FAULT: Final = (
    "a changed template reaches no machine: updates are OPPORTUNISTIC, and a repair "
    "uses the old template (set force_update_on_repair to YES)"
)
_STATEFUL: Final = "statefulDisks"


@record(kw_only=False)
class UpkeepGroup:
    """A group: its launches, its machine types, and its minimum and maximum."""

    resource: Resource
    launches: Sequence[LaunchSources]
    machines: Sequence[Machine]
    least: int | Unknown
    most: int | Unknown


_ONLY_OUT: Final = frozenset({"ONLY_SCALE_OUT", "ONLY_UP"})
"""https://docs.cloud.google.com/compute/docs/autoscaler/managing-autoscalers#turning_off_an_autoscaler"""
_NEVER_IN: Final = "the autoscaler {} adds machines and never removes one: set its mode to ON"


def upkeep_of(upkeep_group: UpkeepGroup, index: Index) -> Reachability | None:
    """Return the upkeep of a managed group; None for anything else."""
    if resource_types.canonical(upkeep_group.resource.type) != resource_types.GROUP:
        return None
    findings = [
        *_updates(upkeep_group, index),
        *_repairs(upkeep_group.resource),
        *_waits(upkeep_group.resource),
        *_zones(upkeep_group.resource),
        *(
            finding
            for launch in upkeep_group.launches
            for finding in _launch_remarks(upkeep_group.resource, launch)
        ),
        *_scales(upkeep_group, index),
    ]
    return reach_from("machine-upkeep", findings)


def _updates(upkeep_group: UpkeepGroup, index: Index) -> Iterator[Remark]:
    """Yield how an update replaces machines; by default it stops one for each zone.

    https://docs.cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups#max_unavailable
    """
    policy = policy_of(upkeep_group.resource)
    kind = text(at(policy, "type"))
    if not isinstance(kind, str):
        return
    surge_count, fewer = (
        whole_number(at(policy, f"max{suffix}Fixed")) for suffix in ("Surge", "Unavailable")
    )
    if kind != "PROACTIVE":
        yield True, "machines are updated when they are next created"
        return
    stopped_count = _stopped_machines(upkeep_group.resource, fewer)
    if isinstance(stopped_count, int) and backends_of(upkeep_group.resource, index):
        yield from _outage(stopped_count, upkeep_group)
    counts = ("as many as zones" if count is None else count for count in (surge_count, fewer))
    beside, away = (
        "an unknown number" if isinstance(count, Unknown) else count for count in counts
    )
    yield True, f"updates add {format_count(str(beside), 'machine')}, and remove {away}"


def _stopped_machines(group: Resource, fewer: int | Unknown | None) -> int | Unknown | None:
    """Return how many machines an update stops; None where that is a share of them."""
    if fewer is None and at(policy_of(group), "maxUnavailablePercent") is None:
        return zones_of(group)
    return fewer


def _outage(stopped_count: int, upkeep_group: UpkeepGroup) -> Iterator[Remark]:
    """Yield an update that stops all machines of the smallest group that serves."""
    sizes = (
        size
        for size in (upkeep_group.least, upkeep_group.most)
        if isinstance(size, int) and size > 0
    )
    smallest = min(sizes, default=None)
    if smallest is not None and stopped_count >= smallest:
        outage_text = (
            f"an update stops {format_count(str(stopped_count), 'machine')} at once, of {smallest}"
        )
        yield False, f"{outage_text}: set max_unavailable_fixed to 0 and max_surge_fixed to some"


def _repairs(group: Resource) -> Iterator[Remark]:
    """Yield whether a repaired machine starts from the current template.

    https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair
    """
    kind = text(at(policy_of(group), "type"))
    forced = text(at(lifecycle_of(group), "forceUpdateOnRepair"))
    if forced == "YES":
        yield True, "repaired machines start from the current template"
    elif kind == "OPPORTUNISTIC" and forced in (None, "NO"):
        yield False, _UNREACHED_FAULT


def _waits(group: Resource) -> Iterator[Remark]:
    if flag(group.inputs.get("waitForInstances")) is True:
        status = text(group.inputs.get("waitForInstancesStatus")) or "STABLE"
        yield True, f"an update waits until its machines are {status}"


def _zones(group: Resource) -> Iterator[Remark]:
    """Yield named zones that the table's region does not have, and the zone spread."""
    policy_zones = as_list(group.inputs.get("distributionPolicyZones"))
    policy_zones = policy_zones or as_list(locations.zone_of(group))
    zones = [last_part(name).lower() for name in policy_zones if isinstance(name, str)]
    for zone in zones:
        region_zones = REGIONS.zones(zone.rpartition("-")[0])
        if (
            region_zones
            and zone not in region_zones
            and not zone.rpartition("-")[2].startswith("ai")
        ):
            yield False, f"unknown zone {zone}: {', '.join(region_zones)}"
    shape = text(group.inputs.get("distributionPolicyTargetShape"))
    if zones:
        shaped = f" ({shape})" if isinstance(shape, str) else ""
        yield True, f"machines in {', '.join(zones)}{shaped}"


def _launch_remarks(group: Resource, launch: LaunchSources) -> Iterator[Remark]:
    """Yield remarks on the leftovers of a deleted machine, and on its handling of interruptions.

    https://docs.cloud.google.com/compute/docs/instances/preemptible#preemption-process
    """
    scheduling = launch.get("scheduling")
    model = text(at(scheduling, "provisioningModel"))
    if flag(at(scheduling, "preemptible")) is True and model is None:
        yield (
            False,
            ("preemptible machines without the provisioning model SPOT end within 24 hours"),
        )
    if model == SPOT:
        action = text(at(scheduling, "instanceTerminationAction"))
        deleted = "deleted" if action == "DELETE" else "stopped, and its disks are still billed"
        yield True, f"an interrupted machine is {deleted}"
    kept_disks = [
        disk
        for disk in as_list(launch.get("disks"))
        if flag(at(disk, "autoDelete")) is False and at(disk, "source") is None
    ]
    deleted_disks = [
        disk
        for disk in as_list(launch.get("disks"))
        if flag(at(disk, "autoDelete")) is not False and at(disk, "source") is not None
    ]
    if any(text(at(disk, "mode")) != "READ_ONLY" for disk in deleted_disks):
        yield False, "a standalone disk is deleted with its machine: set auto_delete to false"
    if kept_disks and not group.inputs.get(_STATEFUL):
        disk_remark = (
            "disks are kept and billed after their machine is deleted: "
            f"{len(kept_disks)} a machine"
        )
        yield False, f"{disk_remark}: set auto_delete to true"


def _scales(upkeep_group: UpkeepGroup, index: Index) -> Iterator[Remark]:
    """Yield the metrics that an autoscaler uses, and those that have no effect."""
    for resource in index.referrers(
        upkeep_group.resource, resource_types.AUTOSCALER, "target"
    ).certain:
        if launch_options.is_off(resource):
            continue
        policy: Any = resource.inputs.get("autoscalingPolicy")
        if text(at(policy, "mode")) in _ONLY_OUT:
            yield False, _NEVER_IN.format(resource.name)
        metrics = as_list(at(policy, "metrics"))
        if not metrics:
            yield from _default_metric_remarks(resource, policy, upkeep_group.machines)
        for metric in metrics:
            yield from _metric_remarks(resource, metric, upkeep_group.machines)
        cooldown = whole_number(at(policy, "cooldownPeriod"))
        if isinstance(cooldown, int):
            yield True, f"a new machine counts after {cooldown} s"


def _default_metric_remarks(
    autoscaler: Resource, policy: Any, machines: Sequence[Machine]
) -> Iterator[Remark]:
    """Yield the default metric where none is named: CPU use, if there is no other signal.

    https://docs.cloud.google.com/compute/docs/reference/rest/v1/autoscalers
    """
    has_other_signals = any(at(policy, signal) for signal in _SIGNALS)
    if machines and not has_other_signals and not isinstance(policy, Unknown):
        metric_remark = f"{autoscaler.name} has no metric, and so scales on CPU use at 60%"
        yield False, f"{metric_remark}, regardless of GPU use: name a metric, or cpu_utilization"
    else:
        yield True, f"{autoscaler.name} has no metric of its own"


def _metric_remarks(
    autoscaler: Resource, metric: Any, machines: Sequence[Machine]
) -> Iterator[Remark]:
    name, target = text(at(metric, "name")), at(metric, "target")
    if not isinstance(name, str):
        return
    if target is None and at(metric, "singleInstanceAssignment") is None:
        yield (
            False,
            (f"{autoscaler.name} scales on {name} without a target, which Google Cloud refuses"),
        )
    if not isinstance(target, int | float):
        return
    gpus = [machine.gpu_count for machine in machines]
    if name == _UTILIZATION and gpus and target > _WHOLE_PERCENT * max(gpus):
        yield (
            False,
            f"{autoscaler.name} has a {name} target of {target:g}, which no machine reaches",
        )
    kind = text(at(metric, "type"))
    kind_text = f" ({kind})" if isinstance(kind, str) else ""
    yield True, f"scaled on {name}{kind_text} at {target:g}"
