from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gpuinfra.catalog.gpus import gpu
from gpuinfra.catalog.query_subject import subject
from gpuinfra.catalog.scoring.score import (
    WEIGHTS,
    Score,
    ScoreInput,
    ScoreValue,
    best_value,
    scores,
)
from gpuinfra.catalog.scoring.score_data import inputs
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of

CLOUDS = ("one", "other", "third")
VALUES = st.decimals(min_value=1, max_value=1000, places=2)
CLOSE = Decimal("1e-20")
DAY = date(2026, 11, 21)
FP16 = "dense FP16 rate of the best machine type"


def reading(value: Decimal | None) -> ScoreValue:
    return ScoreValue(value=value, source="a test", as_of="2026")


@st.composite
def tables(draw: st.DrawFn) -> tuple[ScoreInput, ...]:
    """Inputs of which some are unknown."""
    made = []
    for index in range(draw(st.integers(0, 5))):
        readings = {cloud: reading(draw(st.none() | VALUES)) for cloud in CLOUDS}
        better = draw(st.sampled_from(("more", "less")))
        made.append(
            ScoreInput(
                criterion=draw(st.sampled_from(tuple(WEIGHTS))),
                name=str(index),
                unit="",
                direction=better,
                values=readings,
                full_points_value=best_value(readings.values(), better),
            )
        )
    return tuple(made)


WEIGHED = st.fixed_dictionaries(dict.fromkeys(WEIGHTS, st.decimals(0, 50, places=1))).filter(
    lambda weights: any(weights.values())
)


def by_cloud(every_score: tuple[Score, ...]) -> Mapping[str, Score]:
    return {score.cloud: score for score in every_score}


@given(tables(), WEIGHED, st.data())
def test_a_range_holds_every_completion_of_the_unknown(
    table: tuple[ScoreInput, ...], weights: dict[str, Decimal], data: st.DataObject
) -> None:
    """Whatever the unknown turns out to be, better than the best known too."""
    before = by_cloud(scores(table, CLOUDS, weights))
    completed = tuple(
        replace(
            row,
            values={
                cloud: known if known.value is not None else reading(data.draw(VALUES))
                for cloud, known in row.values.items()
            },
        )
        for row in table
    )
    after = by_cloud(scores(completed, CLOUDS, weights))

    for cloud in CLOUDS:
        assert before[cloud].low - CLOSE <= after[cloud].low
        assert after[cloud].high <= before[cloud].high + CLOSE
        assert 0 <= before[cloud].low <= before[cloud].high <= 100 + CLOSE


@given(tables(), WEIGHED, st.decimals(1, 9, places=1))
def test_only_the_shares_of_the_weights_count(
    table: tuple[ScoreInput, ...], weights: dict[str, Decimal], factor: Decimal
) -> None:
    scaled = {name: weight * factor for name, weight in weights.items()}
    plain, other = (by_cloud(scores(table, CLOUDS, shares)) for shares in (weights, scaled))

    for cloud in CLOUDS:
        assert abs(plain[cloud].low - other[cloud].low) < CLOSE
        assert abs(plain[cloud].high - other[cloud].high) < CLOSE


@given(tables(), st.permutations(CLOUDS))
def test_the_order_of_the_clouds_does_not_matter(
    table: tuple[ScoreInput, ...], shuffled: list[str]
) -> None:
    assert scores(table, CLOUDS) == scores(table, shuffled)


def test_the_unknown_is_a_range_and_never_zero() -> None:
    row = ScoreInput(
        criterion="cost",
        name="an hour",
        unit="$",
        direction="less",
        values={
            "one": reading(Decimal(2)),
            "other": reading(Decimal(4)),
            "third": reading(None),
        },
        full_points_value=Decimal(2),
    )
    by_name = by_cloud(scores([row], CLOUDS, {"cost": Decimal(1)}))

    assert (by_name["one"].low, by_name["one"].high) == (100, 100)
    assert (by_name["other"].low, by_name["other"].high) == (50, 50)
    assert (by_name["third"].low, by_name["third"].high) == (0, 100)


