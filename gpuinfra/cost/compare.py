"""Two quotes side by side: which lines came, went and changed, and what the totals did."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, Protocol

from gpuinfra.cost.quote import Line, Total

ZERO: Final = Decimal(0)

Sign = Literal["+", "~", "-"]
Span = Literal["hour", "month", "run"]
Key = tuple[str, str, str, str, str]
"""What makes two lines the same one: group, name, way to buy or kind, item, and region."""


class Quoted(Protocol):
    """What is compared: a quote, or the part of one that a lock keeps."""

    @property
    def lines(self) -> Sequence[Line]:
        """Of the rungs that stand and of what belongs to no group."""

    @property
    def per_hour(self) -> Total:
        """All that may run at once."""

    @property
    def per_month(self) -> Total:
        """A month of 730 hours."""

    @property
    def per_run(self) -> Total | None:
        """The dearest run; None without one."""

    @property
    def unpriced(self) -> Sequence[str]:
        """What the totals leave out, because nobody knows its price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line that came (no `before`), went (no `after`) or changed."""

    before: Line | None
    after: Line | None

    @property
    def sign(self) -> Sign:
        """How a diff marks it."""
        if self.before is None:
            return "+"
        return "-" if self.after is None else "~"

    @property
    def line(self) -> Line:
        """The line as it is now; the old one where it went."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a change has a line before or after")
        return found

    @property
    def per_hour(self) -> Decimal:
        """What it adds to what stands an hour; a line without a cost counts as totals have it."""
        return _hour(self.after) - _hour(self.before)

    @property
    def per_month(self) -> Decimal:
        """What it adds to what stands a month."""
        return _month(self.after) - _month(self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A total before and after; None where there is no run."""

    span: Span
    before: Total | None
    after: Total | None

    @property
    def ceiling(self) -> Decimal:
        """By how much the most that it may cost changed; what is not there costs nothing."""
        return _ceiling(self.after) - _ceiling(self.before)

    @property
    def standing(self) -> Decimal:
        """By how much it changed on the rungs that stand: the sum of the lines' changes."""
        return _standing(self.after) - _standing(self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What became of a quote.

    Attributes:
        changes: lines that came, went or changed, the dearest change of a month first.
        totals: an hour, a month and a run, before and after.
        unpriced_before: what the totals before leave out.
        unpriced_after: what the totals after leave out.
    """

    changes: tuple[Change, ...]
    totals: tuple[Shift, ...]
    unpriced_before: tuple[str, ...]
    unpriced_after: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether nothing came, went or changed, no total, and nothing that totals leave out."""
        return (
            not self.changes
            and all(one.before == one.after for one in self.totals)
            and self.unpriced_before == self.unpriced_after
        )


def compare(before: Quoted, after: Quoted) -> Comparison:
    """Compare two quotes; the source and the date of a price are no change.

    Lines are told apart by group, name, way to buy, item and region; several of one kind are
    paired in their order. The lines' changes add up to the change of what stands.
    """
    old, new = _by_key(before.lines), _by_key(after.lines)
    changes = (
        change
        for key in dict.fromkeys((*old, *new))
        for change in _paired(old.get(key, []), new.get(key, []))
    )
    return Comparison(
        changes=tuple(sorted(changes, key=lambda one: -abs(one.per_month))),
        totals=(
            Shift(span="hour", before=before.per_hour, after=after.per_hour),
            Shift(span="month", before=before.per_month, after=after.per_month),
            Shift(span="run", before=before.per_run, after=after.per_run),
        ),
        unpriced_before=tuple(before.unpriced),
        unpriced_after=tuple(after.unpriced),
    )


def _by_key(lines: Iterable[Line]) -> dict[Key, list[Line]]:
    found: defaultdict[Key, list[Line]] = defaultdict(list)
    for line in lines:
        found[line.group or "", line.name, line.kind, line.item, line.region].append(line)
    return found


def _paired(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Change]:
    both = min(len(old), len(new))
    for before, after in zip(old, new, strict=False):
        if _money(before) != _money(after):
            yield Change(before=before, after=after)
    yield from (Change(before=line, after=None) for line in old[both:])
    yield from (Change(before=None, after=line) for line in new[both:])


def _money(line: Line) -> tuple[object, ...]:
    """What of a line is money: not where its price comes from, nor of which day."""
    return (
        *(line.status, line.quantity, line.unit, line.rate),
        *(line.per_hour, line.per_month, line.per_run),
    )


def _hour(line: Line | None) -> Decimal:
    return line.per_hour or ZERO if line else ZERO


def _month(line: Line | None) -> Decimal:
    return line.per_month or ZERO if line else ZERO


def _ceiling(total: Total | None) -> Decimal:
    return total.ceiling if total else ZERO


def _standing(total: Total | None) -> Decimal:
    return total.standing if total else ZERO
