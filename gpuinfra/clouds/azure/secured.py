"""The security basics of what the build makes for a workload, and where a pool answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuinfra.clouds.azure.footprint import SAFETY
from gpuinfra.clouds.azure.machines import capabilities
from gpuinfra.model import UNKNOWN, Front, Known, Rung, Safety

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training


def safety_facts(_: "Training | Inference", rungs: Sequence[Rung]) -> Safety:
    """The basics of a workload's machines; none boots securely, where its size could.

    Nobody says that the NVIDIA and InfiniBand modules of the images are signed.
    """
    able = capabilities(rungs[0].machine).trusted_launch
    boots: Known | None = UNKNOWN if able is None else False if able else None
    return replace(SAFETY, secure_boot=boots)


def front_facts(name: str, subject: str, _: "Inference") -> Front | None:
    """Where a pool answers inside its network; the balancer passes on what comes."""
    return Front(name=name, subject=subject, cloud="azure", public=False)
