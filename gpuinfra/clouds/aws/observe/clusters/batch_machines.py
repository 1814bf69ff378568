"""The machines of AWS Batch, started by a compute environment up to its maximum vCPUs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe.clusters import fargate
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest, LaunchOption
from gpuinfra.clouds.aws.observe.launch.launch_settings import (
    ObservedPurchase,
    as_instance,
    template_launches,
)
from gpuinfra.clouds.aws.observe.machines.groups import group_rows
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.values import as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_PROP: Final = "computeResources"
_MARKETS: Final = {"EC2": ObservedPurchase(), "SPOT": ObservedPurchase("spot")}
_ON_FARGATE: Final = {"FARGATE": False, "FARGATE_SPOT": True}
_LAUNCH_INPUTS: Final = {
    "ec2KeyPair": "keyName",
    "imageId": "imageId",
    "instanceRole": "iamInstanceProfile",
    "placementGroup": "placementGroup",
    "securityGroupIds": "vpcSecurityGroupIds",
    "tags": "tags",
}
"""What a compute environment says of its machines, and how an instance says it:
https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html"""
_UNMANAGED: Final = "UNMANAGED"
_GROUPS: Final = "securityGroupIds"
_NICS: Final = "networkInterfaces"
_UNDECLARED_JOBS: Final = (
    "it starts machines for its jobs, whose number and types are not declared here"
)


def compute_environment(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that an environment may start at once.

    Batch exceeds its vCPUs by one machine at most, with any strategy of allocation but BEST_FIT:
    https://docs.aws.amazon.com/batch/latest/userguide/allocation-strategies.html
    In an environment that it does not manage, it starts none:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-batch-computeenvironment.html
    """
    resources_input = resource.inputs.get(_PROP)
    if resources_input is None and resource.inputs.get("type") == _UNMANAGED:
        return Rows()
    most = whole_number(at(resources_input, "maxVcpus"))
    kind = str(text(at(resources_input, "type")))
    if kind in _ON_FARGATE and most is not None:
        items = fargate.batch_items(resource, index, most, spot=_ON_FARGATE[kind])
        return Rows(items=items)
    market = _MARKETS.get(kind)
    sizes = {name: _vcpus(name) for name in as_list(at(resources_input, "instanceTypes"))}
    known_sizes = {name: count for name, count in sizes.items() if count is not None}
    if (
        not isinstance(resources_input, Mapping)
        or market is None
        or not known_sizes
        or known_sizes != sizes
    ):
        return unjudged_rows(resource, _UNDECLARED_JOBS)
    least = whole_number(resources_input.get("minVcpus"))
    request = GroupRequest(
        tuple(
            LaunchOption(name, launch, weight=Decimal(count))
            for name, count in known_sizes.items()
            for launch in _launches(resource, resources_input, name, index)
        ),
        market,
        least if isinstance(least, int) else 0,
        most + max(known_sizes.values()) if isinstance(most, int) else UNKNOWN,
        spot_share=Decimal(market.capacity == "spot"),
    )
    related_urns = resource.relations.get(_PROP, ())
    machines = replace(
        resource,
        inputs={**resource.inputs, "subnetIds": resources_input.get("subnets")},
        relations={**resource.relations, "subnetIds": related_urns},
    )
    return group_rows(machines, index, usage, request)


def _vcpus(name: Any) -> int | None:
    """Return the vCPUs of a machine type; None for a family, or for a type in no table."""
    spec = machine(name) if isinstance(name, str) else None
    return None if spec is None else spec.vcpu


def _launches(
    resource: Resource, compute_resources: Mapping[str, Any], machine_type: str, index: Index
) -> Iterator[LaunchSources]:
    """Yield the launch settings of a type: the environment's template, or its override.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_LaunchTemplateSpecificationOverride.html
    """
    spec = compute_resources.get("launchTemplate")
    yield from _launch_sources(resource, compute_resources, spec, index)
    for override in as_list(at(spec, "overrides")):
        targets = at(override, "targetInstanceTypes")
        names = as_list(targets) or (UNKNOWN,)
        if any(_is_of(machine_type, name) for name in names):
            yield from _launch_sources(resource, compute_resources, override, index)


def _is_of(machine_type: str, target: Any) -> bool:
    """Return whether an override may apply to a type: by its name, or its family."""
    family = machine_type.partition(".")[0]
    return isinstance(target, Unknown) or target in (machine_type, family, f"{family}.*")


def _launch_sources(
    resource: Resource, compute_resources: Mapping[str, Any], spec: Any, index: Index
) -> Iterator[LaunchSources]:
    """Yield launch settings: the environment's own inputs over each possible template."""
    inputs = {
        name: compute_resources[key]
        for key, name in _LAUNCH_INPUTS.items()
        if compute_resources.get(key) is not None
    }
    inputs |= _image(compute_resources)
    layer = as_instance(resource, _PROP, inputs)
    if spec is None:
        yield LaunchSources((layer,))
    elif isinstance(spec, Unknown):
        yield LaunchSources((layer,), "its launch template is not known yet")
    else:
        for template_layer in template_launches(resource, _PROP, spec, index):
            layers = (
                map(_without_groups, template_layer.layers)
                if _has_groups(compute_resources)
                else template_layer.layers
            )
            yield LaunchSources((layer, *layers), template_layer.hidden)


def _has_groups(resources: Mapping[str, Any]) -> bool:
    return isinstance(resources.get(_GROUPS), Unknown) or bool(as_list(resources.get(_GROUPS)))


def _without_groups(template: Resource) -> Resource:
    """Return a template whose interfaces have the security groups that the environment names.

    Batch uses those of an environment that names them as its template does:
    https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
    """
    nics = template.inputs.get(_NICS)
    if not isinstance(nics, (list, tuple)):
        return template
    plain_interfaces = [
        {key: value for key, value in nic.items() if key != "securityGroups"}
        if isinstance(nic, Mapping)
        else nic
        for nic in nics
    ]
    return replace(template, inputs={**template.inputs, _NICS: plain_interfaces})


def _image(compute_resources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the image that an environment names for each kind of its machines, which comes first.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
    """
    kinds = compute_resources.get("ec2Configurations")
    if isinstance(kinds, Unknown):
        return {"imageId": UNKNOWN}
    images = [at(kind, "imageIdOverride") for kind in as_list(kinds)]
    return {"imageId": images[0]} if images and None not in images else {}
