"""How `gpuinfra catalog` scores clouds, and how it weighs what is doubtful."""

import json

import pytest

from gpuinfra.clouds import PRICED_CLOUDS
from tests.cli.conftest import Run


def test_the_score_is_a_range(gpuinfra: Run) -> None:
    shown = json.loads(gpuinfra("catalog", "score", "--json").out)

    assert {score["cloud"] for score in shown["scores"]} == set(PRICED_CLOUDS)
    assert all(0 <= score["low"] < score["high"] <= 100 for score in shown["scores"])
    assert all(score["parts"]["support"] == [0, 100] for score in shown["scores"])


def test_what_weighs_nothing_is_not_shown(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "score", "--weights", "cost=1", "--cloud", "aws").out

    assert "support" not in out
    assert "100" in out


def test_doubts_are_marked_in_the_score(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "score", "--cloud", "aws", "--as-of", "2028-01-01").out
    late = ("--cloud", "aws", "--as-of", "2028-01-01", "--json")
    shown = json.loads(gpuinfra("catalog", "score", *late).out)
    doubts = {
        row["name"]: [key for key in ("outdated", "unverified") if row["readings"]["aws"][key]]
        for row in shown["inputs"]
    }

    assert "1.17*" in out
    assert "18,000~" in out
    assert "*  a price older than 400 days" in out
    assert "~  unverified:" in out
    assert doubts["A100, committed"] == ["outdated"]
    assert doubts["dense FP16 rate of the best machine type"] == ["unverified"]
    young = gpuinfra("catalog", "score", "--cloud", "aws", "--as-of", "2026-11-21").out
    assert "1.17" in young
    assert "older than" not in young


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("performance=9e999999999999999999", "is not a number, or out of range"),
        ("performance=1e999999,cost=1e999999", "is not a number, or out of range"),
        ("performance=1e-999999", "is not a number, or out of range"),
        ("performance=1,performance=2", "performance has two weights"),
        ("performance=1000000,cost=0", ""),
    ],
)
def test_weights_have_bounds_and_stand_once(gpuinfra: Run, weights: str, message: str) -> None:
    ran = gpuinfra("catalog", "score", "--weights", weights)

    assert ran.code == (2 if message else 0)
    assert message in ran.err


def test_a_cloud_that_is_named_twice_is_scored_once(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "score", "--cloud", "aws", "--cloud", "aws", "--json").out

    assert [score["cloud"] for score in json.loads(out)["scores"]] == ["aws"]
