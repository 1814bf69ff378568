"""GPU infrastructure from one stack file, planned, priced, judged and built with Pulumi."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuinfra.components.args import (
        BucketArgs,
        Checkpoints,
        Mount,
        PoolArgs,
        TrainingArgs,
    )
    from gpuinfra.components.bucket import DataBucket
    from gpuinfra.components.inference import InferencePool
    from gpuinfra.components.network import Network
    from gpuinfra.components.program import deploy
    from gpuinfra.components.training import TrainingCluster, TrainingNode

__version__ = "0.1.0"

__all__ = [
    "BucketArgs",
    "Checkpoints",
    "DataBucket",
    "InferencePool",
    "Mount",
    "Network",
    "PoolArgs",
    "TrainingArgs",
    "TrainingCluster",
    "TrainingNode",
    "__version__",
    "deploy",
]

_HOMES = {
    "BucketArgs": "args",
    "Checkpoints": "args",
    "DataBucket": "bucket",
    "InferencePool": "inference",
    "Mount": "args",
    "Network": "network",
    "PoolArgs": "args",
    "TrainingArgs": "args",
    "TrainingCluster": "training",
    "TrainingNode": "training",
    "deploy": "program",
}
"""Where each name lives in `gpuinfra.components`; loaded on first touch, for Pulumi is slow."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"gpuinfra.components.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
