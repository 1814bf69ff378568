import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gpuinfra.forecast.usage_history import following
from tests.cli.conftest import STACKS, Run

DAY = ("--as-of", "2026-11-21")


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    path = tmp_path / "usage.csv"
    months = (following(date(2023, 11, 1), index) for index in range(36))
    hours = (18_000 + 3_000 * math.sin(index / 12 * 2 * math.pi) for index in range(36))
    rows = (f"{month:%Y-%m},{value:.0f}" for month, value in zip(months, hours, strict=True))
    path.write_text("\n".join(["month,gpu_hours", *rows]))
    return path


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """Return the stack of training where every kind of commitment has a price."""
    text = (STACKS / "training/stack.yaml").read_text("utf-8")
    path = tmp_path / "stack.yaml"
    path.write_text(text.replace("us-east-2", "us-east-1"), encoding="utf-8")
    return path


def test_each_workload_has_its_commitments_with_break_even(gpuinfra: Run, training: Path) -> None:
    ran = gpuinfra("commitments", training, *DAY)

    assert ran.code == 0
    assert "chat: one g6.xlarge in us-east-1" in ran.out
    assert "5,703 h (65%)" in ran.out
    assert "0.42 × on demand for 3 years is $0.338 an hour" in ran.out


def test_a_commitment_above_the_list_price_is_said_to_be_out_of_date(
    gpuinfra: Run, training: Path
) -> None:
    ran = gpuinfra("commitments", training, *DAY, "--workload", "trainer")

    assert "never" in ran.out
    assert "reserved-1y costs more than the same hours on demand of 2026-07-20" in ran.out
    assert "chat" not in ran.out


def test_usage_sizes_a_commitment(gpuinfra: Run, usage: Path) -> None:
    arguments = ("commitments", STACKS / "training", *DAY, "--usage", usage, "--workload", "chat")
    arguments = (*arguments, "--peak", "30")
    ran = gpuinfra(*arguments, "--mode", "reserved-1y")
    sized = json.loads(gpuinfra(*arguments, "--mode", "reserved-1y", "--json").out)["sized"]

    assert ran.code == 0
    assert "same month last year (taken)" in ran.out
    assert f"commit to {sized['advice']['level']['gpus']:g} GPUs" in ran.out
    assert "tested on the last 12 months: 26 GPUs would have saved" in ran.out
    assert [month["month"] for month in sized["advice"]["months"]][:2] == [
        "2026-11-01",
        "2026-12-01",
    ]
    assert len(sized["advice"]["months"]) == 12


@pytest.fixture
def bursts(tmp_path: Path) -> dict[str, Path]:
    """Usage of 64 GPUs in the first eight days of each month, by hour, day and month."""
    amounts: dict[str, dict[str, int]] = {"month": {}, "day": {}, "hour": {}}
    forms = {"month": "%Y-%m", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H"}
    moment = datetime(2023, 11, 1, tzinfo=UTC)
    while moment < datetime(2026, 11, 1, tzinfo=UTC):
        for unit, form in forms.items():
            time = moment.strftime(form)
            gpus = 64 if moment.day <= 8 else 0
            amounts[unit][time] = amounts[unit].get(time, 0) + gpus
        moment += timedelta(hours=1)
    for unit, rows in amounts.items():
        lines = (f"{time},{amount}" for time, amount in rows.items())
        (tmp_path / f"{unit}.csv").write_text("\n".join([f"{unit},gpu_hours", *lines]))
    return {unit: tmp_path / f"{unit}.csv" for unit in amounts}


@pytest.mark.parametrize(
    ("unit", "more"), [("hour", ()), ("day", ()), ("month", ()), ("month", ("--peak", "64"))]
)
def test_a_burst_is_never_advised_into_a_loss(
    gpuinfra: Run, bursts: dict[str, Path], unit: str, more: tuple[str, ...]
) -> None:
    arguments = ("commitments", STACKS / "training", *DAY, "--workload", "chat")
    ran = gpuinfra(*arguments, "--usage", bursts[unit], *more, "--json")
    advice = json.loads(ran.out)["sized"]["advice"]

    assert ran.code == 0
    assert advice["level"]["gpus"] == 0
    assert bool(advice["shapes"]) == (unit == "month" and not more)


def test_of_monthly_usage_a_range_over_shapes_is_told(
    gpuinfra: Run, bursts: dict[str, Path]
) -> None:
    arguments = ("commitments", STACKS / "training", *DAY, "--workload", "chat")
    ran = gpuinfra(*arguments, "--usage", bursts["month"])
    told = " ".join(ran.out.split())

    assert "no commitment yet: monthly figures do not tell how the hours are used" in told
    assert "17 GPUs save $190,984.63 where use is even and cost $129,077.90 more" in told


def test_a_peak_below_the_mean_is_refused(gpuinfra: Run, bursts: dict[str, Path]) -> None:
    arguments = ("commitments", STACKS / "training", *DAY, "--workload", "chat")
    ran = gpuinfra(*arguments, "--usage", bursts["month"], "--peak", "16")

    assert ran.code == 2
    assert "at least 16.8 GPUs" in ran.err


def test_commitments_come_in_whole_machines(gpuinfra: Run, usage: Path) -> None:
    arguments = (
        "commitments",
        STACKS / "training",
        *DAY,
        "--usage",
        usage,
        "--workload",
        "trainer",
    )
    sized = json.loads(gpuinfra(*arguments, "--json").out)["sized"]

    assert (sized["workload"], sized["commitment"]["mode"]) == ("trainer", "reserved-3y")
    assert sized["advice"]["level"]["gpus"] % 8 == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--workload", "chta"), "did you mean 'chat'?"),
        (("--usage", "USAGE"), "--usage applies to the machines of one workload"),
        (("--usage", "USAGE", "--workload", "chat", "--mode", "reserved-2y"), "reserved-3y"),
        (("--usage", "nowhere.csv", "--workload", "chat"), "nowhere.csv can't be read"),
    ],
)
def test_wrong_options_are_told(
    gpuinfra: Run, usage: Path, options: tuple[str, ...], told: str
) -> None:
    named = [usage if option == "USAGE" else option for option in options]
    ran = gpuinfra("commitments", STACKS / "training", *DAY, *named)

    assert ran.code == 2
    assert told in ran.err


