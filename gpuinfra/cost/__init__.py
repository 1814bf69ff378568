"""What a plan costs: a quote with its lines, ladders, totals, ages and unknowns."""

from gpuinfra.cost.estimate import estimate, standing
from gpuinfra.cost.quote import Line, Quote, Run, RungQuote, Total

__all__ = ["Line", "Quote", "Run", "RungQuote", "Total", "estimate", "standing"]
