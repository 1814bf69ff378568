"""The comparison of two quotes: added, removed and changed lines, and changes of totals."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal, Protocol

from gpuinfra.cost.quote import ZERO, Line, Total
from gpuinfra.records import record

ROUNDING_TOLERANCE: Final = Decimal("1e-9")
"""Dollars below which a total has not changed: its last digits depend on the order of adding."""

Sign = Literal["+", "~", "-"]
Span = Literal["hour", "month", "run"]
Key = tuple[str, str, str, str, str]
"""The identity of a line: group, name, purchase option or kind, item, and region."""


class CostSummary(Protocol):
    """A side of the comparison: a quote, or the part of one that a lock keeps."""

    @property
    def lines(self) -> Sequence[Line]:
        """The lines of the active rungs, and of resources without a group."""
        ...

    @property
    def per_hour(self) -> Total:
        """The hourly cost of all resources that may run at once."""
        ...

    @property
    def per_month(self) -> Total:
        """The cost of a month of 730 hours."""
        ...

    @property
    def per_run(self) -> Total | None:
        """The cost of the most expensive run; None without one."""
        ...

    @property
    def unpriced(self) -> Sequence[str]:
        """The parts that the totals leave out because their price is unknown."""
        ...

    @property
    def skip_reasons(self) -> Mapping[tuple[str, str], str | None]:
        """The reason why each rung, by group and label, is excluded; None where it is not."""
        ...


@record
class LineChange:
    """A line that was added (no `before`), removed (no `after`) or changed."""

    before: Line | None
    after: Line | None

    @property
    def sign(self) -> Sign:
        """The sign that marks the change in a diff."""
        if self.before is None:
            return "+"
        return "-" if self.after is None else "~"

    @property
    def line(self) -> Line:
        """The current line; the former one where it was removed."""
        present = self.after or self.before
        if present is None:
            raise ValueError("a change has a line before or after")
        return present

    @property
    def per_hour(self) -> Decimal | None:
        """The change of the hourly cost on active rungs; None where a side is unknown."""
        return _difference(_hourly_cost(self.before), _hourly_cost(self.after))

    @property
    def per_month(self) -> Decimal | None:
        """The change of the monthly cost on active rungs; None where a side is unknown."""
        return _difference(_monthly_cost(self.before), _monthly_cost(self.after))


@record
class TotalChange:
    """A total before and after; None where there is no run.

    A total that is not complete leaves out a part without a price: it costs at least so much, and
    by how much it changed is not known.
    """

    span: Span
    before: Total | None
    after: Total | None
    was_complete: bool = True
    is_complete: bool = True

    @property
    def ceiling(self) -> Decimal | None:
        """The change of the maximum cost; a missing total costs nothing."""
        return (
            _change(_ceiling(self.before), _ceiling(self.after))
            if self._are_totals_complete
            else None
        )

    @property
    def active_rung_cost(self) -> Decimal | None:
        """The change of the cost on the active rungs, the sum of the lines' changes."""
        return (
            _change(_active_rung_cost(self.before), _active_rung_cost(self.after))
            if self._are_totals_complete
            else None
        )

    @property
    def is_unchanged(self) -> bool:
        """Whether all figures of the total are the same."""
        return all(
            not _change(old, new) if old is not None and new is not None else old is new
            for old, new in zip(_figures(self.before), _figures(self.after), strict=True)
        )

    @property
    def _are_totals_complete(self) -> bool:
        return self.was_complete and self.is_complete


@record
class RungChange:
    """A rung of both quotes that is excluded in one of them only.

    `skip_reason` says why it is excluded, for example a cap that it exceeds; None where it is
    available again. A ceiling is that of the dearest rung left, so that a dearer stack may have a
    lower one.
    """

    group: str
    label: str
    skip_reason: str | None

    def __str__(self) -> str:
        if self.skip_reason is None:
            return f"{self.group}: {self.label} is available again"
        return f"{self.group}: {self.label} is excluded: {self.skip_reason}"


