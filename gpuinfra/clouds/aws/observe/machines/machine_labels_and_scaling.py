"""Adds labels, names, image pinning, scaling and lifecycle to a group of machines."""

from collections.abc import Sequence
from dataclasses import replace

from gpuinfra.clouds.aws.observe import tag_keys
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.extra_machines import surge_of
from gpuinfra.clouds.aws.observe.launch.image_pinning import is_pinned
from gpuinfra.clouds.aws.observe.machines import scaling_signals
from gpuinfra.clouds.aws.observe.machines.machine_lifecycle import upkeep_of
from gpuinfra.clouds.aws.observe.name_faults import NAMES
from gpuinfra.clouds.aws.observe.network.network_paths import reach_of
from gpuinfra.clouds.aws.observe.storage.disks import attached_to
from gpuinfra.clouds.observing.disk_zones import zone_mismatches
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.single_machine import is_single_machine
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.model import Group, Resource


def with_labels_and_scaling(
    group: Group, resource: Resource, launches: Sequence[LaunchSources], index: Index
) -> Group:
    """Return a group with the labels, lifecycle and scaling facts of its resources."""
    volumes = attached_to(resource, index)
    return replace(
        group,
        labels=tag_keys.machine_tag_keys(resource, launches),
        lifecycle=replace(
            group.lifecycle,
            grows=scaling_signals.has_scaling_signal(
                resource, group.minimum, group.maximum, index
            ),
            stops_idle=scaling_signals.stops_idle(resource, index)
            if is_single_machine(group)
            else None,
            image_pinned=all_of(is_pinned(resource, launch) for launch in launches),
            surge=surge_of(resource, group.maximum, index),
            upkeep=upkeep_of(resource, launches, index, group.needs.hours),
        ),
        faults=(
            *group.faults,
            *zone_mismatches(volumes, group.rung.zones),
            *rule_faults("valid-names", NAMES.group_faults(resource, launches)),
        ),
        reach=reach_of(resource, launches, index),
    )
