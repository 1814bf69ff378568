"""The requested stack: workloads, buckets, budgets and rules, validated, from any source.

A stack file and the arguments of components both become these.
"""

from gpuinfra.specs.gpu_request import GpuRequest
from gpuinfra.specs.schema import Checkpoints, Inference, Stack, Training, Waiver, Where
from gpuinfra.specs.storage import Bucket

__all__ = [
    "Bucket",
    "Checkpoints",
    "GpuRequest",
    "Inference",
    "Stack",
    "Training",
    "Waiver",
    "Where",
]
