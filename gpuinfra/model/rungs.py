"""The purchase of machines: the rungs of a capacity ladder."""

from decimal import Decimal
from typing import Final, Literal

from gpuinfra.records import record

Capacity = Literal["on-demand", "spot", "capacity-block", "reserved"]
CLOUD_PLACED: Final[frozenset[Capacity]] = frozenset({"capacity-block", "reserved"})
"""Purchase options whose machines run at the location of their reservation."""

NOWHERE: Final = "unknown"
"""The region of resources whose region is not stated."""


@record
class Rung:
    """A rung of a group's capacity ladder: purchase mode, machine type and location.

    `max_price` is the ceiling in USD per node-hour written into a spot request. For a pool that
    holds both kinds, `capacity` is the kind above `on_demand_base`, and `spot_share_above_base`
    is the share (0 to 1) of machines above the base that are spot. `image` is the id of the image
    that a lock froze for it; None leaves the look-up to the build. `reservation` is the one whose
    machines are used, `reserve` says that the build makes one first, and `ends` when a capacity
    block is over (ISO 8601, UTC). `placement_group` is the one that the reservation was made in.
    """

    capacity: Capacity
    machine: str
    region: str
    zones: tuple[str, ...]
    max_price: Decimal | None = None
    on_demand_base: int = 0
    spot_share_above_base: Decimal = Decimal(0)
    image: str | None = None
    reservation: str | None = None
    reserve: bool = False
    ends: str | None = None
    placement_group: str | None = None

    @property
    def label(self) -> str:
        """The rung's name in tables and in the `gpuinfra:rung.<workload>` config."""
        return f"{self.capacity}@{self.region}"
