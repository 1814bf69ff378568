"""The contents of a lock: the stack's values, machines of every rung, images, prices, totals."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from decimal import Decimal
from typing import Any, ClassVar, Final

from gpuinfra.clouds.image_name import FoundBy
from gpuinfra.cost import Line, Total
from gpuinfra.lock.normalized_values import LockedValues
from gpuinfra.model import Capacity, Price
from gpuinfra.records import record

SCHEMA: Final = 1

_STORED_KEYS: Final[Mapping[str, str]] = {
    "active": "standing",
    "declared_values": "asked",
    "remark": "said",
    "skip_reason": "struck",
}
"""Keys of the lock file that differ from a field's name; they are part of its schema."""


def stored_key(field_name: str) -> str:
    """Return the key of a field in the lock file."""
    return _STORED_KEYS.get(field_name, field_name)


@record
class Image:
    """The reference to a rung's machine image, and its id; the id is None until resolved."""

    found_by: FoundBy
    name: str
    id: str | None = None


@record
class LockedRung:
    """A rung of a workload: its purchase mode, location, machine and image.

    `skip_reason` is why the quote excluded it, for example a cap that it was over; None where it
    might.
    """

    capacity: Capacity
    region: str
    zones: tuple[str, ...]
    machine: str
    max_price: Decimal | None = None
    skip_reason: str | None = None
    image: Image

    @property
    def label(self) -> str:
        """The name of the rung, as `--rung` takes it."""
        return f"{self.capacity}@{self.region}"


@record
class LockedPart:
    """The values, price rows and quote lines of a bucket, or of resources without a workload."""

    declared_values: Mapping[str, Any] = field(default_factory=dict)
    prices: tuple[Price, ...] = ()
    lines: tuple[Line, ...] = ()


@record
class LockedWorkload:
    """A workload: its values, cloud, ladder, price rows and quote lines."""

    kind: str
    cloud: str
    declared_values: Mapping[str, Any]
    rungs: tuple[LockedRung, ...]
    prices: tuple[Price, ...] = ()
    lines: tuple[Line, ...] = ()


@record
class Totals:
    """The costs of the stack, as the quote had them; None where no run has a duration."""

    per_hour: Total
    per_month: Total
    per_run: Total | None = None


@record
class Lock:
    """The contents of a lock file.

    Attributes:
        file: the name of the stack file that it belongs to.
        stack: the digest of what that file says.
        prices: the digest of the `prices.yaml` beside it; None where there is none.
        catalog: the digest of the price and machine tables that it was made from.
        versions: of gpuinfra and of the stack file's grammar.
        settings: what the file says besides workloads and buckets.
        workloads: each workload by name.
        buckets: each bucket by name.
        others: price rows and lines of neither.
        totals: the sums of the quote.
        unpriced: the reasons why there was no total.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"alias_generator": stored_key}

    file: str
    stack: str
    prices: str | None
    catalog: str
    versions: Mapping[str, str]
    settings: Mapping[str, Any]
    workloads: Mapping[str, LockedWorkload]
    buckets: Mapping[str, LockedPart]
    others: LockedPart
    totals: Totals
    unpriced: tuple[str, ...] = ()
    schema: int = SCHEMA

    @property
    def declared_values(self) -> LockedValues:
        """The values of the stack file when it was locked."""
        return LockedValues(
            settings=self.settings,
            workloads={name: work.declared_values for name, work in self.workloads.items()},
            buckets={name: part.declared_values for name, part in self.buckets.items()},
            kinds={name: work.kind for name, work in self.workloads.items()},
        )

    @property
    def machines(self) -> dict[tuple[str, str], str]:
        """The machine type by workload and rung."""
        return {(name, rung.label): rung.machine for name, rung in self.rungs()}

    @property
    def rows(self) -> tuple[Price, ...]:
        """The price rows, without duplicates."""
        return tuple(dict.fromkeys(row for part in self._locked_parts() for row in part.prices))

    @property
    def marked_rows(self) -> tuple[Price, ...]:
        """The price rows, marked as locked unless they are the user's own or a bound."""
        marks = {"user", "bound"}
        return tuple(
            row if row.origin in marks else replace(row, origin="lock") for row in self.rows
        )

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the quote."""
        return tuple(line for part in self._locked_parts() for line in part.lines)

    @property
    def per_hour(self) -> Total:
        """The hourly cost of all resources that may run at once, as the quote had it."""
        return self.totals.per_hour

    @property
    def per_month(self) -> Total:
        """The monthly cost."""
        return self.totals.per_month

    @property
    def per_run(self) -> Total | None:
        """The cost of the most expensive run; None where no run has a duration."""
        return self.totals.per_run

    @property
    def skip_reasons(self) -> dict[tuple[str, str], str | None]:
        """The reason why each rung, by workload and label, is excluded; None where it is not."""
        return {(name, rung.label): rung.skip_reason for name, rung in self.rungs()}

    @property
    def unresolved_images(self) -> tuple[tuple[str, LockedRung], ...]:
        """The rungs whose image has no id yet, each with its workload."""
        return tuple((name, rung) for name, rung in self.rungs() if rung.image.id is None)

    def rungs(self) -> Iterator[tuple[str, LockedRung]]:
        """Return every rung with its workload."""
        return ((name, rung) for name, work in self.workloads.items() for rung in work.rungs)

    def _locked_parts(self) -> Iterator[LockedWorkload | LockedPart]:
        yield from self.workloads.values()
        yield from self.buckets.values()
        yield self.others
