"""Declares planned workloads on Google Cloud: what is created, as plain data."""

from gpuinfra.clouds.gcp.declare.bucket import declare_bucket
from gpuinfra.clouds.gcp.declare.children import Children

__all__ = ["MARKS", "declare_bucket"]

MARKS = Children.MARKS
