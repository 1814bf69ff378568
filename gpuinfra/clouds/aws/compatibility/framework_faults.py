"""The plan's faults and notes about a job's versions: incompatible, or of unknown fit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.compatibility.version_verdicts import IMAGE, CompatibilityVerdict, judge
from gpuinfra.clouds.aws.images import PublicImage, images, known_image, public_image, serves
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine, Purpose

if TYPE_CHECKING:
    from gpuinfra.specs.framework import Framework

_ANOTHER: Final = "use another image, or remove machine_image to have one chosen"


def framework_faults(
    machine: Machine, purpose: Purpose, machine_image: str | None, framework: "Framework | None"
) -> Iterator[KeyFault]:
    """Yield the versions of a job that are certainly incompatible with its machine or image.

    Args:
        machine: that the plan puts the job on.
        purpose: training or serving.
        machine_image: `machine_image` of the workload.
        framework: the job's framework; None for nothing.
    """
    reported: set[str] = set()
    for verdict in _image_verdicts(machine, purpose, machine_image, framework):
        if verdict.fits is not False or verdict.key in reported:
            continue
        reported.add(verdict.key)
        is_about_image = verdict.key == IMAGE or framework is None
        yield KeyFault(
            key=(IMAGE,) if is_about_image else ("framework", verdict.key),
            value=machine_image or "" if is_about_image else getattr(framework, verdict.key),
            message=verdict.reason,
            allowed=verdict.allowed,
            fix=_ANOTHER if framework is None else _fix_text(machine, verdict, framework),
        )


def framework_notes(
    machine: Machine, purpose: Purpose, machine_image: str | None, framework: "Framework | None"
) -> tuple[str, ...]:
    """Return the unknowns of a job's versions, one sentence each; empty without a framework."""
    if framework is None:
        return ()
    image_verdicts = _image_verdicts(machine, purpose, machine_image, framework)
    notes = (f"unknown: {verdict.reason}" for verdict in image_verdicts if verdict.fits is None)
    return tuple(dict.fromkeys(notes))


def _image_verdicts(
    machine: Machine, purpose: Purpose, machine_image: str | None, framework: "Framework | None"
) -> tuple[CompatibilityVerdict, ...]:
    """Return the verdicts on the image that the machine starts from; none without an image."""
    image = public_image(purpose, machine) if machine_image is None else known_image(machine_image)
    if machine_image is None and image is None:
        return ()
    return judge(machine, image, framework)


def _fix_text(machine: Machine, verdict: CompatibilityVerdict, framework: "Framework") -> str:
    """Return the fix: an image of the table that has the version, else the user's own image."""
    if verdict.key == IMAGE:
        return _ANOTHER
    if not verdict.other_image:
        return "build the job for another version, or use another machine type"
    public_image = next(
        (image for image in images() if _has(image, machine, verdict, framework)), None
    )
    image_fix = (
        "use an image that has it"
        if public_image is None
        else f"set {IMAGE}: {public_image.parameter}"
    )
    return f"{image_fix}; or remove framework.{verdict.key} if the job includes its own"


def _has(
    image: PublicImage, machine: Machine, verdict: CompatibilityVerdict, framework: "Framework"
) -> bool:
    """Return whether an image of the table has the missing version and no other misfit."""
    if not serves(image, machine):
        return False
    image_verdict = judge(machine, image, framework)
    fits = [judgement.fits for judgement in image_verdict if judgement.key == verdict.key]
    is_wrong = any(
        judgement.fits is False and judgement.other_image for judgement in image_verdict
    )
    return True in fits and not is_wrong
