"""The backtest of each forecast on the last months, which were held out."""

from collections.abc import Sequence
from math import ceil
from statistics import NormalDist, fmean
from typing import Final

from gpuinfra.forecast.usage_history import MIN_MONTHS, History
from gpuinfra.forecast.usage_models import MODELS, YEAR, Demand, Forecast
from gpuinfra.records import record

QUANTILES: Final = (0.1, 0.5, 0.9)
COVERAGE: Final = 0.8
"""The share of months that belongs between p10 and p90."""


@record
class Trial:
    """The result of one forecast on the held-out months.

    `error` is the mean absolute error of its p50 as a share of the mean usage of those months,
    `loss` the mean pinball loss over p10, p50 and p90 in GPU-hours (the smaller the better), and
    `months_inside` how many of the months lay between its p10 and p90, where 80% belong. `spread`
    is the factor for its deviations with which they would have: forecasts of months to come use
    it.
    """

    name: str
    forecast: Forecast
    held_out: int
    error: float
    loss: float
    months_inside: int
    spread: float


def backtest(history: History) -> tuple[Trial, ...]:
    """Return the trials of each model on the held-out last year, the best first.

    Of a history shorter than three years the last half-year is held out.
    """
    held_out = YEAR if len(history.months) >= MIN_MONTHS + YEAR else YEAR // 2
    known_hours, held_out_hours = history.gpu_hours[:-held_out], history.gpu_hours[-held_out:]
    trials = [_trial(name, MODELS[name](known_hours, held_out), held_out_hours) for name in MODELS]
    return tuple(sorted(trials, key=lambda trial: (trial.loss, trial.name)))


def pinball(quantile: float, forecast: float, actual: float) -> float:
    """Return the loss of a quantile forecast, whose mean is lowest at the true quantile.

    https://otexts.com/fpp3/distaccuracy.html
    """
    return max(quantile * (actual - forecast), (quantile - 1) * (actual - forecast))


def _trial(name: str, forecast: Forecast, held_out_hours: Sequence[float]) -> Trial:
    pairs = list(zip(forecast.months, held_out_hours, strict=True))
    mean = fmean(held_out_hours)
    error = fmean(abs(month.quantile(0.5) - actual) for month, actual in pairs)
    return Trial(
        name=name,
        forecast=forecast,
        held_out=len(held_out_hours),
        error=error / mean if mean else float(bool(error)),
        loss=fmean(
            pinball(share, month.quantile(share), actual)
            for month, actual in pairs
            for share in QUANTILES
        ),
        months_inside=sum(
            month.quantile(0.1) <= actual <= month.quantile(0.9) for month, actual in pairs
        ),
        spread=_spread(pairs),
    )


def _spread(pairs: Sequence[tuple[Demand, float]]) -> float:
    """Return the factor for deviations with which 80% of months would be within p10 to p90.

    Split conformal prediction: the (n + 1)·0.8-th smallest of the errors in units of the
    half-width. https://arxiv.org/abs/2107.07511 section 1. 1 where a deviation is 0.
    """
    if not all(month.sd for month, _ in pairs):
        return 1.0
    half = NormalDist().inv_cdf(QUANTILES[-1])
    errors = sorted(abs(actual - month.mean) / (month.sd * half) for month, actual in pairs)
    return errors[min(len(errors), ceil((len(errors) + 1) * COVERAGE)) - 1]
