"""Declares planned workloads on Google Cloud: the resources to create, as plain data."""

from typing import TYPE_CHECKING

from gpuinfra.clouds.declaring.budget_only_guards import budget_only, nothing_to_watch
from gpuinfra.clouds.declaring.children import bucket_outputs
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.clouds.declaring.network import no_shared_network
from gpuinfra.clouds.gcp.declare.bucket import declare_bucket
from gpuinfra.clouds.gcp.declare.budget import declare_budget
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.clouds.gcp.declare.pool import declare_pool
    from gpuinfra.clouds.gcp.declare.training import declare_training

__all__ = [
    "MARKS",
    "bucket_outputs",
    "bucket_resource",
    "declare_bucket",
    "declare_budget",
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
