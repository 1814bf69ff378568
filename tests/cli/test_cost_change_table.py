"""The cost change of a preview, up or destroy fits a terminal of 80 columns."""

from decimal import Decimal

import pytest

from gpuinfra.cli.views import cost_change_table, layout
from gpuinfra.cost.cost_rate_changes import CostMovement, CostRate, WorkloadCostChange


def rate(per_hour: str) -> CostRate:
    return CostRate(per_hour=Decimal(per_hour), per_month=Decimal(per_hour) * 730)


def shown(
    capsys, *moves: WorkloadCostChange, before: CostRate | None = None, after: str = "5"
) -> list[str]:
    total = WorkloadCostChange(
        workload="total", before=before, after=rate(after) if after else None
    )
    cost_change_table.show(CostMovement(moves=moves, total=total))
    return capsys.readouterr().out.splitlines()


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_four_digits_a_month_stay_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    vllm = WorkloadCostChange(workload="vllm", before=None, after=rate("3.89"))
    lines = shown(capsys, vllm, before=rate("1.11"))

    assert [" ".join(line.split()) for line in lines if "─" not in line] == [
        "workload per hour per month",
        "vllm $0.00 → $3.89 (+$3.89) $0.00 → $2,839.70 (+$2,839.70)",
    ]


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        (None, "3.89", "new cost; nothing was deployed before"),
        ("3.89", "", "cost that ends; nothing remains deployed"),
    ],
)
def test_a_first_up_and_a_destroy_have_one_amount_each(
    capsys: pytest.CaptureFixture[str], before: str | None, after: str, title: str
) -> None:
    was = None if before is None else rate(before)
    move = WorkloadCostChange(workload="vllm", before=was, after=rate(after) if after else None)
    lines = shown(capsys, move, before=was, after=after)

    assert [" ".join(line.split()) for line in lines if "─" not in line] == [
        title,
        "workload per hour per month",
        "vllm $3.89 $2,839.70",
    ]


def test_two_workloads_have_a_total(capsys: pytest.CaptureFixture[str]) -> None:
    moves = [
        WorkloadCostChange(workload=name, before=None, after=rate("2.5")) for name in ("a", "b")
    ]

    assert shown(capsys, *moves)[-1].split()[0] == "total"


def test_rates_under_a_dime_have_a_third_decimal_and_so_has_their_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    moves = [
        WorkloadCostChange(workload=name, before=rate(then), after=rate(now))
        for name, then, now in (("a", "0.054", "0.045"), ("b", "1", "2"), ("c", "0.02", "0.02"))
    ]
    lines = shown(capsys, *moves, before=rate("1.074"), after="2.065")

    assert [" ".join(line.split()[:-4]) for line in lines if "→" in line] == [
        "a $0.054 → $0.045 (-$0.009)",
        "b $1.000 → $2.000 (+$1.000)",
        "total $1.074 → $2.065 (+$0.991)",
    ]
    assert "1 unchanged $0.020 $14.60" in [" ".join(line.split()) for line in lines]


def test_cells_add_up_across_and_down_as_they_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    old, new = ("0.156", "1.004", "0.104"), ("0.145", "2.003", "0.104")
    moves = [
        WorkloadCostChange(workload=name, before=rate(then), after=rate(now))
        for name, then, now in zip("abc", old, new, strict=True)
    ]
    lines = shown(capsys, *moves, before=rate("1.264"), after="2.252")

    assert [" ".join(line.split()[:-4]) for line in lines if "→" in line] == [
        "a $0.16 → $0.15 (-$0.01)",
        "b $1.00 → $2.00 (+$1.00)",
        "total $1.26 → $2.25 (+$0.99)",
    ]
    assert "1 unchanged $0.10 $75.92" in [" ".join(line.split()) for line in lines]


def test_long_amounts_keep_the_names_of_their_columns(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a-long-name-of-a-workload-in-production"
    lines = shown(
        capsys,
        WorkloadCostChange(workload=name, before=rate("1111.11"), after=rate("3333.33")),
        before=rate("1111.11"),
    )

    text = "\n".join(lines)
    assert text.count("per hour") == text.count("per month") == 1
    assert max(map(layout.size, lines)) <= 80


def test_a_figure_in_a_record_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    lines = layout.table(
        ("of", "per hour"), [("a-workload-of-ours", "$1,234.00")], right_aligned=("per hour",)
    )

    assert list(lines) == ["a-workload-of-ours", "    per hour:", "    $1,234.00"]
