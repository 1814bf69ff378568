"""Declares planned workloads on AWS: what is created, as plain data."""

from gpuinfra.clouds.aws.declare.bucket import declare_bucket
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guards import declare_guards
from gpuinfra.clouds.aws.declare.pool import declare_pool
from gpuinfra.clouds.aws.declare.training import declare_training
from gpuinfra.clouds.aws.declare.watch import declare_watch
from gpuinfra.clouds.declaring.children import bucket_outputs
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource

__all__ = [
    "MARKS",
    "bucket_outputs",
    "bucket_resource",
    "declare_bucket",
    "declare_guards",
    "declare_pool",
    "declare_training",
    "declare_watch",
    "group_resource",
]

MARKS = Children.MARKS
