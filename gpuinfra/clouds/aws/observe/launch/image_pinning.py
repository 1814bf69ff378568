"""Checks whether the image of machines on AWS stays the same from one start to the next."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.image_name import PARAMETER
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_STASH_URN_PART: Final = ":Stash::"
"""The URN part of the resource that keeps a value in the stack's state."""


def is_pinned(resource: Resource, launch: LaunchSources) -> Known:
    """Return whether the image is pinned: named by an id, or by a parameter with a version.

    EKS keeps the release of a node group until the user updates it:
    https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html
    """
    for key in ("imageId", "ami"):
        layer, image = launch.stating_layer_and_value(key)
        if image is not None:
            return _is_id(layer, key, image)
    return resource_types.canonical(resource.type) == resource_types.NODE_GROUP or UNKNOWN


def image_of(launch: LaunchSources, index: Index) -> str | None:
    """Return the image that machines start from, or the parameter of its look-up."""
    for key in ("imageId", "ami"):
        layer, image = launch.stating_layer_and_value(key)
        if isinstance(image, str) and image:
            return image
        for state_image in _state_images(layer, key, index):
            name = text(at(state_image, "id") if isinstance(state_image, Mapping) else state_image)
            if isinstance(name, str):
                return name
    return None


def looked_up(launch: LaunchSources, index: Index) -> str | None:
    """Return the parameter by which the machines' current image was looked up."""
    for key in ("imageId", "ami"):
        layer, image = launch.stating_layer_and_value(key)
        if isinstance(image, str) and image.startswith(PARAMETER):
            return image
        for state_image in _state_images(layer, key, index):
            name, id_ = text(at(state_image, "name")), at(state_image, "id")
            if isinstance(name, str) and (isinstance(image, Unknown) or image == id_):
                return name
    return None


def _state_images(layer: Resource | None, key: str, index: Index) -> Iterator[Any]:
    """Yield the state's entries of an image: its id, with the name that it was looked up by."""
    for resource in index.related_resources(layer, key) if layer is not None else ():
        if _STASH_URN_PART in resource.urn:
            yield resource.inputs.get("input")


def _is_id(layer: Resource | None, key: str, image: Any) -> Known:
    if isinstance(image, Unknown):
        image_urns = () if layer is None else layer.relations.get(key, ())
        return True if any(_STASH_URN_PART in urn for urn in image_urns) else UNKNOWN
    image_text = text(image)
    if not isinstance(image_text, str):
        return UNKNOWN
    if image_text.startswith(PARAMETER):
        return image_text.removeprefix(PARAMETER).partition(":")[2].isdigit()
    return image_text.startswith("ami-") or UNKNOWN
