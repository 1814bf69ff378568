"""What AWS sells: machines and prices."""

import re
from typing import Final

from gpuinfra.clouds.aws.machines import (
    machine,
    machines,
)
from gpuinfra.clouds.aws.prices import (
    all_prices,
    interruption,
    modes,
    prices,
    service_items,
)
from gpuinfra.clouds.aws.regions import (
    may_use,
    regions,
)

__all__ = [
    "DEFAULT_REGION",
    "TYPE_FORM",
    "all_prices",
    "can",
    "interruption",
    "machine",
    "machines",
    "may_use",
    "modes",
    "prices",
    "regions",
    "service_items",
]

can: Final = frozenset({"prices", "build", "observe", "blocks"})
TYPE_FORM: Final = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+|u-[a-z0-9]+-[a-z0-9]+")
DEFAULT_REGION: Final = "us-east-1"
