"""The request for a capacity ladder, and its purchase options."""

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal

from gpuinfra.catalog import PriceBook, Request
from gpuinfra.errors import PathPart, Problem
from gpuinfra.model import Capacity
from gpuinfra.planning.locations import CloudPlace
from gpuinfra.records import record

Path = tuple[PathPart, ...]


@record
class LockProblem(Problem):
    """A problem of a locked machine that doesn't meet the stack's request: the lock's fault."""


@record
class PurchaseOption:
    """A purchase option as a workload states it; `region` only where the step names one.

    `reservation`, `reserve`, `ends` and `placement_group` are those of the rung.
    """

    capacity: Capacity
    region: str | None = None
    max_price: Decimal | None = None
    on_demand_base: int = 0
    reservation: str | None = None
    reserve: bool = False
    ends: str | None = None
    placement_group: str | None = None
    path: Path = ()


@record
class LadderRequest:
    """The request of a workload: machine, location, options; `zones` is how many it spreads over.

    `locked` is the machine type of each rung, by its label, that a lock chose before.
    """

    path: Path
    place: CloudPlace
    machine_request: Request
    purchase_options: tuple[PurchaseOption, ...]
    zones: int
    prices: PriceBook
    locked: Mapping[str, str] = field(default_factory=dict)

    @property
    def machine_key(self) -> Path:
        """The key of a workload that says which machine it requests."""
        return ("instance",) if self.machine_request.instance is not None else ("gpu",)
