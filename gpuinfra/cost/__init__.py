"""What a plan costs: a quote with its lines, ladders, totals, ages and unknowns."""

from gpuinfra.cost.compare import Change, Comparison, Quoted, Shift, compare
from gpuinfra.cost.estimate import estimate, standing
from gpuinfra.cost.quote import Line, Quote, Run, RungQuote, Total
from gpuinfra.cost.terms import Terms

__all__ = [
    "Change",
    "Comparison",
    "Line",
    "Quote",
    "Quoted",
    "Run",
    "RungQuote",
    "Shift",
    "Terms",
    "Total",
    "compare",
    "estimate",
    "standing",
]
