"""The room of AWS: machines, prices, zones, and what a workload stands up."""

import re
from typing import Final

from gpuinfra.clouds.aws.disk import disk_faults
from gpuinfra.clouds.aws.footprint import (
    SAFETY,
    bucket_facts,
    bucket_items,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.aws.images import has_image
from gpuinfra.clouds.aws.machines import machine, machines
from gpuinfra.clouds.aws.prices import free, modes, prices, service_items, token
from gpuinfra.clouds.aws.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    may_use,
    region_of,
    regions,
    zones,
)
from gpuinfra.clouds.aws.starts import pool_start_faults, training_start_faults

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

TYPE_FORM: Final = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
DEFAULT_REGION: Final = "us-east-1"
TAKES_SPOT_MAXIMUM: Final = True
KEEPS_CONTENT: Final = True
MAINTENANCE: Final = None
