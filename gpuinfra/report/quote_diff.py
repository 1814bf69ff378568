"""The comparison of two quotes as text, and as Markdown for a pull request."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra import cost
from gpuinfra.cost import compare as comparing
from gpuinfra.cost.line_names import line_name
from gpuinfra.cost.quote import ZERO
from gpuinfra.report import markup
from gpuinfra.report.summary import rate_text
from gpuinfra.units import (
    CENT,
    format_change,
    format_count,
    format_money,
    format_unit_price,
    hourly_unit,
    round_half_up,
    round_to_total,
)

COLUMNS: Final = ("", "workload", "line", "before", "after", "per hour", "per month")
RIGHT: Final = ("per hour", "per month")
TOTALS: Final = (
    *("", "maximum before", "after", "change"),
    *("as planned before", "after", "change"),
)


def headline(comparison: comparing.Comparison) -> str:
    """Return the change of the maximum cost, and of the rungs that are available.

    A total that leaves out a part without a price is a minimum, and by how much it changed is not
    known.
    """
    unpriced_count = len(comparison.unpriced_after)
    if comparison.is_unchanged:
        return (
            f"no change in cost; {format_count(unpriced_count, 'part has', 'parts have')} no price"
            if unpriced_count
            else "no change in cost"
        )
    shifts = list(_known_totals(comparison))
    if unpriced_count or comparison.unpriced_before:
        maximum_changes = maxima(comparison, with_fallbacks=False)
        change_text = f"{maximum_changes}; {_missing_price_counts(comparison)}"
    elif any(shift.ceiling for shift in shifts):
        moves = (f"{_change(shift)} per {shift.span}" for shift in shifts)
        change_text = f"maximum cost changes by {', '.join(moves)}"
    else:
        change_text = "maximum cost unchanged"
    return f"{change_text}{_rung_changes_text(comparison)}"


def as_markdown(comparison: comparing.Comparison) -> Iterator[str]:
    """Yield the tables and the items without a price, each as a block."""
    if not comparison.is_unchanged:
        columns, total_rows = totals_table(comparison)
        yield markup.table(columns, total_rows, columns[1:])
    yield from _change_blocks(comparison)
    for rung in comparison.rungs:
        yield markup.code(str(rung))
    for item_text, name in unpriced_items(comparison):
        yield f"**{item_text}** {markup.code(name)}"


def _change_blocks(comparison: comparing.Comparison) -> Iterator[str]:
    """Yield the table of changed lines; new and removed prices of usage are only counted."""
    every = zip(comparison.changes, rows(comparison), strict=True)
    shown = [
        [row[0], *map(markup.cell, row[1:5]), *row[5:]]
        for change, row in every
        if not _is_usage_price(change)
    ]
    if shown:
        yield markup.table(COLUMNS, shown, RIGHT)
    signs: Counter[str] = Counter(
        change.sign for change in comparison.changes if _is_usage_price(change)
    )
    counted = [
        f"{signs[sign]} {word}" for sign, word in (("+", "new"), ("-", "removed")) if signs[sign]
    ]
    if counted:
        prices = "price" if sum(signs.values()) == 1 else "prices"
        yield f"{', '.join(counted)} {prices} of usage, not counted: `gpuinfra cost SOURCE -v`"


def _is_usage_price(change: comparing.LineChange) -> bool:
    """Return whether a line with an unknown quantity is new or removed: it moves no total."""
    return change.sign != "~" and change.line.status == "rate"


def totals_table(
    comparison: comparing.Comparison,
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the columns of `TOTALS` and their rows, one a total.

    Those as planned are left out where these are the maxima.
    """
    total_rows = list(_totals(comparison))
    half = len(TOTALS) // 2
    if any(row[1 : half + 1] != row[half + 1 :] for row in total_rows):
        return TOTALS, total_rows
    return TOTALS[: half + 1], [row[: half + 1] for row in total_rows]


def rows(comparison: comparing.Comparison) -> Iterator[Sequence[str]]:
    """Yield each change in the columns of `COLUMNS`; they add up to those of `TOTALS`."""
    changes, totals_of = comparison.changes, {total.span: total for total in comparison.totals}
    hourly_changes = [change.per_hour for change in changes]
    hourly = _parts(hourly_changes, totals_of["hour"], hourly_unit(hourly_changes))
    monthly = _parts([change.per_month for change in changes], totals_of["month"])
    for change, hour, month in zip(changes, hourly, monthly, strict=True):
        line = change.line
        yield (
            change.sign,
            line.group or line.name,
            f"{line_name(line)}{f' in {line.region}' if line.region else ''}",
            _figure(change.before),
            _figure(change.after),
            hour,
            month,
        )


