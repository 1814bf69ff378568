"""Declares planned workloads on AWS: the resources to create, as plain data."""

from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.declare.bucket import declare_bucket
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guards import declare_guards
from gpuinfra.clouds.aws.declare.monitoring import declare_watch
from gpuinfra.clouds.declaring.children import bucket_outputs
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.clouds.aws.declare.pool import declare_pool
    from gpuinfra.clouds.aws.declare.shared_network import declare_network
    from gpuinfra.clouds.aws.declare.training import declare_training

__all__ = [
    "MARKS",
    "bucket_outputs",
    "bucket_resource",
    "declare_bucket",
    "declare_guards",
    "declare_network",
    "declare_pool",
    "declare_training",
    "declare_watch",
    "group_resource",
]

MARKS = Children.MARKS

__getattr__ = lazy_names(
    __name__,
    {
        "pool": "declare_pool",
        "training": "declare_training",
        "shared_network": "declare_network",
    },
)
"""Loaded on first use: many stacks have the one kind of workload only."""
