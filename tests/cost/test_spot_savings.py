"""Spot that is no cheaper than on demand is told, with regions where it is."""

from datetime import date
from pathlib import Path

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.cli import run

STACK = """\
name: demo
owner: me
where: {{cloud: aws, regions: [{region}]}}
prices: {{accept_outdated: true}}
training:
  t: {{instance: p5.48xlarge, capacity: [{capacity}, on-demand], duration: 72h}}
"""
DAY = ("--as-of", "2026-06-01")
NOTE = "t: spot p5.48xlarge in us-east-1 is no cheaper than on demand ($55.04 of 2026-01"


def printed(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    command: str,
    region: str,
    capacity: str = "spot",
    more: tuple[str, ...] = (),
) -> str:
    path = folder / "stack.yaml"
    path.write_text(STACK.format(region=region, capacity=capacity), encoding="utf-8")
    run([command, str(path), *DAY, *more])
    printed = capsys.readouterr()
    assert "error: " not in printed.err
    return printed.out


@pytest.mark.parametrize("command", ["check", "cost", "plan"])
def test_spot_at_the_price_of_on_demand_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    out = printed(capsys, tmp_path, command, "us-east-1")

    assert out.count(NOTE) == 1
    words = " ".join(out.split())
    assert (
        "in use1-az1 and use1-az4, and the most expensive zone counts; $16.95 to $18.73" in words
    )
    assert "$18.73 in 4 other zones; cheaper: eu-north-1 $10.57" in words


def test_the_spot_price_of_one_machine_is_told_only_where_their_number_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stack = Path(__file__).parents[2] / "stacks/training"
    run(["plan", str(stack), "--as-of", "2026-11-20"])
    notes = {
        line.partition(",")[0]: line
        for line in capsys.readouterr().out.splitlines()
        if "is counted at its on-demand price" in line
    }

    assert notes["trainer"].endswith("; its spot price was $15.4417, of 2026-01-21 to 2026-05-22")
    assert notes["chat"].endswith("the most that spot costs without max_price")


def test_a_run_has_no_break_even_where_spot_costs_as_much(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = "break-even: none, spot in its most expensive zone is no cheaper than on demand"

    assert told in printed(capsys, tmp_path, "cost", "us-east-1", more=("--detail",))
    assert told not in printed(capsys, tmp_path, "cost", "us-east-2", more=("--detail",))


def test_cheaper_spot_and_on_demand_have_no_note(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "is no cheaper" not in printed(capsys, tmp_path, "check", "us-east-2")
    assert "is no cheaper" not in printed(
        capsys, tmp_path, "check", "us-east-1", "{on-demand: {region: us-west-2}}"
    )


MAXIMUM = (
    "p5.48xlarge is counted at its on-demand price, the most that spot costs without max_price; "
    "its spot price was $15.4417, of 2026-01-21 to 2026-05-22"
)


@pytest.mark.parametrize("command", ["cost", "plan", "report"])
def test_a_unit_price_that_is_a_maximum_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    def text(region: str, capacity: str = "spot") -> str:
        more = ("--output", "-") if command == "report" else ()
        return " ".join(printed(capsys, tmp_path, command, region, capacity, more).split())

    assert text("us-east-2").count(MAXIMUM) == 1
    assert "is counted at its on-demand price" not in text("us-east-1")
    assert "is counted at its on-demand price" not in text("us-east-2", "{spot: {max_price: 20}}")
    assert "is counted at its on-demand price" not in text(
        "us-east-2", "{on-demand: {region: us-west-2}}"
    )


CAPPED = STACK + "budget: {{per_hour: {cap}}}\n"
OTHERS = "use fewer or cheaper machines, or raise budget.per_hour to "
ON_DEMAND = "move t to a cheaper region (per machine and hour: us-east-1 $55.04"
SPOT = "[spot, on-demand]"
BID = "move t to a cheaper region with max_price set (per machine and hour: eu-north-1 $10.57"


@pytest.mark.parametrize(
    ("region", "capacity", "nodes", "cap", "fix"),
    [
        ("us-east-1", SPOT, 1, 16, f"{BID}, us-east-2 $15.44), "),
        ("us-east-1", SPOT, 4, 44, f"{BID}), "),
        ("us-east-1", SPOT, 4, 42, ""),
        ("us-east-1", "[on-demand]", 1, 20, ""),
        ("us-west-1", "[on-demand]", 1, 20, ""),
        (
            "us-west-1",
            "[on-demand]",
            1,
            56,
            f"{ON_DEMAND}, us-east-2 $55.04, us-west-2 $55.04), ",
        ),
    ],
)
def test_the_fix_of_a_cap_names_a_region_only_where_the_stack_then_meets_it(
    tmp_path: Path, region: str, capacity: str, nodes: int, cap: int, fix: str
) -> None:
    path = tmp_path / "stack.yaml"
    text = CAPPED.format(region=region, capacity="spot", cap=cap)
    workload = f"capacity: {capacity}, nodes: {nodes}"
    path.write_text(text.replace(f"capacity: {SPOT}", workload), encoding="utf-8")

    findings = check_stack(path, {}, date(2026, 6, 1)).verdict.findings

    (words,) = (each.fix for each in findings if each.rule == "cap-per-hour")
    assert words.startswith(f"{fix}{OTHERS}")
