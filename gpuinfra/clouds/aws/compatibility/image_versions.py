"""Compares a job's requirements of its image with the known contents of the image."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds import versions
from gpuinfra.clouds.aws.compatibility.verdicts import (
    CompatibilityVerdict,
    fit,
    incompatible,
    unknown,
)
from gpuinfra.clouds.aws.compatibility.version_needs import SOFTWARE_NAMES, cuda_needs
from gpuinfra.clouds.aws.images import PublicImage, Software

if TYPE_CHECKING:
    from gpuinfra.specs.framework import Framework


def image_verdicts(
    image: PublicImage | None, framework: "Framework"
) -> Iterator[CompatibilityVerdict]:
    """Yield a verdict on each version that a job requires; `image` is None if it is unknown."""
    least: tuple[tuple[Software, str | None], ...] = (
        ("driver", framework.driver),
        ("nccl", framework.nccl),
        ("efa", framework.efa),
    )
    for software, version in least:
        if version is not None:
            yield _version_verdict(software, version, image)
    if framework.pytorch is not None:
        yield _pytorch(framework.pytorch, image)
    if framework.cuda is not None:
        yield _driver_runs(framework.cuda, image)
        yield _toolkit(framework.cuda, image)
        if framework.pytorch is not None and image is not None and image.versions("pytorch"):
            yield _built_for(framework.cuda, image)


def _version_verdict(
    software: Software, version: str, image: PublicImage | None
) -> CompatibilityVerdict:
    wants = f"the job requires {SOFTWARE_NAMES[software]} {version} or newer"
    image_versions = None if image is None else image.versions(software)
    if image is None or image_versions is None:
        return unknown(software, f"{wants}; the image's version is unknown")
    if not image_versions:
        return incompatible(software, f"{wants}; the image has none")
    actual = image_versions[0]
    if versions.is_at_least(actual, version):
        return fit(software, f"{wants}; the image has {actual}")
    return unknown(software, f"{wants}; the image of {image.as_of} has {actual}")


def _pytorch(version: str, image: PublicImage | None) -> CompatibilityVerdict:
    """Judge a PyTorch version; an image stays at the PyTorch line that its name states."""
    wants = f"the job requires PyTorch {version}"
    image_versions = None if image is None else image.versions("pytorch")
    if image_versions is None:
        return unknown("pytorch", f"{wants}; the image's version is unknown")
    if not image_versions:
        return incompatible("pytorch", f"{wants}; the image has none")
    actual = image_versions[0]
    if not versions.is_of_line(version, actual) and not versions.is_of_line(actual, version):
        return incompatible("pytorch", f"{wants}; the image has {actual}", actual)
    if versions.is_of_line(actual, version):
        return fit("pytorch", f"{wants}; the image has {actual}")
    return unknown("pytorch", f"{wants}; the image has {actual}, its patch release is unknown")


def _driver_runs(cuda: str, image: PublicImage | None) -> CompatibilityVerdict:
    driver = None if image is None else image.versions("driver")
    if driver is None:
        return unknown("cuda", f"it is unknown whether the image's driver supports CUDA {cuda}")
    if not driver:
        return incompatible(
            "cuda", f"the job requires CUDA {cuda}; the image has no NVIDIA driver"
        )
    needs = cuda_needs(cuda)
    if not needs:
        return unknown("cuda", f"the driver that CUDA {cuda} needs is unknown")
    for need in needs:
        if not need.is_met_by(driver[0]):
            because = f"CUDA {cuda} needs {need.version_range_text}; the image has {driver[0]}"
            part = "" if need.firm else ", which supports programs without newer driver features"
            return unknown("cuda", because + part)
    return fit("cuda", f"the image's NVIDIA driver {driver[0]} supports CUDA {cuda}")


def _toolkit(cuda: str, image: PublicImage | None) -> CompatibilityVerdict:
    wants = f"the job requires CUDA {cuda}"
    if image is None or image.cuda is None:
        return unknown("cuda", f"{wants}; the image's toolkits are unknown")
    if any(versions.is_of_line(toolkit, versions.minor_line(cuda)) for toolkit in image.cuda):
        return fit("cuda", f"{wants}; the image has its toolkit")
    toolkits = " and ".join(image.cuda) or "none"
    own_toolkit_text = "the job must include its own, as PyTorch's wheels do"
    return unknown("cuda", f"{wants}; the image has the toolkits {toolkits}: {own_toolkit_text}")


def _built_for(cuda: str, image: PublicImage) -> CompatibilityVerdict:
    pytorch_text = f"the image's PyTorch {image.pytorch}"
    built = image.pytorch_cuda
    if built is None:
        return unknown("cuda", f"the CUDA version of {pytorch_text} is unknown")
    because = f"{pytorch_text} was built for CUDA {built}; the job requires {cuda}"
    if versions.is_of_line(built, versions.minor_line(cuda)):
        return fit("cuda", because)
    return incompatible("cuda", because, built)
