"""The software that GPUs, machines, CUDA and PyTorch need, as the tables say."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final

from gpuinfra.clouds import versions
from gpuinfra.clouds.aws.images import ABSENT, PublicImage, Software, family
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import Machine
from gpuinfra.records import record

SOFTWARE_NAMES: Final[Mapping[Software, str]] = {
    "driver": "NVIDIA driver",
    "cuda": "CUDA",
    "pytorch": "PyTorch",
    "nccl": "NCCL",
    "efa": "EFA installer",
    "ofi-nccl": "aws-ofi-nccl",
}


@record
class VersionNeed:
    """The need of a subject for one part: at least `least`, and below `below` unless it is None.

    `firm` says that less does not work; else less is only older than the source advises, or
    works for some programs.
    """

    subject: str
    part: Software
    least: str
    below: str | None
    firm: bool
    source: str
    as_of: str

    def is_met_by(self, version: str) -> bool | None:
        """Return whether a version is sufficient; None where the source does not settle it."""
        if self.below is not None and versions.is_at_least(version, self.below):
            return False
        if versions.is_at_least(version, self.least):
            return True
        return False if self.firm else None

    @property
    def version_range_text(self) -> str:
        """The needed versions in words, for example `CUDA 10.0 or newer, below 13.0`."""
        upper_bound_text = "" if self.below is None else f", below {self.below}"
        return f"{SOFTWARE_NAMES[self.part]} {self.least} or newer{upper_bound_text}"


@record
class PytorchWheel:
    """A published build of PyTorch: its CUDA version, and its NCCL version if known."""

    pytorch: str
    cuda: str
    nccl: str | None
    source: str
    as_of: str


def machine_needs(machine: Machine, software: Software) -> tuple[VersionNeed, ...]:
    """Return a machine's needs of a part: those of its GPU, its family and its own type."""
    kinds = (("gpu", machine.gpu), ("family", family(machine)), ("type", machine.type))
    return tuple(
        need
        for kind, name in kinds
        for need in _needs_of_kind(kind, name)
        if need.part == software
    )


def cuda_needs(cuda: str) -> tuple[VersionNeed, ...]:
    """Return the driver needs of programs for a CUDA version; empty for an unknown version.

    The toolkit's own driver runs all of them, an older one of the same major version those that
    need nothing new: https://docs.nvidia.com/deploy/cuda-compatibility/.
    """
    needs = _needs_of_kind("cuda", versions.minor_line(cuda))
    return (*_needs_of_kind("cuda-major", versions.major(cuda)), *needs) if needs else ()


def wheels(pytorch: str) -> tuple[PytorchWheel, ...]:
    """Return the published builds of a PyTorch release; empty if the table has none."""
    line = versions.minor_line(pytorch)
    return tuple(wheel for wheel in _wheels() if wheel.pytorch == line)


def contents(image: PublicImage) -> Mapping[str, str]:
    """Return an image's contents by software name: the versions, none, or unknown."""
    contained = {word: image.versions(software) for software, word in SOFTWARE_NAMES.items()}
    return {
        image_word: "unknown" if image_versions is None else ", ".join(image_versions) or ABSENT
        for image_word, image_versions in contained.items()
    }


def _needs_of_kind(kind: str, subject: str) -> tuple[VersionNeed, ...]:
    return _needs_by_subject().get((kind, subject), ())


@cache
def _needs_by_subject() -> Mapping[tuple[str, str], tuple[VersionNeed, ...]]:
    by_subject: dict[tuple[str, str], list[VersionNeed]] = defaultdict(list)
    for row in TABLES.rows("compatibility"):
        kind = row.pop("kind")
        by_subject[kind, row["subject"]].append(VersionNeed(**row))
    return {key: tuple(rows) for key, rows in by_subject.items()}


@cache
def _wheels() -> tuple[PytorchWheel, ...]:
    return tuple(PytorchWheel(**row) for row in TABLES.rows("wheels"))
