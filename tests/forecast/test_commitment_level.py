import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.forecast.commitment_level import (
    GpuHourRates,
    cost_of_past_months,
    expected_cost,
    level,
)
from gpuinfra.forecast.usage_models import Demand

DEMANDS = st.lists(
    st.builds(Demand, st.floats(0, 1e5), st.floats(0, 3e4)), min_size=1, max_size=36
)
RATES = st.builds(
    GpuHourRates,
    on_demand=st.floats(0.5, 10),
    committed=st.floats(0.1, 12),
    machine_gpus=st.sampled_from([1.0, 2.0, 8.0]),
)


@settings(max_examples=60)
@given(months=DEMANDS, rates=RATES)
def test_no_other_whole_step_costs_less(months: list[Demand], rates: GpuHourRates) -> None:
    """By trying every level up to one that no month needs."""
    best = level(months, rates)
    most = int(max(month.mean + 6 * month.sd for month in months) / 730 / rates.machine_gpus) + 3
    costs = [expected_cost(months, rates, count * rates.machine_gpus) for count in range(most)]

    assert float(best.cost) == pytest.approx(min(costs), abs=0.02, rel=1e-9)
    assert best.gpus % rates.machine_gpus == 0
    assert best.savings >= 0


def test_the_expected_cost_is_the_mean_of_a_simulation() -> None:
    months = [Demand(20_000, 4_000), Demand(30_000, 2_000)]
    rates = GpuHourRates(on_demand=4.0, committed=2.5)
    dice = random.Random(11)
    runs = 40_000
    total = 0.0
    for _ in range(runs):
        for month in months:
            needed = max(0.0, dice.gauss(month.mean, month.sd))
            total += 30 * 730 * 2.5 + max(0.0, needed - 30 * 730) * 4.0

    assert expected_cost(months, rates, 30) == pytest.approx(total / runs, rel=0.005)


def test_a_commitment_as_dear_as_on_demand_is_not_taken() -> None:
    assert level([Demand(7_300, 500)], GpuHourRates(on_demand=2.0, committed=2.0)).gpus == 0
    assert level([Demand(7_300, 500)], GpuHourRates(on_demand=2.0, committed=2.5)).gpus == 0


def test_sure_usage_is_committed_to_whole() -> None:
    best = level([Demand(7_300, 0.0)] * 12, GpuHourRates(on_demand=2.0, committed=1.0))

    assert best.gpus == pytest.approx(10)
    assert best.savings == Decimal("87600.00")


def test_idle_months_count_against_a_commitment() -> None:
    """Needed in half of the months: at 60% of the price it does not pay, at 40% it does."""
    months = [Demand(7_300, 0.0), Demand(0.0, 0.0)] * 6

    assert level(months, GpuHourRates(on_demand=1.0, committed=0.6)).gpus == 0
    assert level(months, GpuHourRates(on_demand=1.0, committed=0.4)).gpus == pytest.approx(10)


def test_past_months_cost_what_they_would_have() -> None:
    rates = GpuHourRates(on_demand=3.0, committed=1.0)

    assert cost_of_past_months([730.0, 2190.0], rates, 2.0) == Decimal("5110.00")
    assert cost_of_past_months([730.0, 2190.0], rates, 0.0) == Decimal("8760.00")
