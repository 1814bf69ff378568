"""The price of a model's work on a machine, shown with the ranking by hourly price."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog import Candidate, Choice, Request
from gpuinfra.catalog.choosing.ranking import per_bandwidth, per_tflops, precision_of
from gpuinfra.catalog.choosing.selection import order_before_money
from gpuinfra.report.run_words import bound_mark
from gpuinfra.units import format_money, format_unit_price

HEADS: Final = {"tflops": "per TFLOPS", "bandwidth": "per GB/s"}
"""The columns of the figures that price work, by the words of --by."""


def work_of(request: Request) -> str:
    """Return the word of --by that prices the work of a request's model; empty without a model.

    Training computes, which dense TFLOPS bound at most. A server that generates tokens reads all
    weights for each of them, which bandwidth bounds, unless many sequences share the reading:
    https://barilon.com/blog/why-is-llm-decoding-memory-bound
    """
    if request.model is None or request.by not in {"hour", "run"}:
        return ""
    return "bandwidth" if request.model.task == "serve" else "tflops"


def column(request: Request, candidates: Sequence[Candidate]) -> dict[str, list[str]]:
    """Return the column of the work's price with its head; empty where no figure is known."""
    work = work_of(request)
    if not work:
        return {}
    figures = [_figure(work, request, candidate) for candidate in candidates]
    return {HEADS[work]: [_cell(*pair) for pair in zip(candidates, figures, strict=True)]}


def work_price_notes(request: Request) -> Iterator[str]:
    """Yield notes on what the ranking ignores for a model, and on ranking by price of work."""
    work = work_of(request)
    if request.model is not None and request.by == "tflops":
        yield (
            f"per TFLOPS is $ per hour for a dense {precision_of(request)} TFLOPS: the less, the "
            "less a training costs, whatever the number of its GPUs"
        )
    if not work:
        return
    assumption = {
        "tflops": f"for a dense {precision_of(request)} TFLOPS",
        "bandwidth": "for a GB/s of GPU memory bandwidth",
    }[work]
    unit = f"{HEADS[work]} is $ per hour {assumption}"
    yield f"The $ per hour leaves out the speed: {unit} (--by {work})"


def lowest_rate_notes(request: Request, choice: Choice) -> Iterator[str]:
    """Yield the machines of the lowest hourly cost where a model's work is ranked by."""
    winner = choice.winner
    if request.model is None or request.by not in HEADS or winner.per_hour is None:
        return
    order = order_before_money(request.purpose, winner)
    as_good = [
        candidate
        for candidate in choice.ranked
        if order_before_money(request.purpose, candidate) == order
        and candidate.currency == winner.currency
    ]
    lowest = min(as_good, key=lambda candidate: candidate.all_machines_per_hour or Decimal("inf"))
    if lowest.all_machines_per_hour != winner.all_machines_per_hour:
        rate = format_money(lowest.all_machines_per_hour, lowest.currency)
        yield (
            f"lowest rate: {lowest.machines} × {lowest.machine.type} in {lowest.region} "
            f"({lowest.machine.cloud}) at {rate} an hour (--by hour)"
        )


def _figure(work: str, request: Request, candidate: Candidate) -> Decimal | None:
    if candidate.per_hour is None:
        return None
    if work == "bandwidth":
        return per_bandwidth(candidate.machine, candidate.per_hour)
    return per_tflops(candidate.machine, candidate.per_hour, precision_of(request))


def _cell(candidate: Candidate, figure: Decimal | None) -> str:
    limit_mark = "" if figure is None else bound_mark(candidate.bounded_by)
    return f"{limit_mark}{format_unit_price(figure, candidate.currency)}"
