"""A `prices.yaml`, read with the position of every fault, and turned into a price book."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import COUNTS_AS
from gpuinfra.errors import Problem
from gpuinfra.model import Group, Machine, Plan, Price, Unknown
from gpuinfra.price_overrides import override_rows
from gpuinfra.price_overrides.checks import problems_in
from gpuinfra.price_overrides.override_rows import AppliedDiscount, PriceOverride
from gpuinfra.price_overrides.price_warnings import implausible_price_warnings
from gpuinfra.price_overrides.schema import ON_DEMAND, PriceFile
from gpuinfra.stackfile.files import ParsedFile, form_in


@dataclass(frozen=True, kw_only=True)
class OwnPrices:
    """The user's own prices: rows, discounts, machines and exchange rates (USD per unit)."""

    rows: tuple[PriceOverride, ...] = ()
    discounts: tuple[AppliedDiscount, ...] = ()
    machines: tuple[Machine, ...] = ()
    exchange_rates: Mapping[str, Decimal] = field(default_factory=dict)

    def price_book(
        self, day: date | None = None, exchange_rates: Mapping[str, Decimal] | None = None
    ) -> PriceBook:
        """Return the price book of the catalog with these prices on top.

        Args:
            day: what ended before it is left out; nothing is when absent.
            exchange_rates: further ones, before those of the file.
        """
        discounts = tuple(
            discount for discount in self.discounts if not _has_ended(discount.discount.until, day)
        )

        def discounted_price(row: Price) -> Price:
            fitting = next((discount for discount in discounts if discount.applies_to(row)), None)
            return row if fitting is None else fitting.discount_price(row)

        return PriceBook(
            (override.row for override in self.rows if not _has_ended(override.until, day)),
            discounted_price if discounts else None,
            rates={**self.exchange_rates, **(exchange_rates or {})},
            machines=self.machines,
        )

    def notes(self, day: date) -> tuple[str, ...]:
        """Return notes on prices that ended before a day, and warnings about implausible ones."""
        ends = [(row.location, row.until) for row in self.rows]
        ends += [(discount.location, discount.discount.until) for discount in self.discounts]
        ended = (
            f"{at} ended on {until} and no longer applies"
            for at, until in ends
            if _has_ended(until, day)
        )
        rows = (row for row in self.rows if not _has_ended(row.until, day))
        discounts = (
            discount for discount in self.discounts if not _has_ended(discount.discount.until, day)
        )
        return (*ended, *implausible_price_warnings(rows, discounts, self.exchange_rates))

    def unused_prices(self, plan: Plan) -> tuple[PriceOverride, ...]:
        """Return prices of the plan's machines for purchase modes that are not in use."""
        used = {key for group in plan.groups for key in _price_row_keys(group)}
        used_keys = {key[:3] for key in used}
        return tuple(
            row for row in self.rows if row.row.key[:3] in used_keys and row.row.key not in used
        )

    def uncovered_problems(self, plan: Plan) -> tuple[Problem, ...]:
        """Return problems for machines of a plan beyond the number that a row covers."""
        return tuple(
            problem
            for row in self.rows
            if row.covers is not None
            and (problem := _coverage_problem(row, row.covers, plan.groups))
        )


def read_own_prices(path: Path | str) -> OwnPrices:
    """Return the own prices in a file.

    Raises:
        InputError: it can't be read, or it has faults: all of them, with their places.
    """
    path = Path(path)
    fix = f"use a prices file; {PriceFile.example}"
    return _own_prices(form_in(path, PriceFile, fix, problems_in), path.name)


def _own_prices(file: ParsedFile[PriceFile], name: str) -> OwnPrices:
    hardware = tuple(override_rows.of_hardware(file, name))
    return OwnPrices(
        rows=(
            *override_rows.of_machines(file, name),
            *override_rows.of_services(file, name),
            *(override for _, override in hardware),
        ),
        discounts=tuple(override_rows.of_discounts(file, name)),
        machines=tuple(machine for machine, _ in hardware),
        exchange_rates=file.form.exchange_rates,
    )


def _price_row_keys(group: Group) -> Iterator[tuple[str, str, str, str]]:
    """Yield the price row key of each machine of a group, for each purchase mode of its rungs."""
    for rung in group.rungs:
        modes: list[str] = [rung.capacity, *filter(None, [COUNTS_AS.get(rung.capacity)])]
        if rung.capacity == "spot" and (rung.on_demand_base or rung.spot_share_above_base < 1):
            modes.append(ON_DEMAND)
        for machine in group.machines or (rung.machine,):
            yield from ((group.cloud, machine, rung.region, mode) for mode in modes)


def _has_ended(until: date | None, day: date | None) -> bool:
    return until is not None and day is not None and until < day


def _coverage_problem(
    override: PriceOverride, covers: int, groups: Iterable[Group]
) -> Problem | None:
    most = sum(_max_covered_machines(override.row, group) for group in groups)
    if most <= covers:
        return None
    return Problem(
        message=f"{override.location} covers {covers} × {override.row.item}, and the stack may "
        f"have {most}",
        position=override.position,
        fix="raise covers, or set one per_hour for all of them",
    )


def _max_covered_machines(row: Price, group: Group) -> int:
    """Return how many of a group's machines a row's price covers at a time, at most."""
    if isinstance(group.maximum, Unknown) or group.cloud != row.cloud:
        return 0
    counts = [0]
    for rung in group.rungs:
        if (rung.machine, rung.region) != (row.item, row.region):
            continue
        if row.mode in {rung.capacity, COUNTS_AS.get(rung.capacity)}:
            counts.append(group.maximum)
        elif row.mode == ON_DEMAND:
            counts.append(min(rung.on_demand_base, group.maximum))
    return max(counts)
