"""`gpuinfra catalog refresh` as a user sees it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.cli import run
from gpuinfra.cli.commands.catalog.refresh import _gpu_key
from gpuinfra.clouds.refreshing.price_changes import count_changes, price_changes
from tests.cli.documents import documented
from tests.clouds.refreshing.conftest import Interface

ROOT = Path(__file__).parents[3]
H100 = ("lambda", "gpu_8x_h100_sxm5", "us-east-1")


@pytest.fixture
def given(
    interface: Interface, page: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.setenv("LAMBDA_API_KEY", "secret_lambda_1")
    interface.says({"/api/v1/instance-types": page("lambda.json")})
    where = ["--region", "us-east-1", "--region", "us-south-1"]
    return ["catalog", "refresh", "--cloud", "lambda", "--endpoint", interface.endpoint, *where]


def test_it_shows_what_changed_in_money(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    was = CATALOG.on_demand(*H100)
    assert was is not None
    assert was.per_unit != 24

    assert run(given) == 0

    shown = capsys.readouterr()
    assert "4 prices, of 20" in shown.out
    (move,) = [line for line in shown.out.splitlines() if line.strip().startswith("gpu_8x_h100")]
    assert move.split()[1:4] == ["2", "regions", "on-demand"]
    assert "24.00" in move
    assert "gone: no longer listed; their last known values" in shown.out
    assert shown.err == "omitted: gpu_8x_moon: not in the machine table\n"


def test_json_has_the_documented_keys(given: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*given, "--json"]) == 0

    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == documented()["catalog refresh"]
    assert set(answer["changes"][0]) == {"mode", "up", "down", "same", "new", "gone"}
    assert {move["after"] for move in answer["moves"]} == {24}
    assert set(answer["moves"][0]) == {"machine", "region", "mode", "before", "after"}


def test_the_next_command_quotes_what_was_fetched(given: Any, home: Path) -> None:
    assert run(given) == 0

    done = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", "catalog", "show", "gpu_8x_h100_sxm5", "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={**os.environ},
    )

    fresh = [price["price"] for price in json.loads(done.stdout)["prices"]]
    origins = {(row["region"], row["origin"]): row["per_unit"] for row in fresh if row}
    assert origins["us-east-1", "refreshed"] == 24


def test_without_the_library_the_way_out_is_told(given: Any) -> None:
    script = (
        f"import sys; sys.modules['urllib3'] = None\nfrom gpuinfra.cli import run\nrun({given!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )

    assert "the Python package urllib3, which fetches prices, is not installed" in done.stderr
    assert "pip install 'gpuinfra[refresh]'" in done.stderr


def test_changes_are_counted_by_mode() -> None:
    before = {
        ("spot", "a", "x"): Decimal(10),
        ("spot", "b", "x"): Decimal(10),
        ("spot", "c", "x"): Decimal(10),
        ("spot", "d", "x"): Decimal(10),
        ("list", "a", "x"): Decimal(1),
    }
    after = {
        ("spot", "a", "x"): Decimal(11),
        ("spot", "b", "x"): Decimal(2),
        ("spot", "c", "x"): Decimal(10),
        ("spot", "e", "x"): Decimal(5),
    }

    list_, spot = count_changes(before, after)

    assert (spot.up, spot.down, spot.same, spot.new, spot.gone) == (1, 1, 1, 1, 1)
    assert (list_.mode, list_.gone) == ("list", 1)
    assert [(move.machine, move.share) for move in price_changes(before, after)] == [
        ("b", Decimal("-0.8")),
        ("a", Decimal("0.1")),
    ]


@pytest.mark.parametrize(
    ("name", "memory", "key"),
    [
        ("L4", "22.35", "L4"),
        ("T4", "16", "T4"),
        ("H100", "80", None),  # SXM or PCIe
        ("Moon", "80", None),
        ("L4", "80", None),
    ],
)
def test_a_gpu_is_known_only_when_it_is_clear(name: str, memory: str, key: str | None) -> None:
    assert _gpu_key(name, Decimal(memory)) == key
