"""The public images of Azure that machines start from, and which machines each serves."""

from dataclasses import dataclass
from functools import cache

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.model import Machine, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicImage:
    """A Marketplace image, pinned to the version that its source names.

    `sizes` are the machines that it serves, `generation` is the VM generation that it boots as;
    `trusted_launch` says whether it is tagged for that security type, None that nobody knows.
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
        """The image in one word, as `machine_image` takes it: publisher:offer:sku:version."""
        return f"{self.publisher}:{self.offer}:{self.sku}:{self.version}"


def public_image(purpose: Purpose, architecture: str | None) -> PublicImage | None:
    """The image for a purpose and an architecture; None when the table has none."""
    for image in _images():
        if (image.purpose, image.architecture) == (purpose, architecture):
            return image
    return None


def has_image(machine: Machine, purpose: Purpose) -> bool:
    """Whether a public image is known that has the drivers of a machine."""
    image = public_image(purpose, machine.architecture)
    return image is not None and machine.type in image.sizes


@cache
def _images() -> tuple[PublicImage, ...]:
    return tuple(
        PublicImage(**{**row, "sizes": tuple(row["sizes"])}) for row in TABLES.rows("images")
    )
