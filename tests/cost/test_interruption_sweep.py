"""The cost of a run on spot over how often it is interrupted, against the quote's own figures."""

from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from gpuinfra.api.checking import StackCheck, check_stack
from gpuinfra.cost.interruption_sweep import SpotCurve, spot_curve
from gpuinfra.cost.run_outlook import RunOutlook

DAY = date(2026, 11, 23)
SAVES = "size: 140GB, write: 2GB/s, restart: 10m"
STACK = f"""\
version: 1
name: run
owner: me
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: p5.48xlarge
    nodes: 4
    capacity: [spot, on-demand]
    max_price: 40
    duration: 72h
    checkpoints: {{bucket: data, every: 1h, {SAVES}}}
buckets: {{data: {{size: 2TB}}}}
"""


def checked(folder: Path, text: str = STACK) -> tuple[StackCheck, RunOutlook]:
    file = folder / "stack.yaml"
    file.write_text(text)
    stack = check_stack(file, {}, DAY)
    (run,) = stack.outlooks
    return stack, run


@pytest.fixture
def run(tmp_path: Path) -> tuple[RunOutlook, SpotCurve]:
    stack, run = checked(tmp_path)
    curve = spot_curve(stack.stack, run)
    assert curve is not None
    return run, curve


def test_the_curve_passes_through_the_quoted_cost_at_the_counted_rate(
    run: tuple[RunOutlook, SpotCurve],
) -> None:
    outlook_, curve = run
    quoted = next(way.cost for way in outlook_.options if way.mode == "spot")

    assert quoted is not None
    assert curve.counted_per_day == pytest.approx(24 / outlook_.risk.hours_between)
    around = [
        (low[1], high[1])
        for low, high in pairwise(curve.points)
        if low[0] <= curve.counted_per_day <= high[0]
    ]
    assert all(low <= float(quoted.expected) <= high for low, high in around)
    assert around


def test_spot_is_cheaper_up_to_the_break_even_and_dearer_beyond(
    run: tuple[RunOutlook, SpotCurve],
) -> None:
    _, curve = run

    assert curve.break_even is not None
    assert {cost < curve.on_demand for rate, cost in curve.points if rate < curve.break_even} == {
        True
    }
    assert {cost > curve.on_demand for rate, cost in curve.points if rate > curve.break_even} == {
        True
    }
    assert [cost for _, cost in curve.points] == sorted(cost for _, cost in curve.points)


def test_there_is_no_curve_where_it_is_unknown_how_the_run_saves_itself(tmp_path: Path) -> None:
    stack, run = checked(tmp_path, STACK.replace(", restart: 10m", ""))

    assert spot_curve(stack.stack, run) is None
