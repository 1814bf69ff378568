"""The cost of machines on the inactive rungs of a ladder."""

from collections.abc import Callable, Iterable, Iterator

from gpuinfra import cost
from gpuinfra.cli.views.render import section, show_table
from gpuinfra.units import format_money, format_unit_price

FIGURES = ("quantity", "unit price", "per hour", "per run")
COLUMNS = ("workload", "rung", "line", *FIGURES, "price of", "from", "")
SPARE = ("price of", "quantity")
_SAME_REASON = "excluded for the same reason"


def active_rung(quote: cost.Quote, group: str) -> cost.RungQuote | None:
    """Return the rung that a workload's machines are on; None where the quote has none of it."""
    active = quote.active_rungs.get(group)
    rungs = (rung for rung in quote.rungs if rung.group == group)
    return next((rung for rung in rungs if rung.index == active), None)


def inactive_rungs(quote: cost.Quote) -> tuple[cost.RungQuote, ...]:
    """Return the inactive rungs in the order in which they are tried."""
    return tuple(rung for rung in quote.rungs if quote.active_rungs[rung.group] != rung.index)


def show(quote: cost.Quote, origin: Callable[[cost.Line], str]) -> None:
    """Print the machines of each inactive rung with prices; `origin` returns a price's source."""
    rungs = [rung for rung in inactive_rungs(quote) for _ in rung.machines]
    lines = [row for rung in inactive_rungs(quote) for row in _rows(rung, origin)]
    rows = [(*row, state) for row, state in zip(lines, states(quote, rungs), strict=True)]
    if rows:
        section("inactive rungs, machines only")
        show_table(COLUMNS, rows, right=FIGURES, spare=SPARE)


def states(quote: cost.Quote, rungs: Iterable[cost.RungQuote]) -> Iterator[str]:
    """Yield the state of each rung; the reason for which several in a row are excluded once."""
    previous: tuple[str, str | None] | None = None
    for rung in rungs:
        rung_states = (rung.group, rung.skip_reason)
        yield (
            _SAME_REASON if rung.skip_reason and rung_states == previous else quote.state_of(rung)
        )
        previous = rung_states


def _rows(rung: cost.RungQuote, origin: Callable[[cost.Line], str]) -> Iterator[tuple[str, ...]]:
    for line in rung.machines:
        yield (
            rung.group,
            rung.rung.label,
            f"{line.kind} {line.item}",
            "–" if line.quantity is None else f"{line.quantity:f}",
            format_unit_price(line.rate),
            format_money(line.per_hour),
            format_money(line.per_run),
            line.as_of,
            origin(line),
        )