def test_a_criterion_without_inputs_is_unknown() -> None:
    by_name = by_cloud(scores([], CLOUDS))

    assert {(score.low, score.high) for score in by_name.values()} == {(0, 100)}


def test_what_the_catalog_knows_has_a_source_and_the_rest_a_reason() -> None:
    for row in inputs(PRICED_CLOUDS, "A100", DAY):
        for reading in row.values.values():
            known = reading.value is not None
            assert known is bool(reading.source)
            assert known is bool(reading.as_of)
            assert reading.note


def test_prices_of_another_currency_are_unknown_and_not_converted() -> None:
    (hourly,) = (
        row for row in inputs(PRICED_CLOUDS, "A100", DAY) if row.name == "A100, on demand"
    )

    assert hourly.values["alibaba"].value is None
    assert "CNY" in hourly.values["alibaba"].note
    assert hourly.values["aws"].value is not None


def test_a_rack_is_no_machine() -> None:
    """The 72 GPUs of an UltraServer would make every machine of the others look small."""
    (compute,) = (row for row in inputs(["aws"], "A100", DAY) if "FP16" in row.name)
    machine = subject(compute.values["aws"].note).machine

    assert machine is not None
    assert machine.gpu_count <= 16


def test_no_fabric_is_known_and_an_unknown_one_is_not_none() -> None:
    (fabric,) = (
        row for row in inputs(PRICED_CLOUDS, "A100", DAY) if row.name.startswith("fabric")
    )

    assert fabric.values["lambda"].value == 0
    assert fabric.values["alibaba"].value is None
    assert fabric.values["azure"].value is not None


def test_an_outdated_price_and_a_recalled_figure_say_so() -> None:
    readings = {row.name: row.values for row in inputs(PRICED_CLOUDS, "A100", date(2028, 1, 1))}
    committed = readings["A100, committed"]["aws"]
    compute = {cloud: reading.unverified for cloud, reading in readings[FP16].items()}

    assert (committed.as_of, committed.outdated) == ("2026-09-24", True)
    assert (compute["aws"], compute["lambda"]) == (True, False)
    assert not any(reading.outdated for reading in readings[FP16].values())


def test_a_price_is_outdated_only_from_some_day_on() -> None:
    (committed,) = (
        row for row in inputs(["aws"], "A100", date(2025, 6, 1)) if row.name == "A100, committed"
    )

    assert not committed.values["aws"].outdated


def test_performance_is_weighed_in_the_precision_of_the_guides() -> None:
    (compute,) = (row for row in inputs(["aws"], "A100", DAY) if row.unit == "TFLOPS")
    machine = subject(compute.values["aws"].note).machine
    assert machine is not None
    model = gpu(machine.gpu)

    assert model is not None
    assert compute.name == FP16
    assert compute.values["aws"].value == machine.gpu_count * model.fp16_tflops


def test_the_best_lowest_score_stands_first() -> None:
    """Who may be best of all but is known for little stands behind what is known to be good."""
    known = ScoreInput(
        criterion="cost",
        name="an hour",
        unit="$",
        direction="less",
        values={
            "one": reading(None),
            "other": reading(Decimal(4)),
            "third": reading(Decimal(2)),
        },
        full_points_value=Decimal(2),
    )

    ranked = scores([known], CLOUDS, {"cost": Decimal(1)})

    assert [score.cloud for score in ranked] == ["third", "other", "one"]
    assert ranked[2].high > ranked[1].high


@pytest.mark.parametrize(("hidden", "value"), [(0, Decimal(0)), (1, None)])
def test_none_at_all_is_known_only_where_it_is_known_of_every_machine(
    monkeypatch: pytest.MonkeyPatch, hidden: int, value: Decimal | None
) -> None:
    known = priced_cloud_of("lambda").machines
    current = [machine for machine in known.all_machines() if machine.status == "current"]
    shown = [replace(machine, fabric_interfaces=None) for machine in current[:hidden]] + current[
        hidden:
    ]
    monkeypatch.setattr(known, "all_machines", lambda: tuple(shown))

    (fabric,) = (row for row in inputs(["lambda"], "A100", DAY) if row.name.startswith("fabric"))

    assert fabric.values["lambda"].value == value
