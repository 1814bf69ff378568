"""The needs of one workload, read from its declared resources, that an account must allow."""

from collections.abc import Iterator, Sequence
from typing import Any

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.image_name import ImageName, shown_image
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource
from gpuinfra.records import record


@record
class DeclaredNeeds:
    """The needs of a workload's resources that an account must allow.

    `types` are the machine types, the first one's first. `interfaces` counts those of a machine
    that take an address, `has_several_interfaces` is whether it has more than one of any kind.
    `zones` are those of the subnets that are made; none where the caller's own are used.
    `reaches_internet` is whether there is a NAT gateway, or no network that is made. `disk` is the
    size of each machine's own in GiB, None where nothing says. `image` is what its machines start
    from.
    """

    types: tuple[str, ...]
    interfaces: int | None
    zones: tuple[str, ...]
    has_several_interfaces: bool | None = False
    reaches_internet: bool = True
    certificate: str | None = None
    disk: int | None = None
    image: ImageName | None = None


def declared_needs(resources: Sequence[Resource]) -> DeclaredNeeds:
    """Return the needs of a workload, read from its template, group and network."""
    (launch,) = (resource for resource in resources if resource.type == resource_types.TEMPLATE)
    template = launch.inputs
    nics = as_list(template.get("networkInterfaces"))
    zones = _texts(resources, resource_types.SUBNET, "availabilityZone")
    has_nat = any(resource.type == resource_types.NAT for resource in resources)
    certificates = _texts(resources, resource_types.LISTENER, "certificateArn")
    sizes = (
        at(mapping, "ebs", "volumeSize")
        for mapping in as_list(template.get("blockDeviceMappings"))
    )
    return DeclaredNeeds(
        types=tuple(
            dict.fromkeys(
                (str(template.get("instanceType")), *_additional_machine_types(resources))
            )
        ),
        interfaces=sum(at(nic, "interfaceType") != "efa-only" for nic in nics) or 1,
        has_several_interfaces=len(nics) > 1,
        zones=zones,
        reaches_internet=has_nat or not zones,
        certificate=next(iter(certificates), None),
        disk=next((size for size in sizes if isinstance(size, int)), None),
        image=_image(launch, resources),
    )


def _image(launch: Resource, resources: Sequence[Resource]) -> ImageName | None:
    """Return the image that a template names, or the parameter that its pinned value came from."""
    pins = launch.relations.get("imageId", ())
    image_ids = [resource.inputs.get("input") for resource in resources if resource.urn in pins]
    image_references = (
        launch.inputs.get("imageId"),
        *(at(image_id, "name") for image_id in image_ids),
        *image_ids,
    )
    return next((shown_image(image) for image in image_references if isinstance(image, str)), None)


def _texts(resources: Sequence[Resource], kind: str, key: str) -> tuple[str, ...]:
    values = (resource.inputs.get(key) for resource in resources if resource.type == kind)
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def _additional_machine_types(resources: Sequence[Resource]) -> Iterator[str]:
    """Yield the machine types that a group may run in addition to that of its template."""
    for resource in resources:
        policy: Any = (
            resource.inputs.get("mixedInstancesPolicy")
            if resource.type == resource_types.GROUP
            else None
        )
        for override in as_list(at(policy, "launchTemplate", "overrides")):
            if isinstance(type_ := at(override, "instanceType"), str):
                yield type_
