"""The room of AWS: what it sells, and what a workload stands up there."""

from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.bucket_faults import (
    bucket_faults,
)
from gpuinfra.clouds.aws.disk import (
    disk_faults,
)
from gpuinfra.clouds.aws.fabric import (
    driver_image,
    uses_fabric,
)
from gpuinfra.clouds.aws.guards.words import (
    guard_notes,
)
from gpuinfra.clouds.aws.images import (
    has_image,
    image_name,
)
from gpuinfra.clouds.aws.metered import (
    METERED,
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
from gpuinfra.clouds.wordfaults import WordFault
from gpuinfra.model import Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish
    from gpuinfra.stackfile.schema import Inference, Stack, Training

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

TAKES_SPOT_MAXIMUM: Final = True
KEEPS_CONTENT: Final = True


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
