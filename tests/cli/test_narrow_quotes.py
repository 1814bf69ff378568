"""A quote and a choice stay tables on a narrow terminal."""

import re

import pytest

from tests.cli.conftest import STACKS, Run

QUOTED = sorted(path.parent.name for path in STACKS.glob("*/stack.yaml"))
DATED = r"\nprices of 20[\d-]+( to 20[\d-]+)?; sources:\s+gpuinfra cost \S+ --detail\n"


@pytest.mark.parametrize(
    ("shipped", "columns"), [*((name, 80) for name in QUOTED), ("quickstart", 60)]
)
def test_a_quote_stays_one_table(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, shipped: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    out = gpuinfra("cost", STACKS / shipped / "stack.yaml").out

    assert "quantity: " not in out
    shown = out.partition("─")[2].split("\nat most")[0]
    assert max(map(len, shown.splitlines())) <= columns
    assert re.search(DATED, out)


@pytest.mark.parametrize("columns", [60, 80])
def test_a_choice_stays_one_table(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    assert "where: " not in gpuinfra("choose", "H100:8").out
