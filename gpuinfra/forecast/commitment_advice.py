"""The commitment advice from past usage: the best model, its forecast, and the level."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from statistics import fmean

from gpuinfra.errors import InputError
from gpuinfra.forecast.backtest import QUANTILES, Trial, backtest
from gpuinfra.forecast.commitment_level import (
    GpuHourRates,
    Level,
    cost_of_past_months,
    level,
    level_at,
)
from gpuinfra.forecast.usage_history import History, following, months_between
from gpuinfra.forecast.usage_models import MODELS, Demand
from gpuinfra.forecast.usage_shape import EVEN, SHARES, Shape, burst_shape
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH, format_count


@record
class Month:
    """A future month in GPU-hours: below p10 in one case of ten, below p90 in nine of ten."""

    month: date
    p10: float
    p50: float
    p90: float


@record
class HeldOutTest:
    """A level chosen without the held-out months, and the cost of those months with it.

    `saved` is USD against all on demand, below zero where the commitment would have cost more;
    `best_gpus` is the best level for those months, in hindsight.
    """

    months: int
    gpus: float
    saved: Decimal
    best_gpus: float
    best_saved: Decimal


@record
class UsagePatternAdvice:
    """The advice if all work is done in a `share` of the hours, with more GPUs at once.

    `even_usage_savings` is what the level for even usage would save (below zero: cost more) then.
    """

    share: float
    gpus_at_once: float
    level: Level
    even_usage_savings: Decimal


@record
class CommitmentAdvice:
    """The recommended commitment.

    `months` are those of the term to come with their forecast by `model`, the best of `trials`.
    `level` is for the shape of the usage; where that is not known, the level that costs no more
    than all on demand by any of `shapes`, and saves the most by the worst of them.
    """

    model: str
    trials: tuple[Trial, ...]
    months: tuple[Month, ...]
    notes: tuple[str, ...]
    level: Level
    test: HeldOutTest
    shapes: tuple[UsagePatternAdvice, ...] = ()


def advise(
    history: History, rates: GpuHourRates, term: int, start: date, peak: float | None = None
) -> CommitmentAdvice:
    """Forecast the months of a term and choose the level of a commitment for them.

    Args:
        history: at least two years of usage, all of it before `start`.
        rates: USD per GPU-hour on demand and committed.
        term: months of the commitment.
        start: its first month; those between the history and it are forecast and left out.
        peak: GPUs at work at once: with a history of months, all work is done at that level.

    Raises:
        InputError: statsmodels is not installed, or the peak is below the mean usage.
    """
    trials = backtest(history)
    best = trials[0]
    gap = months_between(following(history.months[-1], 1), start)
    forecast = MODELS[best.name](history.gpu_hours, gap + term)
    months = tuple(Demand(month.mean, month.sd * best.spread) for month in forecast.months[gap:])
    shape = history.shape or _peak_shape(history, peak)
    shapes = () if shape else tuple(_shapes(months, rates))
    return CommitmentAdvice(
        model=forecast.model,
        trials=trials,
        months=tuple(
            _month(following(start, ahead), demand) for ahead, demand in enumerate(months)
        ),
        notes=(*forecast.notes, *_stale(history, gap)),
        level=level(months, rates, shape) if shape else _safest_level(months, rates, shapes),
        test=_test(history, best, rates, shape or EVEN),
        shapes=shapes,
    )


def _peak_shape(history: History, peak: float | None) -> Shape | None:
    """Return the shape of usage for a peak number of GPUs; None where the peak is unknown.

    Raises:
        InputError: fewer GPUs than the mean usage needs.
    """
    if peak is None:
        return None
    mean = fmean(history.gpu_hours) / float(HOURS_PER_MONTH)
    if peak < mean:
        raise InputError.of(
            "the peak is below the mean usage",
            value=f"{peak:g}",
            allowed=f"at least {mean:.1f} GPUs",
            fix="state the maximum number of GPUs in use at once",
        )
    return burst_shape(mean / peak) if mean else EVEN


def _shapes(months: Sequence[Demand], rates: GpuHourRates) -> Iterator[UsagePatternAdvice]:
    """Yield the advice for each shape that monthly usage may have."""
    mean = fmean(month.mean for month in months) / float(HOURS_PER_MONTH)
    even = level(months, rates).gpus
    for share in SHARES:
        yield UsagePatternAdvice(
            share=share,
            gpus_at_once=mean / share,
            level=level(months, rates, burst_shape(share)),
            even_usage_savings=level_at(months, rates, even, burst_shape(share)).savings,
        )


def _safest_level(
    months: Sequence[Demand], rates: GpuHourRates, shapes: Sequence[UsagePatternAdvice]
) -> Level:
    """Return the level with the highest savings under the worst shape; zero rather than a loss."""
    worst = burst_shape(min(shape.share for shape in shapes))
    levels = {0.0, *(shape.level.gpus for shape in shapes)}
    candidates = (level_at(months, rates, gpus, worst) for gpus in levels)
    return max(candidates, key=lambda level: (level.savings, -level.gpus))


def _stale(history: History, gap: int) -> Iterator[str]:
    """Yield a note on the months since the history ended."""
    if gap > 0:
        since = format_count(gap, "month since is", "months since are")
        yield f"the usage ends {history.months[-1]:%Y-%m}: {since} estimated too"


def _month(month: date, demand: Demand) -> Month:
    p10, p50, p90 = map(demand.quantile, QUANTILES)
    return Month(month=month, p10=p10, p50=p50, p90=p90)


def _test(history: History, best_trial: Trial, rates: GpuHourRates, shape: Shape) -> HeldOutTest:
    held_out_hours = history.gpu_hours[-best_trial.held_out :]
    commitment_gpus = level(best_trial.forecast.months, rates, shape).gpus
    hindsight = level([Demand(hours, 0.0) for hours in held_out_hours], rates, shape).gpus
    uncommitted_cost = cost_of_past_months(held_out_hours, rates, 0.0)
    return HeldOutTest(
        months=best_trial.held_out,
        gpus=commitment_gpus,
        saved=uncommitted_cost
        - cost_of_past_months(held_out_hours, rates, commitment_gpus, shape),
        best_gpus=hindsight,
        best_saved=uncommitted_cost - cost_of_past_months(held_out_hours, rates, hindsight, shape),
    )
