"""The room of AWS: machines, prices, zones, and what a workload stands up."""

from typing import Final

from gpuinfra.clouds.aws.disk import disk_faults
from gpuinfra.clouds.aws.footprint import (
    SAFETY,
    bucket_facts,
    bucket_items,
    fabric_facts,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.aws.images import has_image
from gpuinfra.clouds.aws.machines import machine, machines
from gpuinfra.clouds.aws.prices import free, prices, service_items, token
from gpuinfra.clouds.aws.regions import configuration, known_zones, may_use, regions, zones
from gpuinfra.clouds.aws.starts import pool_start_faults, training_start_faults

__all__ = [
    "SAFETY",
    "bucket_facts",
    "bucket_items",
    "can",
    "configuration",
    "disk_faults",
    "fabric_facts",
    "free",
    "has_image",
    "known_zones",
    "machine",
    "machines",
    "may_use",
    "pool_items",
    "pool_start_faults",
    "prices",
    "regions",
    "service_items",
    "token",
    "training_items",
    "training_start_faults",
    "uses_fabric",
    "zones",
]

can: Final = frozenset({"prices", "build", "observe"})
