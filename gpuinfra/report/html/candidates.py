"""The machines that a workload could use: their chart, and those of it that do not fit."""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from gpuinfra.catalog import Candidate
from gpuinfra.report.html import figures
from gpuinfra.report.html.content import WorkloadCandidates


def chart(name: str, choice: WorkloadCandidates) -> figures.Chart | None:
    """Return the chart of candidates; None if no price per TFLOPS or no memory is known."""
    points = [
        figures.Point(
            memory=float(memory),
            price=float(price),
            rank=0 if candidate.machine.type == choice.machine else rank,
        )
        for rank, machines in ((2, choice.others), (1, choice.fitting))
        for candidate, memory, price in _drawn(machines)
    ]
    title = f"Candidates for {choice.group}: price of a TFLOPS against memory"
    return figures.scatter(name, title, points, choice.machine) if points else None


def unfit(choice: WorkloadCandidates) -> tuple[Candidate, ...]:
    """Return the machines of the chart that do not fit, by memory and then by price."""
    ordered = sorted(_drawn(choice.others), key=lambda drawn: drawn[1:])
    return tuple(candidate for candidate, *_ in ordered)


def _drawn(machines: Iterable[Candidate]) -> Iterator[tuple[Candidate, Decimal, Decimal]]:
    """Yield machines with their memory and their price per TFLOPS, where a chart can have them."""
    for candidate in machines:
        memory, price = candidate.machine.gpu_memory_nominal_gb, candidate.figure
        if memory and price is not None and candidate.currency == "USD":
            yield candidate, memory, price
