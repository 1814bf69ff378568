"""The closed forms of a run under interruption, against a simulation written apart."""

import math
import random
from bisect import bisect_left, bisect_right
from statistics import mean, stdev

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.cost.interruptions import (
    HOPELESS,
    CheckpointTimes,
    break_even,
    daly,
    hours,
    longest,
    monthly_share,
    per_hour,
    uninterrupted_hours,
    young,
)

RUNS = 3000


def simulate(work: float, saving: CheckpointTimes, rate: float, seed: int) -> list[float]:
    """The hours of runs that are played through, event by event, in ascending order."""
    chance = random.Random(seed)
    taken = []
    for _ in range(RUNS):
        clock, done = 0.0, 0.0
        strike = chance.expovariate(rate)
        while work - done > 1e-9 * work:
            piece = min(saving.interval_hours, work - done)
            if clock + piece + saving.write_hours <= strike:
                clock += piece + saving.write_hours
                done += piece
                continue
            clock, strike = strike, strike + chance.expovariate(rate)
            while clock + saving.restart_hours > strike:
                clock, strike = strike, strike + chance.expovariate(rate)
            clock += saving.restart_hours
        taken.append(clock)
    return sorted(taken)


def is_quantile(taken: list[float], value: float, share: float, grain: float) -> bool:
    """Whether a value splits played runs at a share, within 3% of them (five standard errors).

    Also where many runs take exactly as long, or none takes about so long: `grain` is how far
    beside it may stand.
    """
    below = bisect_left(taken, value - grain) / len(taken)
    up_to = bisect_right(taken, value + grain) / len(taken)
    return below <= share + 0.03 and up_to >= share - 0.03


def saving(every: float, write: float = 0.05, restart: float = 0.2) -> CheckpointTimes:
    return CheckpointTimes(interval_hours=every, write_hours=write, restart_hours=restart)


GRID = [
    (work, saving(every, write, restart), rate)
    for work, every, write, restart, rate in [
        (72, 1 / 6, 0.02, 1 / 6, 5.8e-4),
        (72, 1, 0.1, 0.2, 0.003),
        (72, 1, 0.1, 0.2, 0.1),
        (72, 10, 0.5, 0.5, 0.05),
        (72, 7, 0.5, 0, 0.05),
        (500, 2, 0.1, 0.25, 0.02),
        (10, 10, 0, 0.5, 0.1),
        (10, 100, 0, 0.5, 0.02),
        (100, 0.5, 0.05, 4, 0.05),
        (24, 3, 0.2, 0.1, 1),
        (24.5, 3, 0.2, 2, 0.2),
    ]
]


def check(work: float, held: CheckpointTimes, rate: float, seed: int) -> None:
    estimate = hours(work, held, rate)
    taken = simulate(work, held, rate, seed)
    grain = (min(held.interval_hours, work) + held.write_hours + held.restart_hours) / 50
    error = stdev(taken) / math.sqrt(RUNS)

    assert abs(estimate.expected - mean(taken)) <= 5 * error + 1e-6
    assert is_quantile(taken, estimate.p10, 0.1, grain)
    assert is_quantile(taken, estimate.p90, 0.9, grain)


@pytest.mark.parametrize(("work", "held", "rate"), GRID)
def test_mean_and_quantiles_are_those_of_the_simulation(work, held, rate):
    check(work, held, rate, seed=7)


@settings(max_examples=15, deadline=None)
@given(
    work=st.floats(1, 200),
    every=st.floats(0.2, 20),
    write=st.floats(0, 0.3),
    restart=st.floats(0, 1),
    often=st.floats(0.05, 1.5),
    seed=st.integers(0, 2**16),
)
def test_the_same_over_what_hypothesis_finds(work, every, write, restart, often, seed):
    held = saving(every, write, restart)
    check(work, held, often / (min(every, work) + write + restart) / 2, seed)


