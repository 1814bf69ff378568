"""What `gpuinfra choose` says of the prices of spot and of commitments."""

import json
import re

import pytest

from tests.cli.conftest import Run


def test_the_price_on_demand_is_named_where_it_bounds_an_unknown_spot_price(gpuinfra: Run) -> None:
    asked = ("choose", "L4:1", "--capacity", "spot", "--region", "us-east-1")
    ran = gpuinfra(*asked, "--as-of", "2026-11-26")

    assert re.search(r"→ g6\.xlarge .* ≤ \$0\.80 +≤ \$0\.80 +2026-\S+ on demand\n", ran.out)
    assert "≤: the spot price is unknown; at most the price on demand" in ran.out
    assert "in asia-northeast3 (gcp) at $0." in ran.out
    assert "saves" not in ran.out
    found = json.loads(gpuinfra(*asked, "--as-of", "2026-11-26", "--json").out)
    assert found["winner"]["bound"] == "on-demand"
    assert {miss["saves"] for miss in found["near_misses"]} == {None}


def test_a_spot_price_that_reaches_the_one_on_demand_is_explained(gpuinfra: Run) -> None:
    asked = ("choose", "H100:8", "--capacity", "spot", "--as-of", "2026-11-26", "--region")

    dear = gpuinfra(*asked, "us-east-1")
    cheap = gpuinfra(*asked, "europe-north1")

    explained = "p5.48xlarge in us-east-1: counted at the price on demand, which spot reaches in"
    assert explained in " ".join(dear.out.split())
    assert "which spot reaches" not in cheap.out


def test_a_commitment_of_before_a_price_cut_is_told(gpuinfra: Run) -> None:
    committed = ("choose", "p4d.24xlarge", "--cloud", "aws", "--commitment", "1y", "--region")

    assert "STALE: before the June 2025" in " ".join(gpuinfra(*committed, "us-west-2").out.split())
    assert "STALE" not in gpuinfra(*committed, "us-east-1").out


def test_a_run_under_a_commitment_is_told_its_cost_without_one(gpuinfra: Run) -> None:
    command = ("choose", "H100:8", "--cloud", "aws", "--region", "us-east-1", "--for", "30d")
    committed = gpuinfra(*command, "--commitment", "1y").out
    on_demand = json.loads(gpuinfra(*command, "--json").out)["winner"]["per_run"]

    assert committed.startswith("assumed: with a 1-year commitment, ranked by $ per run")
    assert f"\nwithout a commitment: ${on_demand:,.2f} for the run, on demand\n" in committed
    assert "without a commitment" not in gpuinfra(*command).out


def test_a_commitment_dearer_than_no_commitment_is_told(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--commitment", "reserved-1y")

    assert "on demand it costs $55.04 an hour (2026-07-20)" in " ".join(ran.out.split())
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_saving_over_a_commitment_names_the_commitment(gpuinfra: Run) -> None:
    command = ("choose", "B200:8", "--as-of", "2026-11-26")

    committed = gpuinfra(*command, "--commitment", "1y").out
    assert "\ncapacity: spot instead of the commitment 1y saves " in committed
    assert "\ncapacity: spot instead of on-demand saves " in gpuinfra(*command).out


def test_a_spot_price_of_years_ago_does_not_win(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "A100:8", "--capacity", "spot", "--json").out)

    old = [
        candidate
        for candidate in answer["ranked"]
        if candidate["machine"]["type"] == "Standard_ND96amsr_A100_v4"
    ]
    assert min(candidate["per_hour"] for candidate in old if candidate["per_hour"]) == 32.77
    assert answer["winner"]["as_of"] >= "2026"


def test_no_arrow_is_before_a_machine_without_a_known_price(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "azure", "--capacity", "spot")

    assert "  Standard_ND96isr_H100_v5" in ran.out
    assert "→" not in ran.out


def test_a_limit_on_spot_is_the_maximum_price_of_its_request(gpuinfra: Run) -> None:
    command = ("choose", "T4:1", "--max-per-hour", "0.30", "--capacity", "spot")
    ran = gpuinfra(*command, "--as-of", "2026-11-26")
    best = json.loads(gpuinfra(*command, "--as-of", "2026-11-26", "--json").out)

    assert re.search(r"→ \S+ +1 × T4 +\S+ \S+ +≤ \$0\.30 +≤ \$0\.30 +your maximum", ran.out)
    assert {each["per_hour"] for each in best["ranked"]} == {0.3}
    on_demand = [each["default_maximum"] for each in best["ranked"]]
    assert on_demand == sorted(on_demand)
    assert on_demand[0] > 0.3
    assert (
        "below the limit today: n1-standard-4+1xT4 in asia-southeast1 (gcp) at $0.15 an hour, but "
        "it may cost $0.54: its spot request says no maximum price\n"
    ) in ran.out
