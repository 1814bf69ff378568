"""Builds planned workloads on AWS: the only part of this room that imports the provider's SDK."""

from gpuinfra.clouds.aws.build.bucket import build_bucket
from gpuinfra.clouds.aws.build.budget import build_budget
from gpuinfra.clouds.aws.build.guards import build_guards
from gpuinfra.clouds.aws.build.pool import build_pool
from gpuinfra.clouds.aws.build.training import build_training
from gpuinfra.clouds.aws.build.watch import build_watch
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource

__all__ = [
    "bucket_resource",
    "build_bucket",
    "build_budget",
    "build_guards",
    "build_pool",
    "build_training",
    "build_watch",
    "group_resource",
]
