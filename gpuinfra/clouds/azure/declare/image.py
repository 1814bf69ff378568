"""The image that machines start from: the caller's, or the public one of the table, pinned."""

from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.clouds.azure.images import (
    IMAGE_FORMS,
    IMAGE_ID_PATTERN,
    IMAGE_URN,
    image_fault,
    public_image,
)
from gpuinfra.clouds.declaring import images
from gpuinfra.graph import Expression
from gpuinfra.model import Purpose
from gpuinfra.records import record

EXAMPLE: Final = "publisher:offer:sku:version"


@record
class DeclaredImage:
    """An image: the scale set's reference to it, and its one-word name.

    `trusted_launch` is whether it starts with that security type, None where it is not known.
    """

    reference: Mapping[str, Any]
    word: Any
    trusted_launch: bool | None = None


def find_image(
    name: str, machine_image: Any, purpose: Purpose, architecture: str | None
) -> DeclaredImage:
    """Return the image: the one that the caller names, else the public one.

    An output of the caller's is a resource id.

    Raises:
        InputError: the value is no image or names no version, or there is no public image.
    """
    if machine_image is None:
        image = images.require_image(
            public_image(purpose, architecture), name, architecture or "such", EXAMPLE
        )
        reference = _marketplace(image.publisher, image.offer, image.sku, image.version)
        return DeclaredImage(
            reference=reference, word=image.reference, trusted_launch=image.trusted_launch
        )
    if isinstance(machine_image, Expression):
        return DeclaredImage(reference={"id": machine_image}, word=machine_image)
    if fault := image_fault(machine_image):
        raise images.image_error(name, machine_image, fault, IMAGE_FORMS)
    if urn_match := IMAGE_URN.fullmatch(machine_image):
        return DeclaredImage(reference=_marketplace(*urn_match.groups()), word=machine_image)
    (key,) = [key for key, form in IMAGE_ID_PATTERN.items() if form.fullmatch(machine_image)]
    return DeclaredImage(reference={key: machine_image}, word=machine_image)


def _marketplace(publisher: str, offer: str, sku: str, version: str) -> Mapping[str, str]:
    return {"publisher": publisher, "offer": offer, "sku": sku, "version": version}
