"""GPU infrastructure from one stack file, planned, priced, judged and built with Pulumi."""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names
from gpuinfra.version import VERSION

if TYPE_CHECKING:
    from gpuinfra.components.args import BucketArgs, Checkpoints, Mount, PoolArgs, TrainingArgs
    from gpuinfra.components.bucket import DataBucket
    from gpuinfra.components.inference import InferencePool
    from gpuinfra.components.network import Network
    from gpuinfra.components.program import deploy
    from gpuinfra.components.training import TrainingCluster, TrainingNode

__version__ = VERSION

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

__getattr__ = lazy_names(
    __name__,
    {
        "components.args": "BucketArgs Checkpoints Mount PoolArgs TrainingArgs",
        "components.bucket": "DataBucket",
        "components.inference": "InferencePool",
        "components.network": "Network",
        "components.training": "TrainingCluster TrainingNode",
        "components.program": "deploy",
    },
)
"""Where each name lives in `gpuinfra.components`; loaded on first touch, for Pulumi is slow."""


def __dir__() -> list[str]:
    return sorted(__all__)
