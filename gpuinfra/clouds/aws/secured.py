"""The security basics of what the build makes for a workload, and where a pool answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.footprint import SAFETY
from gpuinfra.model import Front, Rung, Safety

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Inference, Training

FROM_CONTAINERS: Final = 2
"""Hops to the metadata service from a container: its own network is one more.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html"""


def safety_facts(work: "Training | Inference", _: Sequence[Rung]) -> Safety:
    """The basics of a workload's machines; what works off a queue asks for it from a container."""
    return replace(SAFETY, hop_limit=FROM_CONTAINERS) if _follows_queue(work) else SAFETY


def front_facts(name: str, subject: str, work: "Inference") -> Front | None:
    """Where a pool answers inside its network; None for one that works off a queue."""
    if _follows_queue(work):
        return None
    encrypted = work.certificate is not None
    return Front(
        name=name,
        subject=subject,
        cloud="aws",
        public=False,
        encrypted=encrypted,
        modern=True if encrypted else None,
    )


def _follows_queue(work: "Training | Inference") -> bool:
    scale_on = getattr(work, "scale_on", None)
    return scale_on is not None and scale_on.queue is not None
