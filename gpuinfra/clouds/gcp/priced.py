"""What Google Cloud sells: machines and prices."""

import re
from typing import Final

from gpuinfra.clouds.gcp.machines import (
    machine,
    machines,
)
from gpuinfra.clouds.gcp.prices import (
    all_prices,
    interruption,
    modes,
    prices,
    service_items,
)
from gpuinfra.clouds.gcp.regions import (
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
TYPE_FORM: Final = re.compile(r"[a-z]\d[a-z]?-[a-z]+-\d+[a-z]*(-[a-z]+)?(\+\d+x[A-Za-z0-9-]+)?")
DEFAULT_REGION: Final = "us-central1"
