"""Adds labels, names, image pinning, scaling and lifecycle to a group of machines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.disk import disk_type_fault
from gpuinfra.clouds.gcp.observe import label_keys, resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.launch import launch_options
from gpuinfra.clouds.gcp.observe.launch.locations import zone_name, zone_of
from gpuinfra.clouds.gcp.observe.machines.time_limits import stops
from gpuinfra.clouds.gcp.observe.name_faults import NAMES
from gpuinfra.clouds.gcp.observe.storage import disks
from gpuinfra.clouds.observing.disk_zones import zone_mismatches
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.single_machine import is_single_machine
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Group, Known, Resource, Unknown

_IMAGE: Final = re.compile(r"(?:.*/)?projects/[^/]+/global/images/[^/]+|global/images/[^/]+")
_FAMILY: Final = re.compile(r"(?:.*/)?family/[^/]+")
_STASH_URN_PART: Final = ":Stash::"
"""The URN part of the resource that keeps a value in the stack's state."""


def with_labels_and_scaling(
    group: Group, resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Group:
    """Return a group with the labels, lifecycle and scaling facts of its resources."""
    is_node_pool = resource.type == resource_types.NODE_POOL
    pinned = _nodes_stay(resource) if is_node_pool else all_of(map(_is_pinned, launches))
    disks = tuple(_disks_attached_to(resource, index))
    return replace(
        group,
        labels=label_keys.machine_label_keys(resource, launches, index),
        lifecycle=replace(
            group.lifecycle,
            grows=_has_autoscaler(resource, group, index),
            stops_idle=_stops(launches, index) if is_single_machine(group) else None,
            image_pinned=pinned,
        ),
        faults=(
            *group.faults,
            *zone_mismatches(_zonal(disks), group.rung.zones),
            *rule_faults("disk-limits", _types_of_attached(disks, group.machines)),
            *rule_faults("valid-names", NAMES.group_faults(resource, launches)),
        ),
    )


def _has_autoscaler(resource: Resource, group: Group, index: Index) -> Known | None:
    """Return whether an autoscaler scales the group; the default metric is CPU use.

    Of a group with a size of its own, the machines that an autoscaler adds are a group apart.
    https://docs.cloud.google.com/compute/docs/reference/rest/v1/autoscalers
    """
    if resource.type == resource_types.NODE_POOL:
        return True if resource.inputs.get("autoscaling") is not None else None
    if resource_types.canonical(resource.type) != resource_types.GROUP:
        return None
    targets = index.referrers(resource, resource_types.AUTOSCALER, "target")
    if group.minimum == group.maximum and any(map(_varies, targets.certain)):
        return None
    if targets.certain:
        return any_of(not launch_options.is_off(autoscaler) for autoscaler in targets.certain)
    return None if targets.complete else UNKNOWN


def _varies(autoscaler: Resource) -> bool:
    policy = autoscaler.inputs.get("autoscalingPolicy")
    return not launch_options.is_off(autoscaler) and (
        whole_number(at(policy, "minReplicas")) != whole_number(at(policy, "maxReplicas"))
    )


def _nodes_stay(resource: Resource) -> Known:
    """Return whether a pool's nodes keep their version; by default GKE upgrades them.

    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/cluster-upgrades
    """
    upgrades = flag(at(resource.inputs.get("management"), "autoUpgrade"))
    return UNKNOWN if isinstance(upgrades, Unknown) else upgrades is False


def _is_pinned(launch: LaunchSources) -> Known:
    """Return whether the image is named itself, rather than its family, which moves on."""
    image = disks.boot_image(launch)
    if isinstance(image, Unknown):
        return True if any(map(_is_from_state, launch.layers)) else UNKNOWN
    image_text = text(image)
    if not isinstance(image_text, str):
        return UNKNOWN
    if _FAMILY.fullmatch(image_text):
        return False
    return bool(_IMAGE.fullmatch(image_text)) or UNKNOWN


def _is_from_state(layer: Resource) -> bool:
    above = (urn for key in ("disks", "bootDisk") for urn in layer.relations.get(key, ()))
    return any(_STASH_URN_PART in urn for urn in above)


def _stops(launches: Sequence[LaunchSources], index: Index) -> Known:
    """Return whether a schedule stops the machine; Google Cloud can't stop idle ones.

    https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
    """
    return any_of(_has_stop_schedule(launch, index) for launch in launches)


def _has_stop_schedule(launch: LaunchSources, index: Index) -> Known:
    layer, policies = launch.stating_layer_and_value("resourcePolicies")
    if layer is None or isinstance(policies, Mapping) or not policies:
        return UNKNOWN if launch.hidden else False
    targets = index.targets(layer, "resourcePolicies", resource_types.POLICY, policies)
    return targets.any_target(stops)


_ATTACHMENT: Final = "gcp:compute/attachedDisk:AttachedDisk"


def _disks_attached_to(resource: Resource, index: Index) -> Iterator[Resource]:
    """Yield each zonal disk of this stack attached to an instance.

    https://docs.cloud.google.com/compute/docs/disks/add-persistent-disk
    """
    if resource_types.canonical(resource.type) not in {
        resource_types.INSTANCE,
        resource_types.INSTANCE_FROM_TEMPLATE,
    }:
        return
    disks = [at(entry, "source") for entry in as_list(resource.inputs.get("attachedDisks"))]
    disk_targets = [
        index.targets(resource, "attachedDisks", resource_types.DISK, source)
        for source in disks
        if source
    ]
    disk_targets += [
        index.targets(attachment, "disk", resource_types.DISK)
        for attachment in index.referrers(resource, _ATTACHMENT, "instance").certain
    ]
    yield from (target for targets in disk_targets for target in targets.certain)


def _zonal(disks: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """Yield the name and the zone of each disk whose zone is known."""
    for disk in disks:
        zone = zone_name(zone_of(disk))
        if zone is not None:
            yield disk.name, zone


def _types_of_attached(disks: Sequence[Resource], machine_types: Sequence[str]) -> Iterator[str]:
    """Yield the attached disks of a type that a machine type does not take."""
    for disk in disks:
        kind = text(disk.inputs.get("type"))
        for machine_type in machine_types if isinstance(kind, str) else ():
            for fault in disk_type_fault(machine_type, last_part(str(kind))):
                yield f"the disk {disk.name}: {fault}"
