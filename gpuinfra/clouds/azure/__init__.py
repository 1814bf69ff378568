"""The room of Azure: sizes, prices, zones, and what a workload stands up."""

import re
from typing import Final

from gpuinfra.clouds.azure.disk import disk_faults
from gpuinfra.clouds.azure.footprint import (
    SAFETY,
    bucket_facts,
    bucket_items,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.azure.images import has_image
from gpuinfra.clouds.azure.machines import machine, machines
from gpuinfra.clouds.azure.prices import free, modes, prices, service_items, token
from gpuinfra.clouds.azure.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    may_use,
    region_of,
    regions,
    zones,
)
from gpuinfra.clouds.azure.starts import pool_start_faults, training_start_faults

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

DEFAULT_REGION: Final = "eastus"
KEEPS_CONTENT: Final = False
MAINTENANCE: Final = None
TYPE_FORM: Final = re.compile(r"(Standard|Basic)_[A-Za-z0-9_-]+")
TAKES_SPOT_MAXIMUM: Final = True
