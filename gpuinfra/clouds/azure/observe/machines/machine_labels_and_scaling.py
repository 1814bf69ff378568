"""Adds labels, names, image pinning, scaling and lifecycle to a group of machines."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations, name_faults, scaling
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.observe.machines.time_limits import shuts_down
from gpuinfra.clouds.azure.observe.tag_keys import own_tag_keys
from gpuinfra.clouds.observing.disk_zones import zone_mismatches
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.label_keys import keys_of
from gpuinfra.clouds.observing.single_machine import is_single_machine
from gpuinfra.clouds.observing.values import any_of, as_list, at, flag, text, whole_number
from gpuinfra.model import UNKNOWN, Group, Known, Resource, Unknown

_LATEST: Final = "latest"
_DEFINITION: Final = re.compile(r"(?i).*/images/[^/]+|.*/versions/latest")
_VERSION: Final = re.compile(r"(?i).*/versions/[^/]+")
_CUSTOM_IMAGE_ID: Final = re.compile(r"(?i).*/providers/microsoft\.compute/images/[^/]+")
_IDS: Final = ("id", "communityGalleryImageId", "sharedGalleryImageId")
_MARKETPLACE: Final = ("publisher", "offer", "sku", "version")


def with_labels_and_scaling(group: Group, profile: Profile, index: Index) -> Group:
    """Return a group with the labels, lifecycle and scaling facts of its resources."""
    disks = _disks_attached_to(profile, index)
    image = profile.get("storageProfile", "imageReference")
    return replace(
        group,
        rungs=tuple(replace(rung, image=_image_text(image)) for rung in group.rungs),
        labels=own_tag_keys(profile.resource),
        lifecycle=replace(
            group.lifecycle,
            grows=_has_scaling_rule(profile.resource, group, index),
            stops_idle=_stops(profile.resource, index) if is_single_machine(group) else None,
            image_pinned=_is_pinned(image),
        ),
        faults=(
            *group.faults,
            *zone_mismatches(disks, group.rung.zones),
            *rule_faults("valid-names", name_faults.group_name_faults(profile)),
        ),
    )


def pool_with_labels_and_scaling(
    group: Group, holder: Resource, spec: Any, cluster: Resource | None
) -> Group:
    """Return a node pool with the labels, lifecycle and scaling facts of its resources.

    The cluster's own autoscaler scales it, where it is told to.
    """
    scales = flag(at(spec, "enableAutoScaling"))
    channel = text(at(None if cluster is None else cluster.inputs, "autoUpgradeProfile", _CHANNEL))
    return replace(
        group,
        labels=keys_of(at(spec, "tags")),
        lifecycle=replace(
            group.lifecycle,
            grows=UNKNOWN if isinstance(scales, Unknown) else True if scales else None,
            image_pinned=channel == "None" if isinstance(channel, str) else UNKNOWN,
        ),
        faults=(
            *group.faults,
            *rule_faults("valid-names", name_faults.pool_name_faults(holder, at(spec, "name"))),
        ),
    )


_CHANNEL: Final = "nodeOSUpgradeChannel"
"""https://learn.microsoft.com/azure/aks/auto-upgrade-node-os-image"""


def _has_scaling_rule(resource: Resource, group: Group, index: Index) -> Known | None:
    """Return whether an enabled autoscale setting has a rule or a schedule.

    Its machines may be a group apart from those that the scale set names.
    """
    targets = index.referrers(resource, resource_types.AUTOSCALE, "targetResourceUri")
    if group.minimum == group.maximum and any(map(_varies, targets.certain)):
        return None
    if targets.complete and all(map(scaling.keeps_one_size, targets.certain)) and targets.certain:
        return None
    if targets.certain:
        return any_of(_is_enabled_with_rule(setting) for setting in targets.certain)
    return None if targets.complete else UNKNOWN


def _varies(setting: Resource) -> bool:
    limits = [
        (
            whole_number(at(profile, "capacity", "minimum")),
            whole_number(at(profile, "capacity", "maximum")),
        )
        for profile in as_list(setting.inputs.get("profiles"))
    ]
    return scaling.may_scale(setting) and any(least != most for least, most in limits)


def _is_enabled_with_rule(setting: Resource) -> Known:
    """Return whether a setting has a rule or schedule and is on; the default is off (Z5)."""
    is_enabled = flag(setting.inputs.get("enabled"))
    profiles = setting.inputs.get("profiles")
    if isinstance(is_enabled, Unknown) or isinstance(profiles, Unknown):
        return UNKNOWN
    keys = ("rules", "fixedDate", "recurrence")
    has_rules = any(at(profile, key) for profile in as_list(profiles) for key in keys)
    return bool(is_enabled) and has_rules


def _image_text(image: Any) -> str | None:
    """Return an image as publisher:offer:sku:version or its id; None where it is not known."""
    parts = [at(image, key) for key in _MARKETPLACE]
    image_text = ":".join(parts) if all(isinstance(part, str) for part in parts) else None
    return next((name for key in _IDS if isinstance(name := at(image, key), str)), image_text)


def _is_pinned(image: Any) -> Known:
    """Return whether an image is named with its version, or is a custom one."""
    if isinstance(image, Unknown):
        return UNKNOWN
    image_id = next((name for key in _IDS if (name := at(image, key)) is not None), None)
    if image_id is not None:
        return _is_version(image_id)
    if at(image, "publisher") is None:
        return UNKNOWN
    version = text(at(image, "version"))
    return UNKNOWN if isinstance(version, Unknown) else version not in {None, _LATEST}


def _is_version(image_id: Any) -> Known:
    """Return whether a gallery image names a version; without one it means the newest."""
    if not isinstance(image_id, str):
        return UNKNOWN
    if _CUSTOM_IMAGE_ID.fullmatch(image_id):
        return True
    if _DEFINITION.fullmatch(image_id):
        return False
    return True if _VERSION.fullmatch(image_id) else UNKNOWN


def _stops(resource: Resource, index: Index) -> Known:
    """Return whether a schedule shuts the machine down; Azure can't stop idle ones."""
    kind = resource_types.canonical(resource.type)
    if kind != resource_types.MACHINE:
        return False
    targets = index.referrers(resource, resource_types.SHUTDOWN, "targetResourceId")
    facts = map(shuts_down, targets.certain)
    return any_of((*facts, *(() if targets.complete else (UNKNOWN,))))


def _disks_attached_to(profile: Profile, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the name and the zone of each zonal disk of this stack attached to a machine.

    https://learn.microsoft.com/azure/virtual-machines/disks-redundancy
    """
    resource = profile.resource
    if resource_types.canonical(resource.type) != resource_types.MACHINE:
        return
    for data_disk in as_list(profile.get("storageProfile", "dataDisks")):
        disk_id = at(data_disk, "managedDisk", "id")
        targets = (
            index.targets(resource, "storageProfile", resource_types.DISK, [disk_id])
            if disk_id
            else None
        )
        for disk in () if targets is None else targets.certain:
            region = locations.region_of(disk, index)
            zones = locations.zones_of(disk.inputs.get("zones"), region)
            if len(zones) == 1:
                yield disk.name, zones[0]
