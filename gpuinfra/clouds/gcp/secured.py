"""The security basics of what the build makes for a workload, and where a pool answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuinfra.clouds.gcp.footprint import SAFETY
from gpuinfra.clouds.gcp.images import public_image
from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.model import Front, Purpose, Rung, Safety

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training


def safety_facts(work: "Training | Inference", rungs: Sequence[Rung]) -> Safety:
    """The basics of a workload's machines, which boot securely where the image is known to."""
    known = machine(rungs[0].machine)
    purpose: Purpose = "inference" if hasattr(work, "replicas") else "training"
    image = None if known is None or work.machine_image else public_image(purpose, known)
    return replace(SAFETY, secure_boot=image is not None and image.secure_boot)


def front_facts(name: str, subject: str, _: "Inference") -> Front | None:
    """Where a pool answers inside its network; the balancer passes on what comes."""
    return Front(name=name, subject=subject, cloud="gcp", public=False)
