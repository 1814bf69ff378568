"""The differences between a stack file and its lock, as text and in money."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog import PriceBook
from gpuinfra.cost import Line, Quote
from gpuinfra.cost.compare import compare
from gpuinfra.errors import command_line, lock_update
from gpuinfra.lock.contents import Lock
from gpuinfra.lock.locked_prices import current_price
from gpuinfra.lock.normalized_values import LockedValues
from gpuinfra.model import Price
from gpuinfra.records import record
from gpuinfra.stackfile.file_names import LOCK_NAME as FILE_NAME
from gpuinfra.units import format_count, format_money, format_size, format_unit_price

ABSENT: Final = "–"
"""The text of a missing key."""

UNKNOWN: Final = "?"
"""The text of an unknown amount."""

MAX_LISTED_CHANGES: Final = 20
"""The maximum number of listed changes."""

SIZE_KEYS: Final = frozenset({"size", "memory"})
"""Keys of bytes, told as a stack file has them."""

PRICES: Final = "prices.yaml"


@record
class Change:
    """A key whose value differs; `before` and `after` are text, ABSENT where it is missing."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


def changes(
    lock: Lock, current_values: LockedValues, prices: str | None, book: PriceBook
) -> tuple[Change, ...]:
    """Return the differences between a stack file, with its `prices.yaml`, and the lock.

    Args:
        lock: of the file.
        current_values: what the file says.
        prices: the digest of `prices.yaml`; None where there is none.
        book: the prices of the day, in which an offer of the user's own may have ended.
    """
    locked_values = lock.declared_values
    differences = list(_keys("", locked_values.settings, current_values.settings))
    differences += _key_changes(
        dict(locked_values.kinds),
        locked_values.workloads,
        dict(current_values.kinds),
        current_values.workloads,
    )
    differences += _key_changes({}, locked_values.buckets, {}, current_values.buckets)
    own_changes = list(_own_price_changes(lock, book, same=lock.prices == prices))
    if not own_changes and lock.prices != prices:
        own_changes.append(Change(path=PRICES, before=_file(lock.prices), after=_file(prices)))
    return (*differences, *own_changes)


def stale_lock_message(
    changes: Sequence[Change], lock: Lock, current_quote: Quote, source: object
) -> str:
    """Return why a stack no longer matches its lock: the changes, their cost, and the fix.

    Args:
        changes: what the files say otherwise.
        lock: the lock.
        current_quote: what the stack costs without it.
        source: the stack file, as the user names it.
    """
    listed_changes = [str(change) for change in changes[:MAX_LISTED_CHANGES]]
    if len(changes) > MAX_LISTED_CHANGES:
        listed_changes.append(f"… and {len(changes) - MAX_LISTED_CHANGES} more")
    listed_changes += [*_machines(lock, current_quote), *_money(lock, current_quote)]
    listed_changes.append(f"  compare the cost: {command_line('cost', source, '--diff')}")
    listed_changes.append(f"  accept the changes: {lock_update(source)}")
    return "\n  ".join([f"{source} no longer matches its {FILE_NAME}", *listed_changes])


def stale_lock_note(source: object) -> str:
    """Return the note that a stale lock does not count, and how to see and accept the changes."""
    return (
        f"{FILE_NAME} is stale and does not count here; check, preview and up refuse until it is "
        f"written again: {lock_update(source)}; what changed: "
        f"{command_line('cost', source, '--diff')}"
    )


def _machines(lock: Lock, current_quote: Quote) -> Iterator[str]:
    """Yield the workloads that would move to other rungs, and rungs with another machine."""
    locked_machines = lock.machines
    clouds = {chosen_rung.group: f"{chosen_rung.cloud} " for chosen_rung in current_quote.chosen}
    current_rungs = {rung.group: rung.rung for rung in reversed(current_quote.rungs)}
    for name, work in lock.workloads.items():
        labels = {rung.rung.label for rung in current_quote.rungs if rung.group == name}
        if name in current_rungs and not labels & {rung.label for rung in work.rungs}:
            first, later_rung = work.rungs[0], current_rungs[name]
            yield (
                f"{name}: {work.cloud} {first.machine} {first.label} -> "
                f"{clouds.get(name, '')}{later_rung.machine} {later_rung.label}"
            )
    for rung in current_quote.rungs:
        old = locked_machines.get((rung.group, rung.rung.label))
        if old is not None and old != rung.rung.machine:
            yield f"{rung.group} on {rung.rung.label}: {old} -> {rung.rung.machine}"


