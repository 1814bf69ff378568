"""The room of AWS: what it sells, and what a workload stands up there."""

from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.bucket_faults import (
    bucket_faults,
)
from gpuinfra.clouds.aws.disk import (
    disk_faults,
)
from gpuinfra.clouds.aws.footprint import (
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
from gpuinfra.clouds.aws.footprint_storage import (
    bucket_companions,
    file_system,
)
from gpuinfra.clouds.aws.guards.footprint import (
    guard_items,
)
from gpuinfra.clouds.aws.guards.words import (
    guard_notes,
)
from gpuinfra.clouds.aws.images import (
    has_image,
    image_name,
)
from gpuinfra.clouds.aws.more import (
    more_items,
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
from gpuinfra.clouds.aws.secured import (
    front_facts,
    safety_facts,
)
from gpuinfra.clouds.aws.starts import (
    pool_start_faults,
    training_start_faults,
)
from gpuinfra.clouds.footprint import WordFault
from gpuinfra.model import Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import Inference, Stack, Training

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

LABELS: Final = frozenset({"Name", "gpuinfra:stack", "gpuinfra:owner", "gpuinfra:workload"})
TAKES_SPOT_MAXIMUM: Final = True
KEEPS_CONTENT: Final = True
LOWEST_PRICE: Final = False
MAINTENANCE: Final = None
NOT_YET: Final[frozenset[str]] = frozenset()


def workload_faults(
    name: str,
    work: "Training | Inference",
    rungs: tuple[Rung, ...],
    network: "NetworkWish | None",
) -> tuple[WordFault, ...]:
    """What keeps a workload from being built on any of its rungs."""
    from gpuinfra.clouds.aws import words  # noqa: PLC0415  (a price is looked up without grammar)

    return words.workload_faults(name, work, rungs, network)


def stack_faults(stack: "Stack", work: "Training | Inference") -> tuple[WordFault, ...]:
    """What keeps a workload from being built beside the words of the whole file."""
    from gpuinfra.clouds.aws import network_words  # noqa: PLC0415  (likewise)

    return network_words.stack_faults(stack, work)


def workload_notes(
    work: "Training | Inference", rungs: tuple[Rung, ...], network: "NetworkWish | None"
) -> tuple[str, ...]:
    """What a reader of the plan has to know of a workload."""
    from gpuinfra.clouds.aws import words  # noqa: PLC0415  (likewise)

    return words.workload_notes(work, rungs, network)
