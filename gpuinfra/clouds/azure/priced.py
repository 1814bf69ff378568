"""What Azure sells: machines and prices."""

import re
from typing import Final

from gpuinfra.clouds.azure.machines import (
    machine,
    machines,
)
from gpuinfra.clouds.azure.prices import (
    all_prices,
    interruption,
    modes,
    prices,
    service_items,
)
from gpuinfra.clouds.azure.regions import (
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

can: Final = frozenset({"prices", "build", "observe"})
DEFAULT_REGION: Final = "eastus"
TYPE_FORM: Final = re.compile(r"(Standard|Basic)_[A-Za-z0-9_-]+")
