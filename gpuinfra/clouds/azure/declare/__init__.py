"""Declares planned workloads on Azure: the resources to create, as plain data."""

from typing import TYPE_CHECKING

from gpuinfra.clouds.azure.declare.bucket import bucket_outputs, declare_bucket
from gpuinfra.clouds.azure.declare.budget import declare_budget
from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.clouds.declaring.budget_only_guards import budget_only, nothing_to_watch
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.clouds.declaring.network import no_shared_network
from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.clouds.azure.declare.pool import declare_pool
    from gpuinfra.clouds.azure.declare.training import declare_training

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
declare_guards = budget_only(declare_budget)
declare_network = no_shared_network
declare_watch = nothing_to_watch

__getattr__ = lazy_names(__name__, {"pool": "declare_pool", "training": "declare_training"})
"""Loaded on first use: many stacks have the one kind of workload only."""
