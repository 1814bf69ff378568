"""The cost of replaced resources until they are deleted, which the caps of a stack count."""

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from gpuinfra.cost import Quote, Total
from gpuinfra.cost.quote import Span
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import format_count

_MOST_NAMED = 5


def with_overlap(quote: Quote, overlap: Quote | None) -> Quote:
    """Return the quote at the most that exists at once; its lines and runs stay as they are.

    Pulumi creates before it deletes, so what it replaces is paid beside its replacement.
    """
    if overlap is None:
        return quote
    doubled = {
        span: quote.doubled.get(span, quote_total.ceiling)
        + overlap.doubled.get(span, overlap_total.ceiling)
        for span in get_args(Span)
        if (quote_total := getattr(quote, span)) and (overlap_total := getattr(overlap, span))
    }
    return replace(
        quote,
        per_hour=_sum(quote.per_hour, overlap.per_hour),
        per_month=_sum(quote.per_month, overlap.per_month),
        unpriced=tuple(dict.fromkeys((*quote.unpriced, *overlap.unpriced))),
        doubled={**quote.doubled, **doubled} if quote.doubled or overlap.doubled else {},
    )


def overlap_text(overlap: Quote | None) -> Iterator[str]:
    """Yield which resources count twice, and why."""
    if names := _names(overlap):
        counts = "counts" if len(names) == 1 else "count"
        yield (
            f"{_listed(names)} {counts} twice, since the update creates the replacement before it "
            "deletes the old one"
        )


def overlap_fix(overlap: Quote | None) -> str:
    """Return how an update deletes before it creates, as the start of a fix; empty for none."""
    names = _names(overlap)
    return f"set deleteBeforeReplace on {_listed(names)}, " if names else ""


def _names(overlap: Quote | None) -> list[str]:
    """Return the names of resources that cost something."""
    lines = () if overlap is None else overlap.lines
    return list(
        dict.fromkeys(
            short_name(line.subject) for line in lines if line.per_hour or line.per_month
        )
    )


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED])
    return f"{listed} and {format_count(more, 'other resource')}" if more > 0 else listed


def _sum(total: Total, other: Total) -> Total:
    return replace(
        total, ceiling=total.ceiling + other.ceiling, active=total.active + other.active
    )
