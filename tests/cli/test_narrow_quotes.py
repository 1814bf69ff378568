"""A quote and a choice stay tables on a narrow terminal."""

import re

import pytest

from tests.cli.conftest import STACKS, Run

QUOTED = sorted(path.parent.name for path in STACKS.glob("*/stack.yaml"))
DATED = r"\nprices of 20[\d-]+( to 20[\d-]+)?; sources:\s+gpuinfra cost \S+ --detail\n"


@pytest.mark.parametrize("shipped", QUOTED)
def test_a_quote_stays_one_table(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, shipped: str
) -> None:
    columns = 80
    monkeypatch.setenv("COLUMNS", str(columns))

    out = gpuinfra("cost", STACKS / shipped / "stack.yaml").out

    assert "quantity: " not in out
    shown = out.partition("─")[2].split("\nat most")[0]
    assert max(map(len, shown.splitlines())) <= columns
    assert re.search(DATED, out)


def test_on_50_columns_a_quote_has_every_figure(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")

    out = gpuinfra("cost", STACKS / "quickstart" / "stack.yaml").out

    assert "\n    quantity: 1   unit price: $0.045\n    per hour: $0.045" in out
    for name in ("quantity", "unit price", "per hour", "per month"):
        assert out.count(f"{name}: ") >= 14


def test_a_choice_stays_one_table(gpuinfra: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    assert "where: " not in gpuinfra("choose", "H100:8").out


@pytest.mark.parametrize("shipped", QUOTED)
def test_the_detail_of_a_quote_has_tables_with_headings(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, shipped: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    out = gpuinfra("cost", STACKS / shipped / "stack.yaml", "--detail").out

    assert "per month: " not in out, "a record in place of a row"
    names, lines = out.partition("\ntotal ")[0].split("─\n", 1)
    prices = re.findall(r"  at \$[\d.,]+", lines)
    lines_with_quantity = re.findall(r"^[a-z].*  \d.*\[\d+\]$", lines, re.MULTILINE)
    assert "unit price" in names or len(prices) == len(lines_with_quantity) > 0
    headings = re.findall(r"^\n(.+)\n", out, re.MULTILINE)
    assert {"totals", "billed by use, not counted", "sources of prices"} <= {*headings}
    for columns in re.findall(r"^(.+)\n─", out, re.MULTILINE):
        names = re.split(r"  +", columns.strip())
        assert len(names) == len({*names}), columns
    ids = r"nat-gateway-hour|public-ipv4-hour|ebs-gp3|nat-gateway-data|data-transfer|s3-standard"
    assert not re.search(ids, out.partition("sources of prices")[0])
