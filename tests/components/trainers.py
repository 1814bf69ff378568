"""A training cluster and a training node on AWS, as a program declares them."""

from typing import Any

import pulumi

from gpuinfra.components.args import Checkpoints, Mount, TrainingArgs
from gpuinfra.components.training import TrainingCluster, TrainingNode

REGION = "us-east-1"


def cluster(
    *, args: dict[str, Any] | None = None, opts: pulumi.ResourceOptions | None = None, **more: Any
) -> TrainingCluster:
    """A small cluster that uses everything."""
    given = {
        "region": REGION,
        "instance": "g6.8xlarge",
        "nodes": 2,
        "capacity": "spot",
        "max_price": "1.50",
        "duration": "4h",
        "data": [Mount(bucket="data", prefix="tokens/")],
        "checkpoints": Checkpoints(bucket="data"),
        "command": "gpuinfra-torchrun train.py",
        "owner": "ml-platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "tokens-bucket"})
    return TrainingCluster("trainer", TrainingArgs(**given), opts=opts, **more)


def node(**args: Any) -> TrainingNode:
    return TrainingNode("dev", TrainingArgs(region=REGION, gpu="L4:1", **args))
