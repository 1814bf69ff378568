import json
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from gpuinfra.forecast.history import following
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


def test_each_workload_has_its_commitments_with_break_even(gpuinfra: Run) -> None:
    ran = gpuinfra("commitments", STACKS / "training", *DAY)

    assert ran.code == 0
    assert "chat: one g6.xlarge in us-east-1" in ran.out
    assert "5,703 h (65%)" in ran.out
    assert "0.42 × on demand for 3 years, gives 0.338 an hour; it is not a price" in ran.out


def test_a_commitment_above_the_list_price_is_said_to_be_out_of_date(gpuinfra: Run) -> None:
    ran = gpuinfra("commitments", STACKS / "training", *DAY, "--workload", "trainer")

    assert "never" in ran.out
    assert "reserved-1y costs more than the same hours on demand of 2026-07-20" in ran.out
    assert "chat" not in ran.out


def test_usage_sizes_a_commitment(gpuinfra: Run, usage: Path) -> None:
    arguments = ("commitments", STACKS / "training", *DAY, "--usage", usage, "--workload", "chat")
    ran = gpuinfra(*arguments, "--mode", "reserved-1y")
    sized = json.loads(gpuinfra(*arguments, "--mode", "reserved-1y", "--json").out)["sized"]

    assert ran.code == 0
    assert "same month last year (taken)" in ran.out
    assert f"commit to {sized['advice']['level']['gpus']:g} GPUs" in ran.out
    assert "tested on the last 12 months: 23 GPUs would have saved" in ran.out
    assert [one["month"] for one in sized["advice"]["months"]][:2] == ["2026-11-01", "2026-12-01"]
    assert len(sized["advice"]["months"]) == 12


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
    found = json.loads(gpuinfra(*arguments, "--json").out)["sized"]

    assert (found["workload"], found["commitment"]["mode"]) == ("trainer", "reserved-3y")
    assert found["advice"]["level"]["gpus"] % 8 == 0


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
    named = [usage if one == "USAGE" else one for one in options]
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
        ("instance: g6.8xlarge", "instance: g7e.8xlarge\n    machine_image: ami-0123456789abcdef0")
    )
    ran = gpuinfra("commitments", path, *DAY, "--workload", "trainer")

    assert ran.code == 1
    assert "no commitment has a known price" in ran.out


def test_outdated_prices_are_marked_and_refused_unless_accepted(
    gpuinfra: Run, stack: Callable[..., Path]
) -> None:
    accepted = gpuinfra("commitments", STACKS / "training", *DAY)
    ran = gpuinfra("commitments", stack(("accept_outdated: true", "accept_outdated: false")), *DAY)

    assert (accepted.code, ran.code) == (0, 1)
    assert "2025-04-24*" in ran.out
    assert "* is older than 400 days or undated, accepted" in accepted.err
    assert ran.err.strip().endswith("* is older than 400 days or undated")


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