@settings(max_examples=50, deadline=None)
@given(
    work=st.floats(1, 500),
    every=st.floats(0.1, 24),
    rate=st.floats(1e-6, 0.2),
    more=st.floats(1, 3),
)
@example(work=18, every=18, rate=0.1875, more=3)
def test_p10_mean_p90_are_in_order_and_grow_with_the_rate(work, every, rate, more):
    held = saving(every)
    most = HOPELESS / (more * 1.01 * (min(work, every) + held.write_hours + held.restart_hours))
    rate = min(rate, most)
    usual, worse = hours(work, held, rate), hours(work, held, rate * more)

    assert uninterrupted_hours(work, held) <= usual.p10 <= usual.p90
    assert usual.p10 <= usual.expected * (1 + 1e-9)
    assert worse.expected >= usual.expected * (1 - 1e-9)
    assert worse.p90 >= usual.p90 - 1e-6 * usual.p90


def test_daly_as_his_paper_has_it():
    """Figures 3 to 5 of the paper: 5 minutes to write; 24 h, 6 h and 15 min between failures."""
    assert round(daly(5, 24 * 60)) == 117
    assert round(daly(5, 6 * 60)) == 57
    assert round(daly(5, 15), 1) == 9.1
    assert daly(31, 15) == 15


@pytest.mark.parametrize("rate", [0.0005, 0.01, 0.1])
def test_daly_is_the_cheapest_interval_and_young_is_near(rate):
    best = daly(0.05, 1 / rate)
    around = [
        hours(5000 * best, saving(best * factor), rate).expected
        for factor in (0.7, 0.9, 1.0, 1.1, 1.4)
    ]

    assert min(around) == pytest.approx(around[2], rel=5e-4)
    assert around[0] > around[2] < around[4]
    assert young(0.05, 1 / rate) == pytest.approx(best, rel=0.2)


def test_a_run_that_nothing_interrupts_takes_its_work_and_its_writing():
    estimate = hours(72, saving(10 / 60, 0.02), 0)

    assert uninterrupted_hours(72, saving(10 / 60, 0.02)) == pytest.approx(72 + 432 * 0.02)
    assert estimate.expected == estimate.p10 == estimate.p90
    assert estimate.interruptions == 0


def test_a_run_that_never_gets_to_its_checkpoint_has_no_length():
    assert hours(1000, saving(500), 0.1) is None
    assert hours(1000, saving(1), 0.1) is not None


def test_most_runs_without_interruption_are_exactly_as_long_as_undisturbed():
    estimate = hours(10, saving(1), 0.001)

    assert estimate.p10 == estimate.p90 == uninterrupted_hours(10, saving(1))
    assert estimate.expected > estimate.p90


@given(share=st.floats(0.0001, 0.9), machines=st.integers(1, 500))
def test_a_months_share_and_a_rate_are_each_others_inverse(share, machines):
    assert monthly_share(per_hour(share, machines), machines) == pytest.approx(share)


def test_interruptions_are_counted_over_all_hours_that_the_run_takes():
    estimate = hours(72, saving(1, 0.5, 0.5), 0.05)

    assert estimate.expected > uninterrupted_hours(72, saving(1, 0.5, 0.5)) > 72
    assert estimate.interruptions == pytest.approx(0.05 * estimate.expected)


def test_more_machines_are_interrupted_more_often():
    assert per_hour(0.1, 4) == pytest.approx(4 * per_hour(0.1, 1))
    assert math.exp(-per_hour(0.1, 1) * 730) == pytest.approx(0.9)


class TestBreakEven:
    def test_at_the_break_even_rate_both_cost_the_same(self):
        held = saving(1)
        rate = break_even(72, held, 1.38)

        assert hours(72, held, rate).expected == pytest.approx(
            1.38 * uninterrupted_hours(72, held)
        )

    def test_what_is_not_cheaper_never_pays(self):
        assert break_even(72, saving(1), 1) is None

    def test_without_checkpoints_a_long_run_costs_more(self):
        limit = longest(0.01, 1.4, restart=0.2)
        held = saving(limit, 0, 0.2)

        assert hours(limit, held, 0.01).expected == pytest.approx(1.4 * limit, rel=1e-6)

    def test_rare_interruptions_never_cost_more(self):
        assert longest(1e-9, 1.4) is None
        assert longest(0.01, 1) is None


def test_undisturbed_hours_end_with_a_checkpoint() -> None:
    assert uninterrupted_hours(
        2.5, CheckpointTimes(interval_hours=1, write_hours=0.1, restart_hours=0)
    ) == pytest.approx(2.8)