def _parts(
    changes: Sequence[Decimal | None], total: comparing.TotalChange, unit: Decimal = CENT
) -> Iterator[str]:
    """Yield the changes of lines, which add up to the change of their total, as it is shown."""
    change = _shown_difference(total, of_active=True, unit=unit)
    rounded = round_to_total(changes, change, unit)
    for exact, shown in zip(changes, rounded, strict=True):
        yield format_change(exact, rounded=shown)


def _known_totals(comparison: comparing.Comparison) -> Iterator[comparing.TotalChange]:
    """Yield the totals that a quote has; there is none per run without runs."""
    for total in comparison.totals:
        if total.before is not None or total.after is not None:
            yield total


def _totals(comparison: comparing.Comparison) -> Iterator[Sequence[str]]:
    """Yield each total in the columns of `TOTALS`."""
    for total in _known_totals(comparison):
        yield (
            f"per {total.span}",
            *_sums(total),
            _change(total),
            *_sums(total, of_active=True),
            _change(total, of_active=True),
        )


def maxima(comparison: comparing.Comparison, *, with_fallbacks: bool) -> str:
    """Return the maximum cost of each span before and after."""
    spans = (f"{' → '.join(_sums(total))} per {total.span}" for total in _known_totals(comparison))
    subject = "maximum cost with fallbacks" if with_fallbacks else "maximum cost"
    return f"{subject}: {', '.join(spans)}"


def unpriced_items(comparison: comparing.Comparison) -> Iterator[tuple[str, str]]:
    """Yield the items without a price, so that a missing price doesn't look like a saving."""
    for name in comparison.unpriced_after:
        is_new = name not in comparison.unpriced_before
        yield ("price no longer known:" if is_new else "price unknown:"), name
    for name in comparison.unpriced_before:
        if name not in comparison.unpriced_after:
            yield "had no price before:", name


def _figure(line: cost.Line | None) -> str:
    """Return quantity times unit price, or why it is unknown."""
    if line is None:
        return ""
    if line.status == "rate":
        return "rate unknown" if line.rate is None else rate_text(line)
    if line.quantity is None or line.rate is None:
        return {"unpriced": "price unknown"}.get(line.status, line.status)
    quantity = line.quantity.quantize(Decimal("0.01")).normalize()
    return f"{quantity:f} × {format_unit_price(line.rate)}"


def _missing_price_counts(comparison: comparing.Comparison) -> str:
    """Return how many items have no price now, and how many had none before."""
    count_before, count_now = len(comparison.unpriced_before), len(comparison.unpriced_after)
    if not count_now:
        return f"{format_count(count_before, 'part')} had no price before"
    return f"{format_count(count_now, 'part has', 'parts have')} no price ({count_before} before)"


def _rung_changes_text(comparison: comparing.Comparison) -> str:
    """Return how many rungs became unavailable or available, which explains a new ceiling."""
    excluded_count = sum(rung.skip_reason is not None for rung in comparison.rungs)
    back = len(comparison.rungs) - excluded_count
    change_texts = [f"{format_count(excluded_count, 'rung')} excluded"] if excluded_count else []
    change_texts += [f"{format_count(back, 'rung')} available again"] if back else []
    return f" ({', '.join(change_texts)})" if change_texts else ""


def _sums(shift: comparing.TotalChange, *, of_active: bool = False) -> tuple[str, str]:
    """Return a total before and after, marked as a minimum where a price is missing."""
    sides = ((shift.before, shift.was_complete), (shift.after, shift.is_complete))
    sum_before, sum_after = (
        _sum(total, is_partial, of_active=of_active) for total, is_partial in sides
    )
    return sum_before, sum_after


def _change(shift: comparing.TotalChange, *, of_active: bool = False) -> str:
    """Return the change of a total, the difference of its amounts as they are shown."""
    change = shift.active_rung_cost if of_active else shift.ceiling
    return format_change(change, rounded=_shown_difference(shift, of_active=of_active))


def _shown_difference(
    shift: comparing.TotalChange, *, of_active: bool, unit: Decimal = CENT
) -> Decimal:
    amount_before, amount_after = (
        ZERO if total is None else round_half_up(_amount(total, of_active=of_active), unit)
        for total in (shift.before, shift.after)
    )
    return amount_after - amount_before


def _amount(total: cost.Total, *, of_active: bool) -> Decimal:
    return total.active if of_active else total.ceiling


def _sum(total: cost.Total | None, is_partial: bool, *, of_active: bool) -> str:
    if total is None:
        return "–"
    money_text = format_money(_amount(total, of_active=of_active))
    return money_text if is_partial else f"at least {money_text}"
