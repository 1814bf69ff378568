"""The resources that AWS machines leave behind, and the settings that keep machines running."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import Reachability, Resource
from gpuinfra.units import plain

_GROUPS: Final = frozenset({resource_types.GROUP, resource_types.FLEET, resource_types.SPOT_FLEET})
_ENDLESS: Final = "its machines keep running, and are billed, after it is deleted: set {} to true"
_STAY: Final = "machines are never terminated: remove Terminate from suspended_processes"
_NEVER_IN: Final = (
    "the scaling policy {} adds machines and never removes one: set disable_scale_in to false"
)
_REPLACED: Final = (
    "its machines are replaced after at most {} h, before its run of {} h ends: raise "
    "max_instance_lifetime, or set it to 0"
)
_SECONDS_PER_HOUR: Final = 3600


def upkeep_of(
    resource: Resource,
    launches: Sequence[LaunchSources],
    index: Index,
    run_hours: Decimal | None = None,
) -> Reachability | None:
    """Return how machines are replaced and what they leave behind; None where nothing replaces.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteFleets.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
    """
    kind = resource_types.canonical(resource.type)
    if kind not in _GROUPS:
        return None
    facts = [*_fleet_remarks(kind, resource), *_group_remarks(resource, index)]
    facts += _lifetime_remarks(resource, run_hours)
    facts += [fact for launch in launches for fact in _kept_disk_remarks(launch)]
    return reach_from("machine-upkeep", facts)


def _fleet_remarks(kind: str, resource: Resource) -> Iterator[Remark]:
    inputs = resource.inputs
    if kind == resource_types.FLEET and flag(inputs.get("terminateInstances")) in {None, False}:
        yield False, _ENDLESS.format("terminate_instances")
    if kind == resource_types.SPOT_FLEET:
        stated = inputs.get("terminateInstancesOnDelete")
        stated = inputs.get("terminateInstancesWithExpiration") if stated is None else stated
        if flag(stated) in {None, False}:
            yield False, _ENDLESS.format("terminate_instances_on_delete")


def _group_remarks(resource: Resource, index: Index) -> Iterator[Remark]:
    if "Terminate" in as_list(resource.inputs.get("suspendedProcesses")):
        yield False, _STAY
    for policy in index.referrers(
        resource, resource_types.SCALING_POLICY, "autoscalingGroupName"
    ).certain:
        followed: Any = policy.inputs.get("targetTrackingConfiguration")
        if flag(at(followed, "disableScaleIn")) is True:
            yield False, _NEVER_IN.format(policy.name)


def _lifetime_remarks(resource: Resource, run_hours: Decimal | None) -> Iterator[Remark]:
    """Yield that machines are replaced during their run, where its duration is stated.

    A lifetime of 0 is none, and machines protected from scale-in are not replaced:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-max-instance-lifetime.html
    """
    seconds = whole_number(resource.inputs.get("maxInstanceLifetime"))
    is_protected = flag(resource.inputs.get("protectFromScaleIn"))
    if run_hours is None or not isinstance(seconds, int) or not seconds or is_protected is True:
        return
    lifetime = Decimal(seconds) / _SECONDS_PER_HOUR
    if lifetime < run_hours:
        yield False, _REPLACED.format(plain(round(lifetime, 1)), plain(run_hours))


def _kept_disk_remarks(launch: LaunchSources) -> Iterator[Remark]:
    kept_disks = [
        text(at(mapping, "deviceName"))
        for mapping in as_list(launch.get("blockDeviceMappings"))
        if flag(at(mapping, "ebs", "deleteOnTermination")) is False
    ]
    if kept_disks:
        disks = ", ".join(map(str, kept_disks))
        disk_remark = f"the disk {disks} of each machine is kept when the machine is deleted"
        yield False, f"{disk_remark}, and is paid for: set delete_on_termination to true"