def test_a_fault_in_the_usage_is_shown_with_a_caret(gpuinfra: Run, usage: Path) -> None:
    usage.write_text(usage.read_text().replace("18000", "eighteen", 1))
    ran = gpuinfra(
        "commitments", STACKS / "training", *DAY, "--workload", "chat", "--usage", usage
    )

    assert ran.code == 2
    assert f"{usage}:2:9: not a number of GPU-hours" in ran.err
    assert "^" in ran.err


def test_a_machine_without_a_commitment_price_exits_1(
    gpuinfra: Run, stack: Callable[..., Path]
) -> None:
    path = stack(
        ("us-east-1", "us-west-2"),
        (
            "instance: g6.8xlarge",
            "instance: g7e.8xlarge\n    machine_image: ami-0123456789abcdef0",
        ),
    )
    ran = gpuinfra("commitments", path, *DAY, "--workload", "trainer")

    assert ran.code == 1
    assert "no commitment has a known price" in ran.out


def test_outdated_prices_are_marked_and_told(gpuinfra: Run, training: Path) -> None:
    ran = gpuinfra("commitments", training, *DAY)

    assert ran.code == 0
    assert re.search(r"\$77.427\* .* 2025-04-24 ", ran.out)
    assert ran.err.startswith(
        "note: some prices are older than 400 days or undated (*): before you commit"
    )
    refresh = "gpuinfra catalog refresh --cloud aws --region us-east-1 --only prices"
    assert refresh in " ".join(ran.err.split())


def test_prices_of_ones_own_are_marked_and_their_tiers_count(
    gpuinfra: Run, stack: Callable[..., Path]
) -> None:
    path = stack()
    (path.parent / "prices.yaml").write_text(
        "version: 1\n"
        "prices:\n"
        "  - {cloud: aws, machine: g6.8xlarge, region: us-east-1, mode: on-demand, per_hour: 2.80,"
        " tiers: [{after: 720h, per_hour: 2.38}]}\n"
        "  - {cloud: aws, machine: g6.8xlarge, region: us-east-1, mode: savings-1y,"
        " per_hour: 2.60}\n"
    )
    ran = gpuinfra("commitments", path, "--workload", "trainer", *DAY)

    assert "21,151.20" in ran.out
    assert "yours [1]" in ran.out
    assert "savings-1y costs more than the same hours on demand" in ran.out


def test_the_options_stay_a_table_on_a_narrow_terminal(
    gpuinfra: Run, training: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    ran = gpuinfra("commitments", training, *DAY)
    out = ran.out

    assert "per hour: " not in out
    assert re.search(r"^reserved-1y +\$[\d.]+\* ", out, re.MULTILINE)
    assert re.search(r"^on-demand +\$[\d.]+ ", out, re.MULTILINE)
    assert "(*)" in ran.err
    assert re.search(r"^savings-1y +\$[\d.]+ ", out, re.MULTILINE)
