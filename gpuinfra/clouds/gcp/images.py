"""The public images of Google Cloud that machines start from, and the machines each serves."""

import re
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import UNKNOWN, Machine, Purpose, Unknown
from gpuinfra.records import record


@record
class PublicImage:
    """An image by its project and family, which resolves to the family's newest image.

    `machines` are the series (a3, n1) that its source says it supports, or of a series in part
    the types (g4-standard-48). `secure_boot` is whether
    its GPU driver is known to be signed: one that is not does not load under Secure Boot.
    """

    purpose: str
    architecture: str
    machines: tuple[str, ...]
    project: str
    family: str
    secure_boot: bool
    source: str
    as_of: str


def public_image(purpose: Purpose, machine: Machine) -> PublicImage | None:
    """Return the image for a purpose with a machine's drivers; None when the table has none."""
    names = {machine.type, machine.type.partition("-")[0]}
    for image in _images():
        is_for_machine = (image.purpose, image.architecture) == (purpose, machine.architecture)
        if is_for_machine and not names.isdisjoint(image.machines):
            return image
    return None


def has_image(machine: Machine, purpose: Purpose) -> bool:
    """Return whether a public image is known that has the drivers of a machine."""
    return public_image(purpose, machine) is not None


@cache
def _images() -> tuple[PublicImage, ...]:
    return tuple(
        PublicImage(**dict[str, Any](row, machines=tuple(row["machines"])))
        for row in TABLES.rows("images")
    )


def disk_size_of(image: Any) -> Decimal | Unknown:
    """Return the GB of a disk made from an image; UNKNOWN unless a table has its project.

    How providers take images: https://www.pulumi.com/registry/packages/gcp/api-docs/compute/image/
    """
    match = _PROJECT_IMAGE_PATH.fullmatch(image) if isinstance(image, str) else None
    if match is None:
        return UNKNOWN
    project = match["long"] or match["short"]
    sizes = (row["gib"] for row in TABLES.rows("image_sizes") if row["project"] == project)
    return next(map(Decimal, sizes), UNKNOWN)


_PROJECT_IMAGE_PATH: Final = re.compile(
    r"(?:https://[^/]+/compute/[a-z0-9]+/)?projects/(?P<long>[^/]+)/global/images/(?:family/)?[^/]+"
    r"|(?P<short>[^/]+)/(?:family/)?[^/]+"
)
_PROJECT: Final = r"projects/(?P<project>[a-z0-9.:-]+)/global/images"
IMAGE: Final = re.compile(rf"{_PROJECT}/[a-z][a-z0-9-]*")
FAMILY: Final = re.compile(rf"{_PROJECT}/family/(?P<family>[a-z][a-z0-9-]*)")
IMAGE_FORMS: Final = (
    "projects/my-project/global/images/my-image, "
    "or projects/my-project/global/images/family/my-family"
)


def image_fault(machine_image: str) -> str:
    """Return the fault of an image that the caller names; empty when there is none."""
    matched_form = IMAGE.fullmatch(machine_image) or FAMILY.fullmatch(machine_image)
    return "" if matched_form else "is not a Google Cloud image"
