"""From past usage to a commitment: the model that did best, its forecast, and the level."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from gpuinfra.forecast.backtest import QUANTILES, Trial, backtest
from gpuinfra.forecast.history import History, between, following
from gpuinfra.forecast.level import Level, Rates, level, spent
from gpuinfra.forecast.models import MODELS, Demand
from gpuinfra.records import record


@record
class Month:
    """A month to come, in GPU-hours: it stays below p10 in one case of ten, below p90 in nine."""

    month: date
    p10: float
    p50: float
    p90: float


@record
class Test:
    """A level chosen without the held-out months, and what those months would have cost with it.

    `saved` is USD against all on demand, below zero where the commitment would have cost more;
    `best_gpus` is the best level for those months, in hindsight.
    """

    months: int
    gpus: float
    saved: Decimal
    best_gpus: float
    best_saved: Decimal


@record
class Advice:
    """How much to commit to.

    `months` are those of the term to come with their forecast by `model`, the best of `trials`.
    """

    model: str
    trials: tuple[Trial, ...]
    months: tuple[Month, ...]
    notes: tuple[str, ...]
    level: Level
    test: Test


def advise(history: History, rates: Rates, term: int, start: date) -> Advice:
    """Forecast the months of a term and choose the level of a commitment for them.

    Args:
        history: at least two years of usage, all of it before `start`.
        rates: USD per GPU-hour on demand and committed.
        term: months of the commitment.
        start: its first month; those between the history and it are forecast and left out.

    Raises:
        InputError: statsmodels is not installed.
    """
    trials = backtest(history)
    best = trials[0]
    gap = between(following(history.months[-1], 1), start)
    forecast = MODELS[best.name](history.gpu_hours, gap + term)
    months = forecast.months[gap:]
    return Advice(
        model=forecast.model,
        trials=trials,
        months=tuple(
            _month(following(start, ahead), demand) for ahead, demand in enumerate(months)
        ),
        notes=(*forecast.notes, *_stale(history, gap)),
        level=level(months, rates),
        test=_test(history, best, rates),
    )


def _stale(history: History, gap: int) -> Iterator[str]:
    """A word on months that passed since the history ended."""
    if gap > 0:
        yield f"the usage ends {history.months[-1]:%Y-%m}: {gap} months since are guessed too"


def _month(month: date, demand: Demand) -> Month:
    p10, p50, p90 = map(demand.quantile, QUANTILES)
    return Month(month=month, p10=p10, p50=p50, p90=p90)


def _test(history: History, best: Trial, rates: Rates) -> Test:
    kept = history.gpu_hours[-best.held_out :]
    chosen = level(best.forecast.months, rates).gpus
    hindsight = level([Demand(hours, 0.0) for hours in kept], rates).gpus
    without = spent(kept, rates, 0.0)
    return Test(
        months=best.held_out,
        gpus=chosen,
        saved=without - spent(kept, rates, chosen),
        best_gpus=hindsight,
        best_saved=without - spent(kept, rates, hindsight),
    )
