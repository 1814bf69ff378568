"""The public images of Azure that machines start from, and the machines each serves."""

import re
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import UNKNOWN, Machine, Purpose, Unknown
from gpuinfra.records import record


@record
class PublicImage:
    """A Marketplace image, pinned to the version that its source names.

    `sizes` are the machines that it serves, `generation` is the VM generation that it boots as;
    `trusted_launch` is whether it is tagged for that security type, None where it is not known.
    """

    purpose: str
    architecture: str
    sizes: tuple[str, ...]
    publisher: str
    offer: str
    sku: str
    version: str
    generation: int
    trusted_launch: bool | None
    source: str
    as_of: str

    @property
    def reference(self) -> str:
        """The value for `machine_image`: publisher:offer:sku:version."""
        return f"{self.publisher}:{self.offer}:{self.sku}:{self.version}"


def public_image(purpose: Purpose, architecture: str | None) -> PublicImage | None:
    """Return the image for a purpose and an architecture; None when the table has none."""
    for image in _images():
        if (image.purpose, image.architecture) == (purpose, architecture):
            return image
    return None


def has_image(machine: Machine, purpose: Purpose) -> bool:
    """Return whether a public image is known that has the drivers of a machine."""
    image = public_image(purpose, machine.architecture)
    return image is not None and machine.type in image.sizes


@cache
def _images() -> tuple[PublicImage, ...]:
    return tuple(
        PublicImage(**dict[str, Any](row, sizes=tuple(row["sizes"])))
        for row in TABLES.rows("images")
    )


def disk_size_of(reference: Any) -> Decimal | Unknown:
    """Return the GiB of a disk made from an image; UNKNOWN unless a table has its publisher.

    https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage
    """
    publisher, offer = (text(at(reference, key)) for key in ("publisher", "offer"))
    if not isinstance(publisher, str) or not isinstance(offer, str):
        return UNKNOWN
    for row in TABLES.rows("image_sizes"):
        if publisher.lower() == row["publisher"] and offer.lower().startswith(row["offer"]):
            return Decimal(row["gib"])
    return UNKNOWN


IMAGE_URN: Final = re.compile(r"([^:/]+):([^:/]+):([^:/]+):([^:/]+)")
IMAGE_ID_PATTERN: Final = {
    "id": re.compile(
        r"(?i)/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Compute"
        r"/(?:images/[^/]+|galleries/[^/]+/images/[^/]+/versions/[^/]+)"
    ),
    "communityGalleryImageId": re.compile(
        r"(?i)/CommunityGalleries/[^/]+/Images/[^/]+/Versions/[^/]+"
    ),
    "sharedGalleryImageId": re.compile(r"(?i)/SharedGalleries/[^/]+/Images/[^/]+/Versions/[^/]+"),
}
"""The forms of an image's id, by the key of a scale set's reference to it."""

IMAGE_FORMS: Final = (
    "publisher:offer:sku:version, or the resource id of an image or of an image "
    "version in a gallery; the version is a number, because latest would change the "
    "machines unexpectedly"
)


def image_fault(machine_image: str) -> str:
    """Return the fault of an image that the caller names; empty when there is none."""
    if machine_image.lower().endswith((":latest", "/versions/latest")):
        return "names no version"
    matched_form = IMAGE_URN.fullmatch(machine_image) or any(
        form.fullmatch(machine_image) for form in IMAGE_ID_PATTERN.values()
    )
    return "" if matched_form else "is not an Azure image"
