"""The stack file: what a person may write, read with the place of everything in it."""

from gpuinfra.stackfile.gpu_request import GpuRequest
from gpuinfra.stackfile.reader import (
    FILE_NAME,
    Document,
    StackFileError,
    found,
    loads,
    read,
    with_positions,
)
from gpuinfra.stackfile.schema import (
    Budget,
    Checkpoints,
    Disk,
    Inference,
    Mount,
    PoolCapacity,
    Prices,
    RuleSettings,
    ScaleOn,
    Stack,
    Step,
    Training,
    Waiver,
    Where,
)
from gpuinfra.stackfile.storage import Bucket
from gpuinfra.stackfile.wording import problems_of

__all__ = [
    "FILE_NAME",
    "Bucket",
    "Budget",
    "Checkpoints",
    "Disk",
    "Document",
    "GpuRequest",
    "Inference",
    "Mount",
    "PoolCapacity",
    "Prices",
    "RuleSettings",
    "ScaleOn",
    "Stack",
    "StackFileError",
    "Step",
    "Training",
    "Waiver",
    "Where",
    "found",
    "loads",
    "problems_of",
    "read",
    "with_positions",
]
