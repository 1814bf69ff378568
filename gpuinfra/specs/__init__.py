"""The requested stack: workloads, buckets, budgets and rules, validated, from any source.

A stack file and the arguments of components both become these.
"""

from gpuinfra.specs.gpu_request import GpuRequest
from gpuinfra.specs.schema import (
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
from gpuinfra.specs.storage import Bucket

__all__ = [
    "Bucket",
    "Budget",
    "Checkpoints",
    "Disk",
    "GpuRequest",
    "Inference",
    "Mount",
    "PoolCapacity",
    "Prices",
    "RuleSettings",
    "ScaleOn",
    "Stack",
    "Step",
    "Training",
    "Waiver",
    "Where",
]
