"""The launch settings of machines: an instance's own inputs over those of its template."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds.gcp.machines import type_with
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown


def instance_launch(resource: Resource, index: Index) -> LaunchSources:
    """Return the launch settings of an instance."""
    if resource_types.canonical(resource.type) != resource_types.INSTANCE_FROM_TEMPLATE:
        return LaunchSources((resource,))
    prop = "sourceInstanceTemplate"
    template_layer = template_launch(resource, prop, resource.inputs.get(prop), index)
    return LaunchSources((resource, *template_layer.layers), template_layer.hidden)


def template_launch(resource: Resource, prop: str, template: Any, index: Index) -> LaunchSources:
    """Return the launch settings of the template that the input `prop` names."""
    if template is None:
        return LaunchSources((), "it names no instance template")
    layer = index.targets(resource, prop, resource_types.TEMPLATE, template).only
    if layer is not None:
        return LaunchSources((layer,))
    if isinstance(template, Unknown):
        return LaunchSources((), "its instance template is not known yet")
    return LaunchSources((), f"its instance template {template} is not in this stack")


def machine_of(launch: LaunchSources, machine_type: Any = None) -> str | Unknown | None:
    """Return the machine type with its attached GPUs; None where none is named.

    `machine_type` overrides the template's, as a group that may choose among types does.
    """
    base = launch.get("machineType") if machine_type is None else machine_type
    return with_accelerators(base, launch.get("guestAccelerators"))


def with_accelerators(
    machine_type: Any, accelerators: Any, keys: tuple[str, str] = ("type", "count")
) -> str | Unknown | None:
    """Return a machine type with GPUs, each of a type and a count under these keys."""
    base = text(machine_type)
    if base is None or isinstance(base, Unknown):
        return base
    if isinstance(accelerators, Unknown):
        return UNKNOWN
    name = last_part(base)
    for accelerator in as_list(accelerators):
        kind, count = text(at(accelerator, keys[0])), whole_number(at(accelerator, keys[1]))
        if isinstance(kind, Unknown) or isinstance(count, Unknown) or (kind and count is None):
            return UNKNOWN
        name = type_with(name, last_part(kind) if kind else None, count or 0)
    return name


def nics_of(launch: LaunchSources) -> tuple[Any, ...] | Unknown:
    """Return the declared network interfaces, the first one primary."""
    nics = launch.get("networkInterfaces")
    return UNKNOWN if isinstance(nics, Unknown) else as_list(nics)


def scripts_of(launch: LaunchSources) -> Iterator[Any]:
    """Yield a machine's start-up scripts and metadata values; UNKNOWN where they are hidden."""
    yield launch.get("metadataStartupScript")
    metadata = launch.get("metadata")
    yield from metadata.values() if isinstance(metadata, Mapping) else (metadata,)
