"""A cap per month that only idle hours exceed says first what ends the machines after a run."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

TEXT = """\
budget: {{per_hour: 200, per_month: 3000}}
where: {{regions: [{region}]}}
training:
  tune: {{gpu: H100:8, {times}}}
"""
REGIONS = ("us-east-1", "us-central1", "eastus")
TIMES = ("duration: 24h", "duration: 24h, runs: 2", "duration: 5h", "nodes: 1")
POOL = """\
version: 1
name: pools
owner: ml
budget: {{per_hour: 50, per_month: 1000}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
inference:
  chat:
    gpu: L4:1
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    replicas: {replicas}
"""
CAPPED = re.compile(r"raise budget.per_month to ([\d.]+)(?: with that, to ([\d.]+) without)?")
ENDED = re.compile(r"end tune after (?:its run|a time) \((time_to_live: \d+h)\)")


def written(tmp_path: Path, region: str, times: str = TIMES[0], cap: str = "3000") -> Path:
    """A stack file of one run, with this cap per month."""
    path = tmp_path / "stack.yaml"
    budget = f"per_month: {cap}, " if cap else ""
    text = TEXT.format(region=region, times=times).replace("per_month: 3000", budget.rstrip(", "))
    path.write_text(text)
    return path


def fix_of(gpuinfra: Run, path: Path) -> str:
    """The fix of the cap per month; empty where it has none."""
    lines = gpuinfra("check", path).out.splitlines()
    at = next(
        (number for number, line in enumerate(lines) if " cap-per-month: " in line), len(lines)
    )
    fixes = (line for line in lines[at:] if line.startswith("    fix: "))
    return next(fixes, "").removeprefix("    fix: ")


@pytest.mark.parametrize("region", REGIONS)
def test_a_time_to_live_comes_first_and_the_cap_last(
    gpuinfra: Run, tmp_path: Path, region: str
) -> None:
    fix = fix_of(gpuinfra, written(tmp_path, region))

    assert fix.startswith("end tune after its run (time_to_live: 30h): then up to $")
    assert fix.index("use fewer or cheaper machines") < fix.index("or raise budget.per_month to ")


@pytest.mark.parametrize(
    ("times", "region"), list(zip(TIMES, (*REGIONS, REGIONS[0]), strict=True))
)
def test_the_ends_and_amounts_pass_as_they_are_told(
    gpuinfra: Run, tmp_path: Path, region: str, times: str
) -> None:
    fix = fix_of(gpuinfra, written(tmp_path, region, times, "90"))
    ends, raised = ENDED.search(fix), CAPPED.search(fix)
    assert ends
    assert raised
    with_end, without = raised.groups()
    assert without
    ended = f"{times}, {ends[1]}"

    assert not fix_of(gpuinfra, written(tmp_path, region, ended, with_end))
    assert fix_of(gpuinfra, written(tmp_path, region, ended, f"{float(with_end) - 0.05:.2f}"))
    assert not fix_of(gpuinfra, written(tmp_path, region, times, without))


def test_an_end_that_suffices_needs_no_other_cap(gpuinfra: Run, tmp_path: Path) -> None:
    fix = fix_of(gpuinfra, written(tmp_path, "us-east-1", cap="4000"))
    ends = ENDED.search(fix)
    assert ends
    assert " per month; or use fewer or cheaper machines, or raise budget.per_month to " in fix
    assert "with that" not in fix

    assert not fix_of(gpuinfra, written(tmp_path, "us-east-1", f"{TIMES[0]}, {ends[1]}", "4000"))


@pytest.mark.parametrize("times", TIMES[1::2])
def test_a_budget_in_the_cloud_is_of_the_month_with_its_ends(
    gpuinfra: Run, tmp_path: Path, times: str
) -> None:
    checked = gpuinfra("check", written(tmp_path, "us-east-1", times, ""), "--json")
    findings = json.loads(checked.out)["findings"]
    (fix,) = (each["fix"] for each in findings if each["rule"] == "cloud-budget")
    found = re.fullmatch(
        r"end tune after .*? \((.*?)\), then add to budget: per_month: (\d+), notify: \[…\]", fix
    )
    assert found
    path = written(tmp_path, "us-east-1", f"{times}, {found[1]}", found[2])

    assert not fix_of(gpuinfra, path)
    out = gpuinfra("check", path).out
    month = re.search(r"\$([\d,.]+)/month", out)
    assert month
    assert float(found[2]) < 2 * float(month[1].replace(",", "")) + 100


@pytest.mark.parametrize(
    ("replicas", "first"),
    [
        ("1..6", "set a smaller maximum of replicas of chat, use fewer or cheaper machines, "),
        ("6", "use fewer or cheaper machines, "),
    ],
)
def test_a_pool_is_made_smaller_before_it_is_ended(
    gpuinfra: Run, tmp_path: Path, replicas: str, first: str
) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(POOL.format(replicas=replicas))

    fix = fix_of(gpuinfra, path)

    assert fix.startswith(
        f"{first}end chat after a time (time_to_live), or raise budget.per_month to "
    )
