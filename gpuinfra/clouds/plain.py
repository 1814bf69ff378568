"""What the clouds have in common that build no further words: no faults, no notes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuinfra.clouds.wordfaults import WordFault
from gpuinfra.model import Group, Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import Inference, Stack, Training
    from gpuinfra.stackfile.storage import Bucket as BucketWish


def guard_notes(
    stack: "Stack",  # noqa: ARG001
    groups: Sequence[Group],  # noqa: ARG001
) -> tuple[str, ...]:
    """Nothing to know of guards."""
    return ()


def workload_faults(
    name: str,  # noqa: ARG001
    work: "Training | Inference",  # noqa: ARG001
    rungs: tuple[Rung, ...],  # noqa: ARG001
    network: "NetworkWish | None",  # noqa: ARG001
) -> tuple[WordFault, ...]:
    """Nothing: what the room does not build was refused by its word."""
    return ()


def stack_faults(
    stack: "Stack",  # noqa: ARG001
    work: "Training | Inference",  # noqa: ARG001
) -> tuple[WordFault, ...]:
    """Nothing likewise."""
    return ()


def workload_notes(
    work: "Training | Inference",  # noqa: ARG001
    rungs: tuple[Rung, ...],  # noqa: ARG001
    network: "NetworkWish | None",  # noqa: ARG001
) -> tuple[str, ...]:
    """Nothing to know besides."""
    return ()


def bucket_faults(name: str, wanted: "BucketWish", region: str) -> tuple[WordFault, ...]:  # noqa: ARG001
    """Nothing either."""
    return ()
