import math
import random
from dataclasses import replace
from datetime import date

import pytest

from gpuinfra.forecast.backtest import backtest, pinball
from gpuinfra.forecast.commitment_advice import advise
from gpuinfra.forecast.commitment_level import GpuHourRates, cost_of_past_months, level
from gpuinfra.forecast.usage_history import History, following
from gpuinfra.forecast.usage_models import Demand, seasonal

NEXT = date(2026, 1, 1)
"""The month after the history."""

RATES = GpuHourRates(on_demand=4.0, committed=2.4, machine_gpus=8.0)


def history(hours: list[float]) -> History:
    return History(
        tuple(following(date(2023, 1, 1), index) for index in range(len(hours))), tuple(hours)
    )


def season(noise: float = 200, length: int = 36) -> list[float]:
    dice = random.Random(5)
    return [
        20_000 + 5_000 * math.sin(month / 12 * 2 * math.pi) + dice.gauss(0, noise)
        for month in range(length)
    ]


def leap() -> list[float]:
    """Usage that doubled half a year ago and knows no season."""
    dice = random.Random(2)
    return [(20_000 if month < 18 else 40_000) + dice.gauss(0, 500) for month in range(36)]


def test_the_seasonal_baseline_wins_where_there_is_a_season() -> None:
    assert [trial.name for trial in backtest(history(season()))] == ["seasonal", "arima"]


def test_arima_wins_where_there_is_none() -> None:
    assert backtest(history(leap()))[0].name == "arima"


def test_held_out_months_are_not_seen() -> None:
    """Changing them changes the error and never the forecast."""
    hours = season()
    other = [*hours[:24], *(2 * hour for hour in hours[24:])]
    (mine,) = [trial for trial in backtest(history(hours)) if trial.name == "seasonal"]
    (theirs,) = [trial for trial in backtest(history(other)) if trial.name == "seasonal"]

    assert mine.forecast == theirs.forecast
    assert (mine.held_out, theirs.error > mine.error) == (12, True)


def test_a_short_history_holds_out_half_a_year() -> None:
    assert {trial.held_out for trial in backtest(history(season(length=30)))} == {6}


def test_the_pinball_loss_is_least_at_the_quantile() -> None:
    actuals = list(range(100))
    losses = {
        guess: sum(pinball(0.9, guess, actual) for actual in actuals) for guess in range(100)
    }

    assert min(losses, key=losses.__getitem__) in {89, 90}


def test_the_advice_is_the_level_of_the_best_models_forecast() -> None:
    hours = season()
    advice = advise(history(hours), RATES, 12, NEXT)
    months = seasonal(hours, 12).months

    spread = advice.trials[0].spread
    wider = [Demand(month.mean, month.sd * spread) for month in months]
    assert advice.shapes[0].level == level(wider, RATES)
    assert advice.level.gpus == 0
    assert advice.months[0].month == date(2026, 1, 1)
    assert [month.p50 for month in advice.months] == pytest.approx(
        [month.mean for month in months]
    )
    assert all(month.p10 < month.p50 < month.p90 for month in advice.months)


def test_known_hours_are_committed_to_by_their_shape() -> None:
    """Half of the hours at twice the mean: the critical share of 0.6 is in no hour."""
    hours = season(noise=1)
    half = replace(history(hours), shape=((0.5, 2.0), (0.5, 0.0)))
    most = replace(history(hours), shape=((0.8, 1.25), (0.2, 0.0)))

    assert advise(half, RATES, 12, NEXT).level.gpus == 0
    assert advise(most, RATES, 12, NEXT).level.gpus > 0


def test_four_of_five_held_out_months_lie_in_the_calibrated_range() -> None:
    for hours in (season(noise=2_000), leap(), season(noise=50)):
        for trial in backtest(history(hours)):
            months = [
                Demand(month.mean, month.sd * trial.spread) for month in trial.forecast.months
            ]
            kept = zip(months, hours[-trial.held_out :], strict=True)
            inside = sum(
                month.quantile(0.1) - 1e-6 <= usage <= month.quantile(0.9) + 1e-6
                for month, usage in kept
            )

            assert inside >= 0.8 * trial.held_out


def test_what_it_would_have_saved_is_counted_on_unseen_months() -> None:
    hours = season()
    unseen = advise(history(hours), RATES, 12, NEXT).test
    kept, known = hours[24:], hours[:24]
    gpus = level(seasonal(known, 12).months, RATES).gpus

    assert unseen.gpus == gpus
    on_demand = cost_of_past_months(kept, RATES, 0.0)
    assert unseen.saved == on_demand - cost_of_past_months(kept, RATES, gpus)
    assert unseen.best_gpus == level([Demand(usage, 0.0) for usage in kept], RATES).gpus
    assert unseen.best_saved >= unseen.saved


def test_a_commitment_that_turned_out_wrong_says_so() -> None:
    """Usage that stops when the held-out months begin."""
    hours = [20_000.0 + 50 * math.sin(month) for month in range(24)] + [0.0] * 12

    assert advise(history(hours), RATES, 12, NEXT).test.saved < 0


def test_months_between_the_history_and_the_term_are_forecast_and_left_out() -> None:
    hours = season()
    late = advise(history(hours), RATES, 12, date(2026, 11, 1))

    assert [month.month for month in late.months][::11] == [date(2026, 11, 1), date(2027, 10, 1)]
    assert late.months[0].p50 == pytest.approx(seasonal(hours, 12).months[10].mean)
    assert late.notes == ("the usage ends 2025-12: 10 months since are estimated too",)
