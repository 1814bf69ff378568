"""Builds planned workloads on AWS: the only part of this room that imports the provider's SDK."""

from gpuinfra.clouds.aws.build.bucket import DataStore, build_bucket
from gpuinfra.clouds.aws.build.budget import build_budget
from gpuinfra.clouds.aws.build.names import bucket_resource, group_resource
from gpuinfra.clouds.aws.build.pool import Pool, build_pool
from gpuinfra.clouds.aws.build.training import Cluster, build_training

__all__ = [
    "Cluster",
    "DataStore",
    "Pool",
    "bucket_resource",
    "build_bucket",
    "build_budget",
    "build_pool",
    "build_training",
    "group_resource",
]
