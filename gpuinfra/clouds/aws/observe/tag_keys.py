"""The tag keys of a group's machines, a bucket or a file system."""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.observing.label_keys import (
    Keys,
    common_keys,
    inherited_keys,
    keys_of,
    resource_keys,
    union_of_keys,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Unknown

_MACHINES: Final = "instance"


def machine_tag_keys(resource: Resource, launches: Sequence[LaunchSources]) -> Keys:
    """Return the tag keys that every machine of a group gets.

    An instance has its own and those of its template, a scaling group passes on those that say
    so; neither a fleet nor a node group of EKS passes its own on to machines:
    https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
    """
    kind = resource_types.canonical(resource.type)
    own_keys: Keys = frozenset()
    if kind == resource_types.INSTANCE:
        own_keys = resource_keys(resource, "tags", "tagsAll")
    elif kind == resource_types.GROUP:
        own_keys = inherited_keys(resource.inputs.get("tags"), "key", "propagateAtLaunch")
    return common_keys([union_of_keys((own_keys, *_template_keys(launch))) for launch in launches])


def resource_tag_keys(resource: Resource) -> Keys:
    """Return the keys of a resource's own tags."""
    return resource_keys(resource, "tags", "tagsAll")


def _template_keys(launch: LaunchSources) -> Iterator[Keys]:
    if launch.hidden:
        yield UNKNOWN
    specifications = launch.get("tagSpecifications")
    if isinstance(specifications, Unknown):
        yield UNKNOWN
    for specification in as_list(specifications):
        tagged_type = at(specification, "resourceType")
        if isinstance(tagged_type, Unknown) or tagged_type == _MACHINES:
            yield (
                UNKNOWN if isinstance(tagged_type, Unknown) else keys_of(at(specification, "tags"))
            )
