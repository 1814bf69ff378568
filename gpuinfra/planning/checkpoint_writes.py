"""The checkpoints that a training workload of a stack file writes: their size, speed, interval."""

from decimal import Decimal

from gpuinfra.model import CheckpointWrites
from gpuinfra.specs.schema import Training
from gpuinfra.units import hours


def checkpoint_writes(workload: Training) -> CheckpointWrites | None:
    """Return how a workload writes checkpoints; None where size or speed is unknown."""
    size, _ = checkpoint_size(workload)
    checkpoints = workload.checkpoints
    if checkpoints is None or checkpoints.write is None or size is None:
        return None
    return CheckpointWrites(
        size=Decimal(size), rate=Decimal(checkpoints.write), every=hours(checkpoints.every)
    )


def checkpoint_size(workload: Training) -> tuple[int | None, bool]:
    """Return the size of a checkpoint in bytes, and whether it was derived from the model."""
    checkpoints, gpu = workload.checkpoints, workload.gpu
    if checkpoints is None or checkpoints.size is not None or gpu is None or gpu.for_model is None:
        return (checkpoints.size if checkpoints else None), False
    # Only where a size is derived:
    from gpuinfra.catalog.sizing.machine_fit import (  # noqa: PLC0415
        checkpoint_bytes,
        model_request_of,
    )

    return checkpoint_bytes(model_request_of(gpu.for_model, "train")) or None, True
