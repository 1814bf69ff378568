"""The public AWS machine images: the machine types that each supports, and its software."""

import re
from functools import cache
from typing import Final, Literal

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record

Devices = Literal["nvidia", "neuron"]
"""The driver of an image: nvidia, or neuron (AWS Trainium and Inferentia)."""

Software = Literal["driver", "cuda", "pytorch", "nccl", "efa", "ofi-nccl"]
"""NVIDIA's driver, CUDA, PyTorch, NCCL, the EFA installer, and NCCL's plugin for EFA."""

ABSENT: Final = "none"
"""The table's value for software that an image does not have; None is unknown."""


@record
class PublicImage:
    """An image by its public SSM parameter, which every region resolves to its own.

    Attributes:
        purposes: the purposes that use it by default; empty for one that only the user names.
        architecture: of the processor.
        devices: whose driver it has.
        families: those of the machines that its source says it supports.
        parameter: names the newest release of it.
        root_device: the device name of its root disk.
        system: the operating system.
        driver: NVIDIA's driver, as all versions here that of the release in `source`, which what
            the parameter names today is or follows; None is unknown, ABSENT is known to lack.
        cuda: the CUDA toolkits.
        pytorch: PyTorch.
        pytorch_cuda: the CUDA that this PyTorch was built for.
        nccl: NCCL.
        efa: the EFA installer.
        ofi_nccl: the plugin that lets NCCL use EFA.
        source: where this was read.
        as_of: when it was released.
    """

    purposes: tuple[str, ...]
    architecture: str
    devices: Devices
    families: tuple[str, ...]
    parameter: str
    root_device: str
    system: str
    driver: str | None
    cuda: tuple[str, ...] | None
    pytorch: str | None
    pytorch_cuda: str | None
    nccl: str | None
    efa: str | None
    ofi_nccl: str | None
    source: str
    as_of: str

    def versions(self, software: Software) -> tuple[str, ...] | None:
        """Return the versions of a part in the image; empty for none, None for unknown."""
        if software == "cuda":
            return self.cuda
        version: str | None = getattr(self, software.replace("-", "_"))
        if version is None:
            return None
        return () if version == ABSENT else (version,)


_OS_IMAGE_PREFIXES: Final = ("/aws/service/ami-amazon-linux-latest/", "/aws/service/canonical/")
"""https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-ami.html
and https://documentation.ubuntu.com/aws/aws-how-to/instances/find-ubuntu-images/"""


def family(machine: Machine) -> str:
    """Return the family of a machine, for example p6-b200 of p6-b200.48xlarge."""
    return machine.type.partition(".")[0]


def devices(machine: Machine) -> Devices | None:
    """Return the vendor of a machine's driver, from the images that serve it; None if unknown."""
    return next((image.devices for image in images() if serves(image, machine)), None)


def public_image(purpose: Purpose, machine: Machine) -> PublicImage | None:
    """Return the default image of a machine; None when none is known to serve it."""
    for image in images():
        if purpose in image.purposes and serves(image, machine):
            return image
    return None


def serves(image: PublicImage, machine: Machine) -> bool:
    """Return whether an image supports a machine, according to the image's documentation."""
    return family(machine) in image.families


def known_image(parameter: str) -> PublicImage | None:
    """Return the table's image that an SSM parameter names; None when the table lacks it."""
    return next((image for image in images() if image.parameter == parameter), None)


def has_image(machine: Machine, purpose: Purpose) -> bool:
    """Return whether a public image is known that has the drivers of a machine."""
    return public_image(purpose, machine) is not None


def has_drivers(parameter: str, machine: Machine) -> bool:
    """Return whether an SSM parameter is known to name an image with a machine's drivers.

    AWS's Deep Learning AMIs have those of the machines that any of them serves, on the processor
    that the parameter names; of Neuron images all are for x86_64.
    """
    image = known_image(parameter)
    if image is not None:
        return serves(image, machine)
    device_kind = devices(machine)
    return device_kind is not None and parameter.startswith(
        f"/aws/service/deeplearning/ami/{machine.architecture}/"
        if device_kind == "nvidia"
        else "/aws/service/neuron/dlami/"
    )


def is_plain(parameter: str) -> bool:
    """Return whether an SSM parameter names an operating system's image without any driver."""
    return parameter.startswith(_OS_IMAGE_PREFIXES)


@cache
def images() -> tuple[PublicImage, ...]:
    """Return all known public images, in order of preference."""
    return tuple(_image(**row) for row in TABLES.rows("images"))


def _image(
    *, purposes: list[str], families: list[str], cuda: list[str] | None, **row: str
) -> PublicImage:
    return PublicImage(
        purposes=tuple(purposes),
        families=tuple(families),
        cuda=None if cuda is None else tuple(cuda),
        **row,  # type: ignore[arg-type]  # the table has the words of Devices
    )


IMAGE_FORMS: Final = (
    "an image id, for example ami-0123456789abcdef0, or an SSM parameter, for example /team/ami"
)


def image_fault(machine_image: str) -> str:
    """Return the fault of an image that the caller names; empty when there is none."""
    form = re.fullmatch(r"ami-[0-9a-f]{8}(?:[0-9a-f]{9})?|/[A-Za-z0-9._/-]+", machine_image)
    return "" if form else "is not an AWS image"
