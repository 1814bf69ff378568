"""Spot that is no cheaper than on demand is told, with regions where it is."""

from pathlib import Path

import pytest

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
NOTE = "t: spot p5.48xlarge in us-east-1 is no cheaper than on demand ($55.04 between 2026-01"


def printed(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    command: str,
    region: str,
    capacity: str = "spot",
) -> str:
    path = folder / "stack.yaml"
    path.write_text(STACK.format(region=region, capacity=capacity), encoding="utf-8")
    run([command, str(path), *DAY])
    printed = capsys.readouterr()
    assert "error: " not in printed.err
    return printed.out


@pytest.mark.parametrize("command", ["check", "cost", "plan"])
def test_spot_at_the_price_of_on_demand_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    out = printed(capsys, tmp_path, command, "us-east-1")

    assert out.count(NOTE) == 1
    assert "; cheaper: eu-north-1 $10.57" in out


def test_cheaper_spot_and_on_demand_have_no_note(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "is no cheaper" not in printed(capsys, tmp_path, "check", "us-east-2")
    assert "is no cheaper" not in printed(
        capsys, tmp_path, "check", "us-east-1", "{on-demand: {region: us-west-2}}"
    )
