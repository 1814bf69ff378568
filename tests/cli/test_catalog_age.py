"""How old the catalog's rows are, and what a refresh changes."""

import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.cli.commands.catalog.age import percent
from tests.cli.conftest import Run


def test_age_says_plainly_what_is_old(gpuinfra: Run) -> None:
    out = " ".join(gpuinfra("catalog", "age", "--as-of", "2026-11-21").out.split())

    assert "aws prices reserved-1y 746 2025-04-24 2026-09-24 693 (93%)" in out
    assert "% of prices" not in out
    assert "outdated: older than 400 days. A stack is refused" in out
    assert "accept_outdated" in out
    assert "prices reserved" not in gpuinfra("catalog", "age", "--cloud", "lambda").out


@pytest.mark.parametrize(
    ("count", "rows", "words"),
    [(1, 1000, "0.1%"), (999, 1000, "99.9%"), (5, 5, "100%"), (1, 3, "33%")],
)
def test_a_share_is_none_or_all_only_when_it_is(count: int, rows: int, words: str) -> None:
    assert percent(count, rows) == words


def test_age_counts_rows_by_year(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "age", "--years", "--cloud", "azure").out
    line = next(line for line in out.splitlines() if "prices spot" in line)

    assert line.split() == ["azure", "prices", "spot", "83", "2", "85"]


def test_nothing_is_old_on_an_early_day(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "age", "--cloud", "lambda", "--as-of", "2026-11-21").out

    assert "no row is undated or older than 400 days" in out


@pytest.fixture
def refreshed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a refresh that found one price of AWS."""
    from gpuinfra.clouds.refreshing import user_table_files

    monkeypatch.setenv(user_table_files.HOME_VARIABLE, str(tmp_path))
    return user_table_files.write(
        "aws",
        {
            "modes": ["on-demand"],
            "sources": [["AWS Price List API", "2026-11-20"]],
            "notes": [""],
            "items": {"p5.48xlarge": {"us-east-1": [[0, None, "54.32", None, 0, 0]]}},
            "machines": [],
        },
    )


def fresh(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in an interpreter of its own, which has read no table before."""
    command = [sys.executable, "-m", "gpuinfra.cli", "catalog", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_a_refreshed_price_counts_and_says_so(refreshed: Path) -> None:
    shown = fresh("show", "p5.48xlarge", "--why").stdout

    assert "→ $54.32 " in shown
    assert "refreshed: AWS Price List API" in shown
    assert "2026-07-20            older" in shown
    assert "1 of these rows were fetched by" in fresh("age", "--cloud", "aws").stdout


def test_a_damaged_refresh_is_named_and_left_out(refreshed: Path) -> None:
    refreshed.write_bytes(refreshed.read_bytes().replace(b"54.32", b"00.32"))
    ran = fresh("show", "p5.48xlarge", "--why")

    assert "the shipped prices of aws are used instead" in ran.stderr
    assert "→ $55.04 " in ran.stdout
    assert "0.32 " not in ran.stdout