def _money(lock: Lock, current_quote: Quote) -> Iterator[str]:
    """Yield each part's hourly cost before and after, where it changed; then the total.

    A rung that was struck, or came back, is named: it is why a sum may go against its parts.
    """
    locked_costs, current_costs = _costs_by_part(lock.lines), _costs_by_part(current_quote.lines)
    for part in sorted({*locked_costs, *current_costs}):
        if locked_costs.get(part) != current_costs.get(part):
            yield f"{part}: {locked_costs.get(part, ABSENT)} -> {current_costs.get(part, ABSENT)}"
    yield from map(str, compare(lock, current_quote).rungs)
    old, new = (
        _bound_text(lock.per_hour.ceiling, lock.unpriced),
        _bound_text(current_quote.per_hour.ceiling, current_quote.unpriced),
    )
    count = len(current_quote.unpriced)
    missing = f", {format_count(count, 'part')} without a price" if count else ""
    yield (f"total {f'{old} -> {new}' if old != new else f'{new} as before'}{missing}")


def _keys(
    parent_key: str, locked_keys: Mapping[str, Any], current_keys: Mapping[str, Any]
) -> Iterator[Change]:
    for key in sorted({*locked_keys, *current_keys}):
        old, new = locked_keys.get(key), current_keys.get(key)
        if old != new:
            formatter = _size if SIZE_KEYS & {*key.split(".")} else _value_text
            yield Change(path=f"{parent_key}{key}", before=formatter(old), after=formatter(new))


def _own_price_changes(lock: Lock, book: PriceBook, *, same: bool) -> Iterator[Change]:
    """Yield the user's own prices that ended, are new, or differ from the lock.

    A discount moves with the list price that it is taken off, so it is compared only where the
    file is not the `same` as before; a price that is written as an amount always is.
    """
    price_keys = {price.key for price in book.own_rows}
    for row in lock.rows:
        current_row = current_price(row, book)
        is_own = current_row is not None and current_row.origin == "user"
        path = f"{PRICES}: {row.mode} {row.item} in {row.region}"
        if row.origin == "user" and not is_own:
            text_after = "ended" if same else ABSENT
            yield Change(path=path, before=format_unit_price(row.per_unit), after=text_after)
            continue
        if current_row is None or not is_own or (same and row.key not in price_keys):
            continue
        if _amounts(row) != _amounts(current_row) or row.origin != "user":
            text_before = (
                _price_text(row) if row.origin == "user" else f"{_price_text(row)} of the catalog"
            )
            yield Change(path=path, before=text_before, after=_price_text(current_row))


def _amounts(row: Price) -> tuple[Any, ...]:
    return (row.per_unit, row.maximum, row.tiers)


def _price_text(row: Price) -> str:
    tiers = (
        f"{format_unit_price(price)} after {from_hours.normalize():f} h"
        for from_hours, price in row.tiers
    )
    return ", ".join((format_unit_price(row.per_unit), *tiers))


def _key_changes(
    old_kinds: Mapping[str, str],
    locked_entries: Mapping[str, Mapping[str, Any]],
    kinds: Mapping[str, str],
    current_entries: Mapping[str, Mapping[str, Any]],
) -> Iterator[Change]:
    """Yield the workloads or buckets that were added or removed, and changed keys of others."""
    paths_then = {
        f"{old_kinds.get(name, 'buckets')}.{name}": values
        for name, values in locked_entries.items()
    }
    paths_now = {
        f"{kinds.get(name, 'buckets')}.{name}": values for name, values in current_entries.items()
    }
    for path in sorted({*paths_then, *paths_now}):
        if path not in paths_then:
            yield Change(path=path, before=ABSENT, after="new")
        elif path not in paths_now:
            yield Change(path=path, before="there", after=ABSENT)
        else:
            yield from _keys(f"{path}.", paths_then[path], paths_now[path])


def _value_text(value: Any) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _size(value: Any) -> str:
    return format_size(value) if isinstance(value, int) else _value_text(value)


def _file(digest: str | None) -> str:
    return ABSENT if digest is None else digest[: len("sha256:") + 12]


def _costs_by_part(lines: Sequence[Line]) -> dict[str, str]:
    """Return the cost of each part as text, at least the known sum if it has no price."""
    amounts: dict[str, Decimal] = {}
    missing: set[str] = set()
    for line in lines:
        part = line.group or line.name
        if line.status == "unpriced":
            missing.add(part)
        if line.per_hour is not None:
            amounts[part] = amounts.get(part, Decimal(0)) + line.per_hour
    texts = {part: f"{format_money(amount)}/h" for part, amount in amounts.items()}
    less = {part: f"at least {texts[part]}" if part in texts else UNKNOWN for part in missing}
    return {**texts, **less}


def _bound_text(ceiling: Decimal, unpriced: Sequence[str]) -> str:
    return f"{'at least' if unpriced else 'at most'} {format_money(ceiling)}/h"
