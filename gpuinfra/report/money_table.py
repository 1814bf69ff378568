"""The totals of a quote beside their caps, as a Markdown table."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.cost import Quote
from gpuinfra.model import Caps
from gpuinfra.report import markup, summary
from gpuinfra.units import format_money

PLANNED: Final = "as planned"


def write(quote: Quote, caps: Caps | None, *, is_partial: bool = False) -> str:
    """Return the table; columns without a difference to show are omitted.

    These are the caps where none is set, and the cost on the active rungs, "as planned", where it
    is the maximum. `is_partial` says that only a part of the stack is in the quote.
    """
    rows = list(_rows(quote, caps or Caps(), "at least " if quote.unpriced or is_partial else ""))
    omitted = {
        *(() if any(row["cap"] for row in rows) else ("cap",)),
        *(() if _is_planned_shown(quote) else (PLANNED,)),
    }
    columns = [name for name in rows[0] if name not in omitted]
    cells = ([row[name] or "–" if name else row[name] for name in columns] for row in rows)
    return markup.table(columns, cells, columns[1:])


def _rows(quote: Quote, caps: Caps, limit_text: str) -> Iterator[dict[str, str]]:
    """Yield the cells of each total by column; the cells without a value are empty."""
    spans = (
        ("per hour", quote.per_hour, caps.per_hour),
        ("per month", quote.per_month, caps.per_month),
        (f"per run: {quote.run_cost_kinds}", quote.per_run, caps.per_run),
    )
    for span, total, cap in spans:
        if total is not None:
            yield {
                "": span,
                "maximum": f"{limit_text}{format_money(total.ceiling)}",
                "cap": "" if cap is None else format_money(cap),
                PLANNED: f"{limit_text}{format_money(total.active)}",
                summary.expected_name(quote): summary.expected_cost_text(total),
            }


def _is_planned_shown(quote: Quote) -> bool:
    """Return whether the cost on active rungs is known and differs from the maximum."""
    totals = filter(None, (quote.per_hour, quote.per_month, quote.per_run))
    return not quote.excluded_rungs and any(
        format_money(total.ceiling) != format_money(total.active) for total in totals
    )
