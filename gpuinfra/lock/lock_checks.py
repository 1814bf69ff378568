"""Checks that a lock follows from its own price rows, and that those match the tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import tables
from gpuinfra.cost import Line, PricingTerms, Total
from gpuinfra.errors import RefusedError, lock_update
from gpuinfra.lock.contents import Lock, stored_key
from gpuinfra.lock.creation import make
from gpuinfra.lock.files import lock_path
from gpuinfra.lock.lock_differences import ABSENT, Change
from gpuinfra.lock.locked_prices import LockedPriceBook, current_price
from gpuinfra.model import Plan, Price
from gpuinfra.specs import Stack
from gpuinfra.units import format_money, format_unit_price

SPANS: Final = ("per_hour", "per_month", "per_run")

Key = tuple[str, ...]


def is_from_current_tables(lock: Lock) -> bool:
    """Return whether a lock was made from the current tables."""
    return lock.catalog == tables.digest()


def altered_price_rows(lock: Lock, book: PriceBook) -> tuple[Change, ...]:
    """Return the price rows of a lock that differ from its own tables.

    Empty where it was made from other tables, which can't be looked at any more. Spot prices carry
    no cap and are left to `inconsistent_values`.
    """
    if not is_from_current_tables(lock):
        return ()
    pairs = ((row, current_price(row, book)) for row in lock.rows if row.mode != "spot")
    return tuple(
        Change(
            path=f"the price of {row.item} ({row.mode}) in {row.region}",
            before=_prices_text([row]),
            after=ABSENT if current_row is None else _prices_text([current_row]),
        )
        for row, current_row in pairs
        if current_row is None or _figures(row) != _figures(current_row)
    )


def refuse_forged(lock: Lock, book: PriceBook, path: Path) -> None:
    """Refuse the lock of a stack file whose price rows differ from its own tables.

    Raises:
        RefusedError: it has such rows; with each.
    """
    rows = altered_price_rows(lock, book)
    if rows:
        listing = "\n  ".join(map(str, rows))
        raise RefusedError(
            f"{lock_path(path)} has prices that its own tables do not have: locked -> tables\n"
            f"  {listing}\n  write it again: {lock_update(path)}"
        )


def _figures(row: Price) -> tuple[object, ...]:
    """Return the parts of a price row that a verdict depends on."""
    return row.per_unit, row.maximum, row.tiers, row.unit, row.currency, row.as_of, row.prepaid


def plan_differences(lock: Lock, plan: Plan) -> Iterator[str]:
    """Yield where the clouds or rungs of a lock differ from those of its plan, as text."""
    for group in plan.groups:
        work = lock.workloads.get(group.name)
        if work is None:
            yield f"{group.subject} is not in it"
            continue
        if work.cloud != group.cloud:
            yield f"{group.subject} is locked on {work.cloud}, and now runs on {group.cloud}"
        locked_labels = [rung.label for rung in work.rungs]
        labels_now = [rung.label for rung in group.rungs]
        if locked_labels != labels_now:
            statement = f"{group.subject} is locked with {_rungs_text(locked_labels)}"
            yield f"{statement}, and this stack file now allows {_rungs_text(labels_now)}"


def inconsistent_values(
    lock: Lock, stack: Stack, plan: Plan, terms: PricingTerms
) -> tuple[Change, ...]:
    """Return where a lock differs from its own price rows, and from the tables.

    The tables' prices are looked at only where the lock was made from the same tables.

    Args:
        lock: that matches its stack file.
        stack: what the file says.
        plan: of the file, with the machines of the lock.
        terms: with the prices that the lock overrides.
    """
    recreated = _recreate_lock(lock, stack, plan, replace(terms, prices=LockedPriceBook(lock)))
    changes = [
        *_lines(lock.lines, recreated.lines),
        *_totals(lock, recreated),
        *_unpriced_count_changes(lock, recreated),
    ]
    if is_from_current_tables(lock):
        changes = [*_rows(lock.rows, _recreate_lock(lock, stack, plan, terms).rows), *changes]
    return tuple(dict.fromkeys(changes))


def _recreate_lock(lock: Lock, stack: Stack, plan: Plan, terms: PricingTerms) -> Lock:
    return make(stack, plan, terms, file=lock.file, prices=lock.prices, old_lock=lock)


def _rows(lock_rows: Iterable[Price], tables_: Iterable[Price]) -> Iterator[Change]:
    """Yield the price rows of only one side; their position in a prices.yaml is ignored."""
    locked_rows, current_rows = _prices_by_key(lock_rows), _prices_by_key(tables_)
    for key in sorted({*locked_rows, *current_rows}):
        old, new = locked_rows.get(key, set()), current_rows.get(key, set())
        if old != new:
            _, item, region, mode = key
            path = f"the price of {item} ({mode}) in {region}"
            yield Change(path=path, before=_prices_text(old - new), after=_prices_text(new - old))


def _prices_by_key(rows: Iterable[Price]) -> dict[Key, set[Price]]:
    by_key: dict[Key, set[Price]] = {}
    for row in rows:
        undated_row = replace(row, source="", remark="") if row.origin == "user" else row
        by_key.setdefault(row.key, set()).add(undated_row)
    return by_key


def _prices_text(rows: Iterable[Price]) -> str:
    amounts = (f"{format_unit_price(row.per_unit)} of {row.as_of or 'no date'}" for row in rows)
    return ", ".join(sorted(amounts)) or ABSENT


EXPECTED_FIELDS: Final = frozenset({"expected", "expected_at_most"})
"""The parts of a total that depend on the day: which spot prices are too old to count."""


def _lines(lock_lines: Iterable[Line], planned_lines: Iterable[Line]) -> Iterator[Change]:
    """Yield the lines whose figures differ; notes are ignored.

    So is what was expected: which spot prices are too old for that depends on the day.
    """
    locked_lines, current_lines = (
        Counter(map(_without_dates, side)) for side in (lock_lines, planned_lines)
    )
    removed_costs, come = (
        _costs_by_name(locked_lines - current_lines),
        _costs_by_name(current_lines - locked_lines),
    )
    for name in sorted({*removed_costs, *come}):
        line_before, line_after = removed_costs.get(name, ABSENT), come.get(name, ABSENT)
        if line_before == line_after:
            line_before = f"{line_before}, with another date or quantity"
        yield Change(path=f"the line {name}", before=line_before, after=line_after)


def _without_dates(line: Line) -> Line:
    return replace(
        line,
        note="",
        source="",
        expected_per_hour=None,
        expected_at_most_per_hour=None,
        expected_at_most_per_month=None,
        expected_per_month=None,
        expected_as_of="",
        may_wait=False,
    )


def _costs_by_name(lines: Mapping[Line, int]) -> dict[str, str]:
    costs: dict[str, str] = {}
    for line in lines:
        name = " ".join(dict.fromkeys((line.name, line.kind, line.item, line.region)))
        cost = "no cost" if line.per_hour is None else f"{format_money(line.per_hour)}/h"
        costs[name] = cost
    return costs


def _totals(lock: Lock, planned_lock: Lock) -> Iterator[Change]:
    for span in SPANS:
        locked_total: Total | None = getattr(lock.totals, span)
        current_total: Total | None = getattr(planned_lock.totals, span)
        names = (
            field.name
            for field in fields(Total)
            if field.name not in EXPECTED_FIELDS
            and getattr(locked_total, field.name, None) != getattr(current_total, field.name, None)
        )
        for name in names:
            yield Change(
                path=f"{stored_key(name)} {span.replace('_', ' ')}",
                before=_total(locked_total, name),
                after=_total(current_total, name),
            )


def _unpriced_count_changes(lock: Lock, planned_lock: Lock) -> Iterator[Change]:
    """Yield a change if the number of parts without a price differs; the reasons are ignored."""
    if len(lock.unpriced) != len(planned_lock.unpriced):
        count_before, count_after = str(len(lock.unpriced)), str(len(planned_lock.unpriced))
        yield Change(path="parts without a price", before=count_before, after=count_after)


def _total(total: Total | None, name: str) -> str:
    amount = getattr(total, name, None)
    return ABSENT if amount is None else format_money(amount)


def _rungs_text(labels: Iterable[str]) -> str:
    return ", ".join(labels) or "no rung"
