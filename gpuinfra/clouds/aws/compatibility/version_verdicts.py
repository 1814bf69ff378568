"""Judges whether a machine, an image and a job's versions fit: yes, no, or unknown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds import versions
from gpuinfra.clouds.aws.compatibility.image_versions import image_verdicts
from gpuinfra.clouds.aws.compatibility.verdicts import (
    IMAGE,
    CompatibilityVerdict,
    fit,
    incompatible,
    unknown,
)
from gpuinfra.clouds.aws.compatibility.version_needs import (
    SOFTWARE_NAMES,
    VersionNeed,
    machine_needs,
    wheels,
)
from gpuinfra.clouds.aws.images import PublicImage, Software, devices, serves
from gpuinfra.model import Machine

if TYPE_CHECKING:
    from gpuinfra.specs.framework import Framework

__all__ = ["IMAGE", "CompatibilityVerdict", "judge"]


def judge(
    machine: Machine, image: PublicImage | None, framework: "Framework | None"
) -> tuple[CompatibilityVerdict, ...]:
    """Judge every pair of a machine, its image and the versions that a job requires.

    `image` is None for one that the user names and of which nothing is known. Of a known one, the
    release that the table's source describes is judged: what its parameter names now is that or
    newer, so that a version below the one asked for is not known to be too old.
    """
    verdicts = [*_machine_image_verdicts(machine, image)]
    if framework is not None:
        verdicts += _job_version_verdicts(machine, framework)
        verdicts += image_verdicts(image, framework)
        verdicts += _job_library_verdicts(machine, framework)
    return tuple(verdicts)


def _machine_image_verdicts(
    machine: Machine, image: PublicImage | None
) -> Iterator[CompatibilityVerdict]:
    """Judge whether the image has the machine's drivers and its fabric's software."""
    if image is None:
        yield unknown(IMAGE, "the contents of the image are unknown")
    elif machine.architecture is None:
        yield unknown(IMAGE, f"the processor architecture of {machine.type} is unknown")
    elif image.architecture != machine.architecture:
        because = (
            f"the image is for {image.architecture}, {machine.type} is {machine.architecture}"
        )
        yield incompatible(IMAGE, because, f"an image for {machine.architecture}")
    elif devices(machine) not in {None, image.devices}:
        because = f"the image has no driver for the {machine.gpu} of {machine.type}"
        yield incompatible(IMAGE, because, f"an image for {machine.gpu}")
    else:
        yield _release_notes_verdict(machine, image)
        for part in ("driver", "cuda", "nccl", "efa", "ofi-nccl"):
            for need in machine_needs(machine, part):
                yield _image_verdict(machine, need, image.versions(part))


def _release_notes_verdict(machine: Machine, image: PublicImage) -> CompatibilityVerdict:
    notes = f"the image's release notes of {image.as_of}"
    if serves(image, machine):
        return fit(IMAGE, f"{notes} list {machine.type}")
    return unknown(IMAGE, f"{notes} do not list {machine.type}")


def _image_verdict(
    machine: Machine, version_need: VersionNeed, has: tuple[str, ...] | None
) -> CompatibilityVerdict:
    """Judge a machine's need against an image's versions; `has` is None if they are unknown."""
    wants = _need_text(machine, version_need)
    if has is None:
        return unknown(IMAGE, f"{wants}; the image's version is unknown")
    because = f"{wants}; the image has {' and '.join(has) or 'none'}"
    if any(version_need.is_met_by(version) for version in has):
        return fit(IMAGE, because)
    return (
        incompatible(IMAGE, because, version_need.version_range_text)
        if version_need.firm and not has
        else unknown(IMAGE, because)
    )


def _need_text(machine: Machine, version_need: VersionNeed) -> str:
    if version_need.firm:
        return f"{machine.type} needs {version_need.version_range_text}"
    return f"{version_need.version_range_text} is recommended for {machine.type}"


def _job_version_verdicts(
    machine: Machine, framework: "Framework"
) -> Iterator[CompatibilityVerdict]:
    """Judge a job's versions, built for or required at least, against the machine's needs."""
    parts: tuple[tuple[Software, str | None], ...] = (
        ("cuda", framework.cuda),
        ("nccl", framework.nccl),
        ("efa", framework.efa),
    )
    for part, version in parts:
        if version is None:
            continue
        if part != "efa" and devices(machine) == "neuron":
            because = (
                f"{machine.gpu}, the GPU of {machine.type}, doesn't support {SOFTWARE_NAMES[part]}"
            )
            yield incompatible(part, because, "a machine with NVIDIA GPUs", other_image=False)
            continue
        needs = machine_needs(machine, part)
        if part == "cuda" and not needs:
            yield unknown(part, f"the CUDA versions that {machine.gpu} supports are unknown")
        yield from (_job_need(machine, need, version) for need in needs)


def _job_need(machine: Machine, version_need: VersionNeed, version: str) -> CompatibilityVerdict:
    """Judge a machine's need against a job's version; only CUDA's can be a certain misfit.

    Of NCCL and EFA the job says the least that it takes: it may well run with what is needed.
    """
    because = f"{_need_text(machine, version_need)}; the job requires {version}"
    is_met = version_need.is_met_by(version)
    if is_met:
        return fit(version_need.part, because)
    if is_met is None or version_need.part != "cuda":
        return unknown(version_need.part, because)
    return incompatible(
        version_need.part, because, version_need.version_range_text, other_image=False
    )


def _job_library_verdicts(
    machine: Machine, framework: "Framework"
) -> Iterator[CompatibilityVerdict]:
    """Judge PyTorch against CUDA, by published wheels, and their NCCL against the machine."""
    pytorch, cuda = framework.pytorch, framework.cuda
    if pytorch is None or cuda is None:
        return
    published = wheels(pytorch)
    builds = [
        build for build in published if versions.is_of_line(build.cuda, versions.minor_line(cuda))
    ]
    if not published:
        yield unknown(
            "pytorch", f"the CUDA versions that PyTorch {pytorch} is published for are unknown"
        )
    elif not builds:
        cuda_versions = ", ".join(build.cuda for build in published)
        because = f"PyTorch {pytorch} is published for CUDA {cuda_versions}, not for {cuda}"
        yield unknown("pytorch", f"{because}: the job needs its own build")
    else:
        yield fit("pytorch", f"PyTorch {pytorch} is published for CUDA {cuda}")
        if builds[0].nccl is not None and framework.nccl is None:
            wheel = f"PyTorch {pytorch} for CUDA {cuda} includes {builds[0].nccl}"
            yield from _wheel_verdicts(machine, wheel, builds[0].nccl)


def _wheel_verdicts(machine: Machine, wheel: str, nccl: str) -> Iterator[CompatibilityVerdict]:
    for need in machine_needs(machine, "nccl"):
        because = f"{_need_text(machine, need)}; {wheel}"
        yield fit("pytorch", because) if need.is_met_by(nccl) else unknown("pytorch", because)
