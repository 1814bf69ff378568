import math
import random
import subprocess
import sys
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.forecast.usage_models import Demand, arima, seasonal

SEASON = [1000 + 300 * math.sin(month / 12 * 2 * math.pi) for month in range(36)]
NOT_NEGATIVE = st.floats(0, 1e6, allow_nan=False)


def test_a_pure_season_comes_again_exactly() -> None:
    forecast = seasonal(SEASON, 24)

    assert [month.mean for month in forecast.months] == pytest.approx(SEASON[-24:])
    assert max(month.sd for month in forecast.months) < 1e-6


def test_growth_from_year_to_year_goes_on_and_the_second_year_is_less_sure() -> None:
    noise = random.Random(7)
    grown = [value + 10 * month + noise.gauss(0, 20) for month, value in enumerate(SEASON)]
    forecast = seasonal(grown, 24)

    assert fmean(month.mean for month in forecast.months[:12]) == pytest.approx(
        fmean(grown[-12:]) + 120, rel=0.02
    )
    assert forecast.months[12].sd == pytest.approx(forecast.months[0].sd * math.sqrt(2))


def test_arima_is_that_of_statsmodels_by_order_1_1_1() -> None:
    from statsmodels.tsa.arima.model import ARIMA

    noise = random.Random(3)
    hours = [1000.0]
    for _ in range(47):
        hours.append(hours[-1] + 0.5 * noise.gauss(0, 50) + noise.gauss(0, 20))
    own = arima(hours, 12)
    theirs = ARIMA(hours, order=(1, 1, 1)).fit().get_forecast(12)
    other = ARIMA(hours, order=(1, 1, 0)).fit().get_forecast(12)

    assert [month.mean for month in own.months] == pytest.approx(list(theirs.predicted_mean))
    assert [month.sd for month in own.months] == pytest.approx(list(theirs.se_mean))
    assert [month.mean for month in own.months] != pytest.approx(list(other.predicted_mean))
    assert own.months[11].sd > 2 * own.months[0].sd


def test_usage_that_never_moves_is_sure() -> None:
    assert arima([500.0] * 24, 3).months == (Demand(500.0, 0.0),) * 3
    assert seasonal([500.0] * 24, 3).months == (Demand(500.0, 0.0),) * 3


def test_without_statsmodels_the_way_out_is_told() -> None:
    code = (
        "import sys; sys.modules['statsmodels'] = None\n"
        "from gpuinfra.forecast.usage_models import arima\n"
        "from gpuinfra.errors import InputError\n"
        "try: arima([1.0, 2.0] * 12, 3)\n"
        "except InputError as error: print(error.problems[0].fix)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "pip install 'gpuinfra[forecast]'"


@given(mean=NOT_NEGATIVE, sd=NOT_NEGATIVE, hours=NOT_NEGATIVE)
def test_the_expected_excess_is_the_area_above(mean: float, sd: float, hours: float) -> None:
    """By another way: the mean of excesses over the quantiles."""
    demand = Demand(mean, sd)
    shares = [(index + 0.5) / 4000 for index in range(4000)]
    area = fmean(max(0.0, demand.quantile(share) - hours) for share in shares)

    assert demand.expected_excess(hours) == pytest.approx(area, abs=(sd + 1) * 0.003)


@given(mean=NOT_NEGATIVE, sd=st.floats(1e-3, 1e6), share=st.floats(0.01, 0.99))
def test_a_quantile_is_passed_as_often_as_it_says(mean: float, sd: float, share: float) -> None:
    demand = Demand(mean, sd)
    hours = demand.quantile(share)

    assert hours >= 0
    if hours > 0:
        assert demand.probability_above(hours) == pytest.approx(1 - share, abs=1e-6)
