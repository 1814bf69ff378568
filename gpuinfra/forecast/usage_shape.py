"""The distribution of a month's GPU-hours over its hours, which a monthly figure hides."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Final

Shape = tuple[tuple[float, float], ...]
"""Shares of a month's hours, each with the GPUs at work then as a multiple of the month's mean."""

EVEN: Final[Shape] = ((1.0, 1.0),)
"""As many GPUs in every hour."""

SHARES: Final = (1.0, 0.5, 0.25, 0.1)
"""Shares of the hours in which all work is done, for which advice is given where only monthly
figures are known."""

SHARE_COUNT: Final = 200
"""The number of equal shares of the hours into which measured usage is grouped."""


def burst_shape(share: float) -> Shape:
    """Return the shape with all work in a share (above 0, to 1) of the hours, evenly."""
    return ((share, 1 / share),)


def measure_shape(months: Sequence[Sequence[float]]) -> Shape:
    """Return the shape of hourly or daily usage: one sequence of GPU-hours for each month."""
    multiples = sorted(
        amount / mean
        for amounts in months
        for mean in (fmean(amounts),)
        if mean
        for amount in amounts
    )
    if not multiples:
        return EVEN
    count = min(SHARE_COUNT, len(multiples))
    month_bounds = [len(multiples) * part // count for part in range(count + 1)]
    parts = pairwise(month_bounds)
    return tuple(
        ((end - start) / len(multiples), fmean(multiples[start:end])) for start, end in parts
    )
