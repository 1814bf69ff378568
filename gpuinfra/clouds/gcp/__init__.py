"""The room of Google Cloud: machines, prices, zones, and what a workload stands up."""

import re
from typing import Final

from gpuinfra.clouds.gcp.disk import disk_faults
from gpuinfra.clouds.gcp.footprint import (
    SAFETY,
    bucket_facts,
    bucket_items,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.gcp.images import has_image
from gpuinfra.clouds.gcp.machines import machine, machines
from gpuinfra.clouds.gcp.prices import free, modes, prices, service_items, token
from gpuinfra.clouds.gcp.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    may_use,
    region_of,
    regions,
    zones,
)
from gpuinfra.clouds.gcp.starts import pool_start_faults, training_start_faults

__all__ = [
    "DEFAULT_REGION",
    "KEEPS_CONTENT",
    "MAINTENANCE",
    "REGION_VARIABLES",
    "SAFETY",
    "TAKES_SPOT_MAXIMUM",
    "TYPE_FORM",
    "bucket_facts",
    "bucket_items",
    "can",
    "configuration",
    "disk_faults",
    "fabric_facts",
    "free",
    "has_budget",
    "has_image",
    "known_zones",
    "machine",
    "machines",
    "may_use",
    "modes",
    "pool_items",
    "pool_start_faults",
    "prices",
    "region_of",
    "regions",
    "service_items",
    "token",
    "training_items",
    "training_start_faults",
    "uses_fabric",
    "zones",
]

can: Final = frozenset({"prices", "build", "observe"})

TYPE_FORM: Final = re.compile(r"[a-z]\d[a-z]?-[a-z]+-\d+[a-z]*(-[a-z]+)?(\+\d+x[A-Za-z0-9-]+)?")
TAKES_SPOT_MAXIMUM: Final = False
DEFAULT_REGION: Final = "us-central1"
KEEPS_CONTENT: Final = True
MAINTENANCE: Final = True
"""GPU machines can't move to another host and have to end at its maintenance:
https://docs.cloud.google.com/compute/docs/gpus/gpu-host-maintenance"""
