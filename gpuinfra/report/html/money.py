"""The quote on the page: totals beside caps, bars, lines with their sources, ladders."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.cost import Line, Quote, RungQuote, Total
from gpuinfra.cost.breakdown import fallbacks
from gpuinfra.cost.quote import ZERO
from gpuinfra.cost.rungs import no_purchase_option
from gpuinfra.model import Caps
from gpuinfra.records import record
from gpuinfra.report.html.figures import Bar
from gpuinfra.units import format_percent

STACK = "whole stack"
"""The owner shown for a line without a workload."""

ORIGIN_LABELS = {
    "catalog": "shipped list price",
    "refreshed": "refreshed list price",
    "user": "your own price",
    "lock": "locked price",
    "bound": "upper bound of an unknown price",
}


@record
class CappedTotal:
    """One total beside its cap; `share` is the part of the cap that is used, in percent."""

    span: str
    total: Total
    cap: Decimal | None
    share: Decimal | None

    @property
    def excess_amount(self) -> Decimal:
        """By how much it exceeds its cap."""
        return max(ZERO, self.total.ceiling - self.cap) if self.cap is not None else ZERO

    @property
    def shown_share(self) -> Decimal:
        """The filled part of its bar: the cost in percent of the cap, above it the reverse."""
        share = self.share or ZERO
        return share if share <= _FULL else _FULL * _FULL / share


@record
class LadderRow:
    """The rungs of one workload, and the index of the active one."""

    group: str
    rungs: tuple[RungQuote, ...]
    active_rung: int


def sums(quote: Quote, caps: Caps | None) -> Iterator[CappedTotal]:
    """Yield the maximum cost per hour, month and run."""
    limits = caps or Caps()
    for span, total, cap in (
        ("hour", quote.per_hour, limits.per_hour),
        ("month", quote.per_month, limits.per_month),
        ("run", quote.per_run, limits.per_run),
    ):
        if total is not None:
            share = total.ceiling / cap * 100 if cap else None
            yield CappedTotal(span=span, total=total, cap=cap, share=share)


def risks(quote: Quote, caps: Caps | None) -> Iterator[str]:
    """Yield what can keep a workload from running although it passes every rule.

    Where a cap is exceeded, that is why rungs are excluded, and is told once, beside the cap.
    """
    for line in quote.lines:
        if line.may_wait and line.note:
            yield f"{line.group or line.name}: {line.note}"
    if any(total.excess_amount for total in sums(quote, caps)):
        return
    for name, rungs in quote.excluded_rungs.items():
        excluded = no_purchase_option(name, (rung_quote.rung for rung_quote in rungs))
        yield f"{excluded}: {rungs[0].skip_reason}"


def cap_share_text(share: Decimal) -> str:
    """Return the used part of a cap in percent; above a limit, as a multiple of the cap."""
    return f"{format_percent(share / 100)} of" if share < _MANY_TIMES else f"{share / 100:,.1f} ×"


_FULL: Final = Decimal(100)

_MANY_TIMES: Final = 200
"""The percentage of a cap above which its multiple is shown."""


def workload_bars(quote: Quote) -> tuple[Bar, ...]:
    """Return each workload's monthly cost and the most that fallback rungs add, highest first."""
    fallback_costs = {part.group or STACK: part.per_month for part in fallbacks(quote)}
    return _bars(quote.lines, lambda line: line.group or line.name or STACK, fallback_costs)


def kind_bars(quote: Quote) -> tuple[Bar, ...]:
    """Return the monthly cost of each kind of line and of fallback rungs, highest first."""
    fallback_cost = sum((part.per_month for part in fallbacks(quote)), ZERO)
    return _bars(
        quote.lines,
        lambda line: line.kind,
        {"fallback rungs": fallback_cost} if fallback_cost else {},
    )


def _bars(
    lines: Iterable[Line], name_of: Callable[[Line], str], fallback_costs: dict[str, Decimal]
) -> tuple[Bar, ...]:
    amounts: dict[str, Decimal] = {}
    for line in lines:
        if line.per_month:
            label = name_of(line)
            amounts[label] = amounts.get(label, ZERO) + line.per_month
    labels = dict.fromkeys((*amounts, *fallback_costs))
    rows = [
        Bar(
            label=label,
            amount=amounts.get(label, ZERO),
            fallback_extra=fallback_costs.get(label, ZERO),
        )
        for label in labels
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.amount + row.fallback_extra), row.label)))


def ladders(quote: Quote) -> Iterator[LadderRow]:
    """Yield the rungs of each workload, in the order in which they are tried."""
    rungs = quote.rungs_by_group()
    for group, active_rung in quote.active_rungs.items():
        yield LadderRow(group=group, rungs=tuple(rungs.get(group, ())), active_rung=active_rung)


def quality(line: Line, quote: Quote) -> str:
    """Return the quality of a line's price, and whether it is outdated."""
    if line.status == "free":
        return "free"
    if line.rate is None:
        return "unknown"
    old = ", outdated" if line in quote.outdated else ""
    return f"{ORIGIN_LABELS[line.origin]}{old}"