@record
class Comparison:
    """The differences between two quotes.

    Attributes:
        changes: lines that came, went or changed, the dearest change of a month first.
        totals: an hour, a month and a run, before and after.
        rungs: rungs that became excluded, or available again.
        unpriced_before: what the totals before leave out.
        unpriced_after: what the totals after leave out.
    """

    changes: tuple[LineChange, ...]
    totals: tuple[TotalChange, ...]
    unpriced_before: tuple[str, ...]
    unpriced_after: tuple[str, ...]
    rungs: tuple[RungChange, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether no line, rung, total or unpriced part differs."""
        return (
            not self.changes
            and not self.rungs
            and all(total.is_unchanged for total in self.totals)
            and self.unpriced_before == self.unpriced_after
        )


def compare(before: CostSummary, after: CostSummary) -> Comparison:
    """Compare two quotes; a different source or date of a price is no change.

    Lines are told apart by group, name, way to buy, item and region; several of one kind are
    paired in their order. The lines' changes, where all are known, add up to the change of what
    stands.
    """
    old, new = _lines_by_key(before.lines), _lines_by_key(after.lines)
    changes = (
        change
        for key in dict.fromkeys((*old, *new))
        for change in _paired_lines(old.get(key, []), new.get(key, []))
    )
    return Comparison(
        changes=tuple(sorted(changes, key=_dearest_first)),
        totals=tuple(
            TotalChange(
                span=span,
                before=then,
                after=now,
                was_complete=not before.unpriced,
                is_complete=not after.unpriced,
            )
            for span, then, now in _spans(before, after)
        ),
        unpriced_before=tuple(before.unpriced),
        unpriced_after=tuple(after.unpriced),
        rungs=tuple(_rungs(before.skip_reasons, after.skip_reasons)),
    )


def _spans(
    before: CostSummary, after: CostSummary
) -> Iterator[tuple[Span, Total | None, Total | None]]:
    yield "hour", before.per_hour, after.per_hour
    yield "month", before.per_month, after.per_month
    yield "run", before.per_run, after.per_run


def _rungs(
    earlier_rungs: Mapping[tuple[str, str], str | None],
    later_rungs: Mapping[tuple[str, str], str | None],
) -> Iterator[RungChange]:
    for (group, label), why in later_rungs.items():
        if (group, label) in earlier_rungs and (earlier_rungs[group, label] is None) != (
            why is None
        ):
            yield RungChange(group=group, label=label, skip_reason=why)


def _lines_by_key(lines: Iterable[Line]) -> dict[Key, list[Line]]:
    grouped: defaultdict[Key, list[Line]] = defaultdict(list)
    for line in lines:
        grouped[line.group or "", line.name, line.kind, line.item, line.region].append(line)
    return grouped


def _paired_lines(old: Sequence[Line], new: Sequence[Line]) -> Iterator[LineChange]:
    both = min(len(old), len(new))
    for earlier_line, later_line in zip(old, new, strict=False):
        if _money(earlier_line) != _money(later_line):
            yield LineChange(before=earlier_line, after=later_line)
    yield from (LineChange(before=line, after=None) for line in old[both:])
    yield from (LineChange(before=None, after=line) for line in new[both:])


def _money(line: Line) -> tuple[object, ...]:
    """Return the figures of a line, without the source and date of its price."""
    return (
        *(line.status, line.quantity, line.unit, line.rate),
        *(line.per_hour, line.per_month, line.per_run),
    )


def _hourly_cost(line: Line | None) -> Decimal | None:
    """Return the hourly cost of a line: 0 if there is none, None where it is unknown."""
    if line is None or line.status == "free":
        return ZERO
    return line.per_hour


def _monthly_cost(line: Line | None) -> Decimal | None:
    """Return the monthly cost of a line: 0 if there is none, None where it is unknown."""
    if line is None or line.status == "free":
        return ZERO
    return line.per_month


def _difference(before: Decimal | None, later_amount: Decimal | None) -> Decimal | None:
    return None if before is None or later_amount is None else later_amount - before


def _dearest_first(change: LineChange) -> tuple[int, Decimal]:
    """Return the sort key: changes with a missing price, then the largest amounts, then rates."""
    if change.per_month is not None:
        return 1, -abs(change.per_month)
    sides = (change.before, change.after)
    return 0 if any(side and side.status == "unpriced" for side in sides) else 2, ZERO


def _figures(total: Total | None) -> tuple[Decimal | None, ...]:
    if total is None:
        return (None, None, None, None)
    return (total.ceiling, total.active, total.expected, total.minimum)


def _change(earlier_amount: Decimal, later_amount: Decimal) -> Decimal:
    """Return the change of a total; 0 if it is negligible."""
    return (
        later_amount - earlier_amount
        if abs(later_amount - earlier_amount) >= ROUNDING_TOLERANCE
        else ZERO
    )


def _ceiling(total: Total | None) -> Decimal:
    return total.ceiling if total else ZERO


def _active_rung_cost(total: Total | None) -> Decimal:
    return total.active if total else ZERO
