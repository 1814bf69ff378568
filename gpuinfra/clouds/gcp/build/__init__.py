"""Builds planned workloads on Google Cloud: the only part of this room that imports the SDK."""

from gpuinfra.clouds.building.guards import budget_only, nothing_to_watch
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.clouds.gcp.build.bucket import build_bucket
from gpuinfra.clouds.gcp.build.budget import build_budget
from gpuinfra.clouds.gcp.build.pool import build_pool
from gpuinfra.clouds.gcp.build.training import build_training

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

build_guards = budget_only(build_budget)
build_watch = nothing_to_watch
