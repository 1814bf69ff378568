"""Prices that a region lacks, counted at a bound where the stack file says so."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.cost.line_names import line_name
from tests.cli.conftest import Run

LOGS = "log-analytics-ingest in centralindia"

STACK = """\
name: bounded
owner: ml-platform
budget: {{per_hour: {cap}}}
{prices}
where: {{cloud: azure, regions: [centralindia]}}
inference:
  chat:
    instance: Standard_NC4as_T4_v3
    replicas: 1..3
    image: vllm/vllm-openai:v0.11.0
    port: 8000
usage: {{logs: 50GB}}
"""


def stack(folder: Path, *, bound: bool = True, cap: str = "30") -> Path:
    prices = "prices: {bound_unknown: true}" if bound else ""
    (folder / "stack.yaml").write_text(STACK.format(prices=prices, cap=cap))
    return folder


def checked(gpuinfra: Run, folder: Path, code: int) -> dict[str, dict[str, str]]:
    """What `check` finds wrong, by rule."""
    ran = gpuinfra("check", folder, "--json", "--as-of", "2026-11-21")
    assert ran.code == code
    return {
        finding["rule"]: finding
        for finding in json.loads(ran.out)["findings"]
        if finding["outcome"] in {"violated", "not-knowable"}
    }


def test_an_unknown_price_refuses_by_itself(gpuinfra: Run, tmp_path: Path) -> None:
    by_rule = checked(gpuinfra, stack(tmp_path, bound=False), 1)

    assert f"no price for {LOGS}" in by_rule["price-unknown"]["message"]
    assert "bound_unknown: true" in by_rule["price-unknown"]["fix"]


def test_a_bound_warns_and_names_the_price(gpuinfra: Run, tmp_path: Path) -> None:
    unknown = checked(gpuinfra, stack(tmp_path), 0)["price-unknown"]

    assert unknown["level"] == "advisory"
    assert unknown["message"].startswith("counted at a bound, 1.5 × the highest known price: ")
    assert LOGS in unknown["message"]
    first, *rest = gpuinfra("check", tmp_path).out.splitlines()
    assert "1 line counted at a bound (log-analytics-ingest)" in first
    assert any(LOGS in line for line in rest)
    assert "1 price counted at a bound" in gpuinfra("check", tmp_path).out


def test_a_bound_is_marked_in_lines_and_notes(gpuinfra: Run, tmp_path: Path) -> None:
    quote = api.quote(stack(tmp_path))
    (line,) = (line for line in quote.lines if line.item == "log-analytics-ingest")

    assert (line.origin, line.rate) == ("bound", Decimal("6.9"))
    assert any("($4.60 in brazilsouth)" in warning for warning in quote.warnings)
    ran = gpuinfra("cost", tmp_path, "--detail")
    assert f"{line_name(line)} (bound)" in ran.out
    assert "bound of [" in ran.out


def test_a_bound_counts_against_the_cap(gpuinfra: Run, tmp_path: Path) -> None:
    exact = api.quote(stack(tmp_path)).per_hour.ceiling

    assert "cap-per-hour" not in checked(gpuinfra, stack(tmp_path, cap=f"{exact:.2f}1"), 0)
    by_rule = checked(gpuinfra, stack(tmp_path, cap=f"{exact - Decimal('0.01'):.2f}"), 1)
    assert "counted at a bound: log-analytics-ingest" in by_rule["cap-per-hour"]["message"]


@pytest.mark.parametrize("bound", [True, False])
def test_a_lock_keeps_the_mark(gpuinfra: Run, tmp_path: Path, bound: bool) -> None:
    assert gpuinfra("lock", stack(tmp_path)).code == 0
    stack(tmp_path, bound=bound)

    ran = gpuinfra("check", tmp_path, "--json", "--as-of", "2026-11-21")
    if bound:
        assert "counted at a bound" in ran.out
    else:
        assert "bound_unknown" in ran.err
    assert ran.code == (0 if bound else 1)


def test_an_unknown_price_leaves_a_least_cost_not_a_most(gpuinfra: Run, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "name: unpriced\nowner: ml\nbudget: {per_hour: 2}\n"
        "where: {cloud: aws, regions: [eu-west-3]}\n"
        "training: {tune: {instance: p6-b200.48xlarge, duration: 24h, time_to_live: 30h}}\n"
    )

    out = " ".join(gpuinfra("cost", path).out.split())

    assert out.startswith("unpriced: known cost, at list prices")
    assert "### `unpriced`: known cost" in gpuinfra("cost", path, "--format", "markdown").out
    assert "tune: at least $0." in out
    assert "total at least $0." in out
    assert "of tune: a price is not known" in out
    assert "at most" not in out
    assert "spot" not in out
