"""What rooms have in common that build none of the words of their NOT_YET: nothing more."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from gpuinfra.clouds.footprint import WordFault
from gpuinfra.model import Bucket, FileSystem, Group, Item, Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import Inference, Stack, Training
    from gpuinfra.stackfile.storage import Bucket as BucketWish


def more_items(
    name: str,  # noqa: ARG001
    subject: str,  # noqa: ARG001
    work: "Training | Inference",  # noqa: ARG001
    rungs: tuple[Rung, ...],  # noqa: ARG001
) -> tuple[Item, ...]:
    """Nothing that costs besides machines, disks, network and load balancer."""
    return ()


def file_system(
    name: str,  # noqa: ARG001
    subject: str,  # noqa: ARG001
    work: "Training | Inference",  # noqa: ARG001
    rung: Rung,  # noqa: ARG001
) -> FileSystem | None:
    """No parallel file system."""
    return None


def bucket_companions(
    name: str,  # noqa: ARG001
    subject: str,  # noqa: ARG001
    wanted: "BucketWish",  # noqa: ARG001
    *,
    region: str,  # noqa: ARG001
    size_gb: Decimal | None,  # noqa: ARG001
) -> tuple[tuple[Bucket, ...], tuple[Item, ...]]:
    """No further bucket, and no key."""
    return (), ()


def guard_items(
    stack: "Stack",  # noqa: ARG001
    groups: Sequence[Group],  # noqa: ARG001
) -> tuple[Item, ...]:
    """No alarm, no function."""
    return ()


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
