"""What `gpuinfra choose` does with own machines and own prices, of a file of prices."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

OWN = """\
version: 1
exchange_rates: {CNY: 0.14}
prices:
  - {cloud: aws, machine: p4d.24xlarge, region: eu-south-2, per_hour: 9.5}
hardware:
  rack-1: {gpu: "A100-SXM-40GB:8", region: berlin, per_hour: 4.2, vcpu: 32, memory: 256GiB}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text(OWN)
    return path


def types(out: str) -> list[str]:
    return [candidate["machine"]["type"] for candidate in json.loads(out)["ranked"]]


def test_own_machines_and_prices_are_compared_and_marked(gpuinfra: Run, own: Path) -> None:
    ran = gpuinfra("choose", "A100-40GB:8", "--prices", own)

    assert "→ rack-1" in ran.out
    assert "own† berlin" in ran.out
    assert types(gpuinfra("choose", "A100-40GB:8", "--prices", own, "--json").out)[0] == "rack-1"


def test_a_machine_with_an_own_price_is_offered_where_no_table_offers_it(
    gpuinfra: Run, own: Path
) -> None:
    arguments = ("choose", "A100-40GB:8", "--cloud", "aws", "--region", "eu-south-2", "--json")

    assert gpuinfra(*arguments).code == 2
    winner = json.loads(gpuinfra(*arguments, "--prices", own).out)["winner"]
    assert (winner["machine"]["type"], winner["per_hour"], winner["origin"]) == (
        "p4d.24xlarge",
        9.5,
        "user",
    )


def test_prices_in_another_currency_rank_apart_without_a_rate(gpuinfra: Run, own: Path) -> None:
    arguments = ("choose", "V100:1", "--cloud", "tencent", "--cloud", "aws", "--json")
    apart = json.loads(
        gpuinfra(*arguments, "--region", "cn-mainland", "--region", "us-east-1").out
    )
    currencies = [candidate["currency"] for candidate in apart["ranked"]]

    assert "CNY" in currencies
    assert currencies == sorted(currencies, key=lambda code: code != "USD")
    converted = json.loads(gpuinfra(*arguments, "--region", "cn-mainland", "--prices", own).out)
    assert {candidate["currency"] for candidate in converted["ranked"]} == {"USD"}


def test_own_hardware_elsewhere_loses_by_its_region(gpuinfra: Run, own: Path) -> None:
    arguments = ("choose", "A100-40GB:8", "--region", "us-east-1", "--prices", own, "--losers")
    ran = gpuinfra(*arguments)

    assert ran.code == 0
    assert "is not offered in us-east-1, but in berlin" in ran.out
    assert gpuinfra("choose", "H200:3", *arguments[2:]).code == 2


def test_own_hardware_without_a_file_has_a_way_out(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "own")

    assert ran.code == 2
    assert "--prices FILE lists them under hardware" in ran.err


def test_own_hardware_is_chosen_by_its_name(gpuinfra: Run, own: Path) -> None:
    assert types(gpuinfra("choose", "rack-1", "--prices", own, "--json").out) == ["rack-1"]
    assert gpuinfra("choose", "rack-1").code == 2


def test_own_hardware_needs_no_processor(gpuinfra: Run, own: Path) -> None:
    ran = gpuinfra("choose", "32GB..:8", "--cloud", "own", "--prices", own, "--json")

    assert types(ran.out) == ["rack-1"]


def test_the_region_of_an_own_price_is_looked_at_by_default(gpuinfra: Run, own: Path) -> None:
    answer = json.loads(gpuinfra("choose", "p4d.24xlarge", "--prices", own, "--json").out)

    assert answer["winner"]["region"] == "eu-south-2"
    assert answer["winner"]["origin"] == "user"


COVERS = """\
version: 1
prices:
  - {cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 0.4, covers: 2}
"""


@pytest.mark.parametrize(("nodes", "per_hour"), [("2", 0.4), ("3", 0.8048)])
def test_an_own_price_holds_for_as_many_machines_as_it_covers(
    gpuinfra: Run, tmp_path: Path, nodes: str, per_hour: float
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS)
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--nodes", nodes, "--prices", prices)
    ran = gpuinfra(*arguments, "--json")

    assert json.loads(ran.out)["winner"]["per_hour"] == per_hour
    told = "prices.yaml:3 covers 2 × g6.xlarge, fewer than requested" in ran.err
    assert told is (nodes == "3")


def test_a_commitment_cheaper_than_none_is_not_told(gpuinfra: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS.replace("covers: 2", "mode: reserved-1y"))
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--prices", prices)
    ran = gpuinfra(*arguments, "--commitment", "reserved-1y")

    assert ran.code == 0
    assert "on demand it costs" not in ran.out


def test_an_own_price_that_ended_is_told(gpuinfra: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS.replace("covers: 2", "until: 2026-01-01"))
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--prices", prices)
    ran = gpuinfra(*arguments, "--as-of", "2026-11-21", "--json")

    assert json.loads(ran.out)["winner"]["per_hour"] == 0.8048
    assert "note: prices.yaml:3 ended on 2026-01-01" in ran.err
