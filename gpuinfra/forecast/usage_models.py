"""Two forecasts of monthly usage: ARIMA(1,1,1) as in the guides, and a seasonal baseline."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist, fmean, stdev
from typing import Final

from gpuinfra.errors import InputError
from gpuinfra.records import record

YEAR: Final = 12
_STANDARD: Final = NormalDist()


@record(kw_only=False)
class Demand:
    """The GPU-hours of one month: normal with `mean` and deviation `sd`, and never below zero."""

    mean: float
    sd: float

    def quantile(self, share: float) -> float:
        """Return the GPU-hours that the month stays below with a probability of `share`."""
        return max(0.0, self.mean + self.sd * _STANDARD.inv_cdf(share))

    def probability_above(self, hours: float) -> float:
        """Return the probability that the month needs more GPU-hours than this, 0 or more."""
        if not self.sd:
            return float(self.mean > hours)
        return 1 - _STANDARD.cdf((hours - self.mean) / self.sd)

    def expected_excess(self, hours: float) -> float:
        """Return the expected GPU-hours above this number, which is 0 or more.

        The loss function of the normal distribution, with z the deviations that `hours` lies
        above the mean: sd * pdf(z) + (mean - hours) * (1 - cdf(z)).
        https://en.wikipedia.org/wiki/Newsvendor_model
        """
        if not self.sd:
            return max(0.0, self.mean - hours)
        z = (hours - self.mean) / self.sd
        return self.sd * _STANDARD.pdf(z) + (self.mean - hours) * (1 - _STANDARD.cdf(z))


@record(kw_only=False)
class Forecast:
    """The future months by one model; `notes` are its warnings."""

    model: str
    months: tuple[Demand, ...]
    notes: tuple[str, ...] = ()


def arima(hours: Sequence[float], months: int) -> Forecast:
    """Return the forecast of ARIMA(1,1,1), fitted by statsmodels (the extra `forecast`).

    Raises:
        InputError: statsmodels is not installed.
    """
    try:
        from statsmodels.tsa.arima.model import ARIMA  # noqa: PLC0415  (a second to import)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "statsmodels":
            raise
        raise InputError.of(
            "a forecast needs the Python package statsmodels, which is not installed",
            fix="pip install 'gpuinfra[forecast]'",
        ) from None
    if len(set(hours)) == 1:
        return Forecast(
            "ARIMA(1,1,1)", (Demand(hours[0], 0.0),) * months, ("usage never changed",)
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prediction = ARIMA(list(hours), order=(1, 1, 1)).fit().get_forecast(months)
    means, sds = prediction.predicted_mean.tolist(), prediction.se_mean.tolist()
    notes = dict.fromkeys(str(warning.message).partition("\n")[0] for warning in caught)
    demands = tuple(Demand(mean, sd) for mean, sd in zip(means, sds, strict=True))
    return Forecast("ARIMA(1,1,1)", demands, tuple(notes))


def seasonal(hours: Sequence[float], months: int) -> Forecast:
    """Return the same month of the last year, shifted by the mean change from year to year.

    The seasonal naive method with drift. Its deviation is that of the changes from one year to
    the next, times the root of the years ahead: https://otexts.com/fpp3/prediction-intervals.html
    """
    changes = [
        hours_this_year - hours_last_year
        for hours_this_year, hours_last_year in zip(hours[YEAR:], hours, strict=False)
    ]
    drift, sd = fmean(changes), stdev(changes)
    return Forecast(
        "same month last year",
        tuple(
            Demand(hours[-YEAR + ahead % YEAR] + drift * years, sd * math.sqrt(years))
            for ahead in range(months)
            for years in (ahead // YEAR + 1,)
        ),
    )


MODELS: Final[Mapping[str, Callable[[Sequence[float], int], Forecast]]] = {
    "arima": arima,
    "seasonal": seasonal,
}
"""By the name that the command line knows."""
