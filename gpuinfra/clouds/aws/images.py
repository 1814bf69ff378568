"""The public images of AWS that machines start from, and which machines each serves."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.imagename import ImageName
from gpuinfra.model import Machine, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicImage:
    """An image by its public SSM parameter, which every region resolves to its own.

    `families` are those of the machines that its source says it supports; `root_device` is the
    device name of its root disk.
    """

    purpose: str
    architecture: str
    families: tuple[str, ...]
    parameter: str
    root_device: str
    source: str
    as_of: str


def public_image(purpose: Purpose, architecture: str | None) -> PublicImage | None:
    """The image for a purpose and an architecture; None when the table has none."""
    for image in _images():
        if (image.purpose, image.architecture) == (purpose, architecture):
            return image
    return None


def has_image(machine: Machine, purpose: Purpose) -> bool:
    """Whether a public image is known that has the drivers of a machine."""
    image = public_image(purpose, machine.architecture)
    return image is not None and machine.type.partition(".")[0] in image.families


def image_name(machine: Machine, purpose: Purpose, wish: str | None) -> ImageName | None:
    """How the build finds an image: as the caller wishes, else the public one; None for none."""
    if wish is not None:
        return ImageName(found_by="id" if wish.startswith("ami-") else "ssm-parameter", name=wish)
    image = public_image(purpose, machine.architecture)
    return None if image is None else ImageName(found_by="ssm-parameter", name=image.parameter)


@cache
def _images() -> tuple[PublicImage, ...]:
    return tuple(
        PublicImage(**{**row, "families": tuple(row["families"])}) for row in TABLES.rows("images")
    )


ACCEPTED: Final = (
    "an image id such as ami-0123456789abcdef0, or an SSM parameter such as /team/ami"
)


def image_fault(wish: str) -> str:
    """What is wrong with an image that the caller names; empty when nothing is."""
    taken = re.fullmatch(r"ami-[0-9a-f]{8}(?:[0-9a-f]{9})?|/[A-Za-z0-9._/-]+", wish)
    return "" if taken else "is no image of AWS"
