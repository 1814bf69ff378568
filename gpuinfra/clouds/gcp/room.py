"""The room of Google Cloud: what it sells, and what a workload stands up there."""

from typing import Final

from gpuinfra.clouds.gcp.disk import (
    disk_faults,
)
from gpuinfra.clouds.gcp.fabric import (
    driver_image,
    uses_fabric,
)
from gpuinfra.clouds.gcp.images import (
    has_image,
    image_name,
)
from gpuinfra.clouds.gcp.metered import (
    METERED,
)
from gpuinfra.clouds.gcp.priced import (
    DEFAULT_REGION,
    TYPE_FORM,
    all_prices,
    can,
    interruption,
    machine,
    machines,
    may_use,
    modes,
    prices,
    regions,
    service_items,
)
from gpuinfra.clouds.gcp.prices import (
    free,
    token,
)
from gpuinfra.clouds.gcp.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    region_of,
    zones,
)
from gpuinfra.clouds.gcp.starts import (
    pool_start_faults,
    training_start_faults,
)
from gpuinfra.clouds.plain import (
    bucket_faults,
    guard_notes,
    stack_faults,
    workload_faults,
    workload_notes,
)

__all__ = [
    "DEFAULT_REGION",
    "KEEPS_CONTENT",
    "METERED",
    "REGION_VARIABLES",
    "TAKES_SPOT_MAXIMUM",
    "TYPE_FORM",
    "all_prices",
    "bucket_faults",
    "can",
    "configuration",
    "disk_faults",
    "driver_image",
    "free",
    "guard_notes",
    "has_image",
    "image_name",
    "interruption",
    "known_zones",
    "machine",
    "machines",
    "may_use",
    "modes",
    "pool_start_faults",
    "prices",
    "region_of",
    "regions",
    "service_items",
    "stack_faults",
    "token",
    "training_start_faults",
    "uses_fabric",
    "workload_faults",
    "workload_notes",
    "zones",
]

TAKES_SPOT_MAXIMUM: Final = False
KEEPS_CONTENT: Final = True
