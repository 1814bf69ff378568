"""The room of Azure: what it sells, and what a workload stands up there."""

from typing import Final

from gpuinfra.clouds.azure.disk import (
    disk_faults,
)
from gpuinfra.clouds.azure.footprint import (
    METERED,
    SAFETY,
    bucket_facts,
    bucket_items,
    driver_image,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.azure.images import (
    has_image,
    image_name,
)
from gpuinfra.clouds.azure.priced import (
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
from gpuinfra.clouds.azure.prices import (
    free,
    token,
)
from gpuinfra.clouds.azure.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    region_of,
    zones,
)
from gpuinfra.clouds.azure.secured import (
    front_facts,
    safety_facts,
)
from gpuinfra.clouds.azure.starts import (
    pool_start_faults,
    training_start_faults,
)
from gpuinfra.clouds.plain import (
    bucket_companions,
    bucket_faults,
    file_system,
    guard_items,
    guard_notes,
    more_items,
    stack_faults,
    workload_faults,
    workload_notes,
)

__all__ = [
    "DEFAULT_REGION",
    "KEEPS_CONTENT",
    "LABELS",
    "LOWEST_PRICE",
    "MAINTENANCE",
    "METERED",
    "NOT_YET",
    "REGION_VARIABLES",
    "SAFETY",
    "TAKES_SPOT_MAXIMUM",
    "TYPE_FORM",
    "all_prices",
    "bucket_companions",
    "bucket_facts",
    "bucket_faults",
    "bucket_items",
    "can",
    "configuration",
    "disk_faults",
    "driver_image",
    "fabric_facts",
    "file_system",
    "free",
    "front_facts",
    "guard_items",
    "guard_notes",
    "has_budget",
    "has_image",
    "image_name",
    "interruption",
    "known_zones",
    "machine",
    "machines",
    "may_use",
    "modes",
    "more_items",
    "pool_items",
    "pool_start_faults",
    "prices",
    "region_of",
    "regions",
    "safety_facts",
    "service_items",
    "stack_faults",
    "token",
    "training_items",
    "training_start_faults",
    "uses_fabric",
    "workload_faults",
    "workload_notes",
    "zones",
]

KEEPS_CONTENT: Final = False
LOWEST_PRICE: Final = None
MAINTENANCE: Final = None
LABELS: Final = frozenset({"gpuinfra:stack", "gpuinfra:owner", "gpuinfra:workload"})
TAKES_SPOT_MAXIMUM: Final = True
NOT_YET: Final = frozenset(
    {
        *("tags", "network", "monitoring", "deploy_role", "budget.on_breach"),
        *("capacity.reserved", "capacity.capacity-block", "capacity.reserve"),
        *("framework", "shared_storage", "idle_stop", "time_to_live", "all_or_nothing"),
        *("efa_layout", "ena_express", "preflight"),
        *("mixed", "certificate", "scale_on.queue"),
        *("encryption", "tiering", "expire", "access_logs", "object_lock", "replicate_to"),
    }
)
