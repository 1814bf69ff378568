"""What a stack file says now against what its lock says, in words and in money."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from gpuinfra.catalog import Book
from gpuinfra.cost import Line, Quote
from gpuinfra.lock.normal import Asked
from gpuinfra.lock.values import FILE_NAME, Lock
from gpuinfra.units import format_money, format_size

ABSENT: Final = "–"
"""How a key that is not written is shown."""

SHOWN: Final = 20
SIZES: Final = frozenset({"size", "memory"})
"""Keys of bytes, told as a stack file has them."""

PRICES: Final = "prices.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One key that says another thing; `before` and `after` are words, ABSENT where it is not."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


def changes(lock: Lock, now: Asked, prices: str | None, book: Book) -> tuple[Change, ...]:
    """What a stack file, and the `prices.yaml` beside it, say otherwise than the lock.

    Args:
        lock: of the file.
        now: what the file says.
        prices: the digest of `prices.yaml`; None where there is none.
        book: the prices of the day, in which an offer of the user's own may have ended.
    """
    then = lock.asked
    found = list(_keys("", then.settings, now.settings))
    found += _named(_kinds(then), then.workloads, _kinds(now), now.workloads)
    found += _named({}, then.buckets, {}, now.buckets)
    if lock.prices != prices:
        found.append(Change(path=PRICES, before=_file(lock.prices), after=_file(prices)))
    else:
        found += _ended(lock, book)
    return tuple(found)


def in_words(found: Sequence[Change], lock: Lock, now: Quote, source: object) -> str:
    """Why a stack can't go on with its lock: what changed, in money, and the way out.

    Args:
        found: what the files say otherwise.
        lock: the lock.
        now: what the stack costs without it.
        source: the stack file, as the user names it.
    """
    told = [str(change) for change in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"… and {len(found) - SHOWN} more")
    told += [*_machines(lock, now), *_money(lock, now)]
    told.append(f"take it over: gpuinfra lock {source} --update")
    return "\n  ".join([f"{source} no longer matches its {FILE_NAME}", *told])


def _machines(lock: Lock, now: Quote) -> Iterator[str]:
    """The rungs whose machine would be another one."""
    then = lock.machines
    for one in now.rungs:
        old = then.get((one.group, one.rung.label))
        if old is not None and old != one.rung.machine:
            yield f"{one.group} on {one.rung.label}: {old} -> {one.rung.machine}"


def _money(lock: Lock, now: Quote) -> Iterator[str]:
    """What each part costs an hour, before and after, where that moved; then the sum."""
    then, after = _by_part(lock.lines), _by_part(now.lines)
    for part in sorted({*then, *after}):
        if then.get(part) != after.get(part):
            yield f"{part}: {_dollars(then.get(part))} -> {_dollars(after.get(part))} USD an hour"
    old, new = lock.per_hour.ceiling, now.per_hour.ceiling
    moved = f"{_dollars(old)} -> {_dollars(new)}" if old != new else f"{_dollars(new)} as before"
    yield f"in all at most {moved} USD an hour"


def _keys(above: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    for key in sorted({*then, *now}):
        old, new = then.get(key), now.get(key)
        if old != new:
            words = _size if SIZES & {*key.split(".")} else _words
            yield Change(path=f"{above}{key}", before=words(old), after=words(new))


def _ended(lock: Lock, book: Book) -> Iterator[Change]:
    """The user's own prices in a lock that no longer hold."""
    for row in lock.rows:
        now = book.rows(row.cloud, row.item, row.region, row.mode)
        if row.origin == "user" and not any(one.origin == "user" for one in now):
            path = f"{PRICES}: {row.mode} {row.item} in {row.region}"
            yield Change(path=path, before=format_money(row.per_unit), after="ended")


def _kinds(said: Asked) -> dict[str, str]:
    return dict(said.kinds)


def _named(
    old_kinds: Mapping[str, str],
    then: Mapping[str, Mapping[str, Any]],
    kinds: Mapping[str, str],
    now: Mapping[str, Mapping[str, Any]],
) -> Iterator[Change]:
    """Workloads or buckets: those that came or went as a whole, the others key by key."""
    paths_then = {f"{old_kinds.get(name, 'buckets')}.{name}": one for name, one in then.items()}
    paths_now = {f"{kinds.get(name, 'buckets')}.{name}": one for name, one in now.items()}
    for path in sorted({*paths_then, *paths_now}):
        if path not in paths_then:
            yield Change(path=path, before=ABSENT, after="new")
        elif path not in paths_now:
            yield Change(path=path, before="there", after=ABSENT)
        else:
            yield from _keys(f"{path}.", paths_then[path], paths_now[path])


def _words(value: Any) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _size(value: Any) -> str:
    return format_size(value) if isinstance(value, int) else _words(value)


def _file(digest: str | None) -> str:
    return ABSENT if digest is None else digest[: len("sha256:") + 12]


def _by_part(lines: Sequence[Line]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for line in lines:
        if line.per_hour is not None:
            part = line.group or line.name
            found[part] = found.get(part, Decimal(0)) + line.per_hour
    return found


def _dollars(amount: Decimal | None) -> str:
    return ABSENT if amount is None else format_money(amount)
