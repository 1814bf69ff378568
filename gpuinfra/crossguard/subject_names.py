"""The names of a resource: its own, and those of the components that contain it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuinfra.crossguard.policy_settings import ROOT
from gpuinfra.model import Resource
from gpuinfra.rules.waivers import own_names, short_name
from gpuinfra.urns import project_of, type_of

SECTIONS: Final[Mapping[str, str]] = {
    "gpuinfra:index:TrainingNode": "training",
    "gpuinfra:index:TrainingCluster": "training",
    "gpuinfra:index:InferencePool": "inference",
    "gpuinfra:index:DataBucket": "buckets",
}
"""By component type, where a stack file has what the component is built from.

The inputs of these components tell what no resource shows of them."""

_STACK: Final = "pulumi:pulumi:Stack"


def names_of(subject: str, resources: Mapping[str, Resource]) -> tuple[str, ...]:
    """Return every name of a subject: its own, and those of each component above it.

    A waiver in a stack file says `training.trainer` or `trainer`; what a pack finds is about
    `trainer-group`, a child of that component. The root is above everything and names nothing.

    Args:
        subject: a URN, or the name of the whole.
        resources: the resources and components that were shown so far, by URN.
    """
    return (*own_names(subject), *_names_above(subject, resources))


def _names_above(urn: str, resources: Mapping[str, Resource]) -> Iterator[str]:
    resource = resources.get(urn)
    while resource is not None and resource.parent:
        parent_urn, name = resource.parent, short_name(resource.parent)
        kind = type_of(parent_urn)
        if kind in {ROOT, _STACK}:
            return
        yield from (parent_urn, name)
        if kind in SECTIONS:
            yield f"{SECTIONS[kind]}.{name}"
        resource = resources.get(parent_urn)


def stack_name(resources: Sequence[Resource]) -> str:
    """Return a name for the stack: that of its root component, or else its project."""
    root = next((resource.name for resource in resources if resource.type == ROOT), None)
    return root or next((project_of(resource.urn) for resource in resources), "stack")
