"""The cost of a plan: a quote with its lines, ladders, totals, price ages and unknowns."""

from gpuinfra.cost.estimate import estimate, plan_on_active_rungs
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import Line, Quote, RunCost, RungQuote, Total

__all__ = [
    "Line",
    "PricingTerms",
    "Quote",
    "RunCost",
    "RungQuote",
    "Total",
    "estimate",
    "plan_on_active_rungs",
]
