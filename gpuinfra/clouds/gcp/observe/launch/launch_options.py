"""The launch options of a group, and its minimum and maximum number of machines."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import gke, pool_sizes
from gpuinfra.clouds.gcp.observe.launch.launch_settings import (
    instance_launch,
    machine_of,
    template_launch,
)
from gpuinfra.clouds.gcp.observe.launch.purchase_options import (
    FLEX,
    ObservedPurchase,
    market_of,
    merge_purchases,
)
from gpuinfra.clouds.observing.fault_texts import Check
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, equals, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

_INSTANCE_WIDE_INPUTS: Final = ("metadata", "labels")


@record(kw_only=False)
class LaunchOption:
    """A launch option: a machine type (None: not stated) and its template."""

    machine: str | Unknown | None
    launch: LaunchSources


@record(kw_only=False)
class GroupRequest:
    """The request of a group, in the model's terms."""

    options: tuple[LaunchOption, ...]
    market: ObservedPurchase
    minimum: int | Unknown
    maximum: int | Unknown
    scaling: tuple[str, ...] | Unknown = ()
    """What Google refuses of how it scales."""


def group_request_of(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of an instance, a managed group or a node pool itself."""
    kind = resource_types.canonical(resource.type)
    if kind == resource_types.NODE_POOL:
        launch = gke.node_pool_launch(resource, index)
        least, most = pool_sizes.sizes_of(resource, index)
        market = market_of(launch, gke.checks(resource), queued=gke.waits_for_all_nodes(resource))
        size_problems = pool_sizes.impossible_sizes(resource)
        return GroupRequest(
            (LaunchOption(machine_of(launch), launch),), market, least, most, size_problems
        )
    if kind != resource_types.GROUP:
        launch = instance_launch(resource, index)
        return GroupRequest((LaunchOption(machine_of(launch), launch),), market_of(launch), 1, 1)
    options = tuple(_versions(resource, index))
    size = _size(resource, index)
    return GroupRequest(options, _market(resource, options), size, size)


def _size(group: Resource, index: Index) -> int | Unknown:
    """Return the number of machines that a managed group has by itself.

    One that says no size has what its autoscaler or its resize requests give it. It keeps its
    machines when the autoscaler goes or is switched off, and then only what was read back of it
    tells how many: https://docs.cloud.google.com/compute/docs/autoscaler/managing-autoscalers
    """
    size = whole_number(group.inputs.get("targetSize"))
    if size is not None:
        return size
    scaling = index.referrers(group, resource_types.AUTOSCALER, "target").certain
    adding = index.referrers(group, resource_types.RESIZE, "instanceGroupManager").certain
    if adding or any(not is_off(resource) for resource in scaling):
        return 0
    existing_size = whole_number(group.outputs.get("targetSize"))
    return existing_size if isinstance(existing_size, int) else 0


def is_off(autoscaler: Resource) -> bool:
    """Return whether an autoscaler is surely switched off."""
    return text(at(autoscaler.inputs.get("autoscalingPolicy"), "mode")) == "OFF"


def autoscaled_machines(
    autoscaler: Resource, group: Resource, request: GroupRequest
) -> tuple[int | Unknown, int | Unknown]:
    """Return the least and the most machines that an autoscaler adds to its group.

    Google asks not to size a group that is scaled; of one that has a size, the autoscaler adds
    what exceeds it: https://docs.cloud.google.com/compute/docs/autoscaler
    """
    least, most = limits_of(autoscaler)
    if is_off(autoscaler):
        return 0, 0
    if group.inputs.get("targetSize") is None:
        return least, most
    if isinstance(most, Unknown) or isinstance(request.maximum, Unknown):
        return 0, UNKNOWN
    return 0, max(0, most - request.maximum)


def limits_of(autoscaler: Resource) -> tuple[int | Unknown, int | Unknown]:
    """Return the least and the most machines that an autoscaler's policy names."""
    policy = autoscaler.inputs.get("autoscalingPolicy")
    least, most = (whole_number(at(policy, key)) for key in ("minReplicas", "maxReplicas"))
    return UNKNOWN if least is None else least, UNKNOWN if most is None else most


def _versions(resource: Resource, index: Index) -> Iterator[LaunchOption]:
    for template_layer in _templates(resource, index):
        launch = _with_instance_wide_inputs(resource, template_layer)
        for machine_type, option_layer in _chosen_among(resource, launch):
            is_unknown = isinstance(machine_type, Unknown)
            yield LaunchOption(
                UNKNOWN if is_unknown else machine_of(option_layer, machine_type), option_layer
            )


def _templates(group: Resource, index: Index) -> Iterator[LaunchSources]:
    """Yield the launch settings of each version; in any order where names are unknown."""
    prop = "versions"
    templates = [at(version, "instanceTemplate") for version in as_list(group.inputs.get(prop))]
    launches = [template_launch(group, prop, template, index) for template in templates]
    if UNKNOWN in templates and any(launch.hidden for launch in launches):
        targets = index.targets(group, prop, resource_types.TEMPLATE, templates)
        if targets.exact and targets.certain:
            launches = [LaunchSources((template,)) for template in targets.certain]
    yield from launches


def _with_instance_wide_inputs(group: Resource, launch: LaunchSources) -> LaunchSources:
    """Return the launch settings with the metadata and labels that the group gives to all.

    https://docs.cloud.google.com/compute/docs/instance-groups/set-mig-aic
    """
    prop = "allInstancesConfig"
    config = group.inputs.get(prop)
    if config in (None, {}) or launch.hidden:
        return launch
    inputs, relations = {}, {}
    for key in _INSTANCE_WIDE_INPUTS:
        value = at(config, key)
        if value is None:
            continue
        layer, template_value = launch.stating_layer_and_value(key)
        parts = [part for part in (template_value, value) if part is not None]
        has_unknowns = any(not isinstance(part, Mapping) for part in parts)
        inputs[key] = (
            UNKNOWN if has_unknowns else {k: v for part in parts for k, v in part.items()}
        )
        beneath = () if layer is None else layer.relations.get(key, ())
        relations[key] = (*group.relations.get(prop, ()), *beneath)
    return LaunchSources((replace(group, inputs=inputs, relations=relations), *launch.layers))


def _chosen_among(group: Resource, launch: LaunchSources) -> Iterator[tuple[Any, LaunchSources]]:
    """Yield the machine types that a group may choose from, with the disks of each selection.

    None is the template's. Disks of a selection take the place of the template's:
    https://docs.cloud.google.com/compute/docs/instance-groups/about-instance-flexibility
    """
    prop = "instanceFlexibilityPolicy"
    policy = group.inputs.get(prop)
    selections = at(policy, "instanceSelections")
    if isinstance(policy, Unknown) or isinstance(selections, Unknown):
        yield UNKNOWN, launch
        return
    is_selected = False
    for selection in as_list(selections):
        disks, own_sources = at(selection, "disks"), launch
        if disks not in (None, []) and not launch.hidden:
            relations = {"disks": group.relations.get(prop, ())}
            layer = replace(group, inputs={"disks": disks}, relations=relations)
            own_sources = LaunchSources((layer, *launch.layers))
        for machine_type in as_list(at(selection, "machineTypes")):
            is_selected = True
            yield machine_type, own_sources
    if not is_selected:
        yield None, launch


def _purchase_of_version(launch: LaunchSources, check: Check) -> ObservedPurchase:
    """Return how one version is bought, with a check on machines that wait for capacity."""
    market = market_of(launch)
    return market_of(launch, (check,)) if market.model == FLEX else market


def _market(resource: Resource, options: tuple[LaunchOption, ...]) -> ObservedPurchase:
    """Return how a group's machines are bought; versions that differ count as on-demand."""
    waits = equals(resource.inputs.get("waitForInstances"), True)
    check: Check = (waits, "flex-start in a group that waits for its machines")
    launch_markets = [_purchase_of_version(option.launch, check) for option in options]
    return (
        merge_purchases(launch_markets)
        if launch_markets
        else market_of(LaunchSources((), "it names no instance template"))
    )
