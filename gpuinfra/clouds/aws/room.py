"""The room of AWS: what it sells, and what a workload stands up there."""

from typing import Final

from gpuinfra.clouds.aws.disk import (
    disk_faults,
)
from gpuinfra.clouds.aws.footprint import (
    METERED,
    SAFETY,
    bucket_facts,
    bucket_items,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.aws.images import (
    has_image,
    image_name,
)
from gpuinfra.clouds.aws.priced import (
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
from gpuinfra.clouds.aws.prices import (
    free,
    token,
)
from gpuinfra.clouds.aws.regions import (
    REGION_VARIABLES,
    configuration,
    known_zones,
    region_of,
    zones,
)
from gpuinfra.clouds.aws.starts import (
    pool_start_faults,
    training_start_faults,
)

__all__ = [
    "DEFAULT_REGION",
    "KEEPS_CONTENT",
    "MAINTENANCE",
    "METERED",
    "NOT_YET",
    "REGION_VARIABLES",
    "SAFETY",
    "TAKES_SPOT_MAXIMUM",
    "TYPE_FORM",
    "all_prices",
    "bucket_facts",
    "bucket_items",
    "can",
    "configuration",
    "disk_faults",
    "fabric_facts",
    "free",
    "has_budget",
    "has_image",
    "image_name",
    "interruption",
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

TAKES_SPOT_MAXIMUM: Final = True
KEEPS_CONTENT: Final = True
MAINTENANCE: Final = None
NOT_YET: Final[frozenset[str]] = frozenset()
