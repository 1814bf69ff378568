"""`gpuinfra cost` says what its expected figures count."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

N1 = """\
budget: {{per_hour: 20, per_month: 3000}}
where: {{regions: [us-central1]}}
inference:
  serve: {{gpu: "{gpu}", replicas: 2, image: vllm/vllm-openai:v0.11.0, port: 8000}}
"""
RUNS = """\
budget: {per_hour: 20}
where: {regions: [us-east-1]}
training:
  tune: {gpu: "L4:1", duration: 24h, runs: 3}
  sweep: {gpu: "L4:1", duration: 1h}
inference:
  serve: {gpu: "L4:1", replicas: 1..3, image: vllm/vllm-openai:v0.11.0, port: 8000}
"""


ON_SPOT = """\
budget: {per_hour: 60, per_run: 2000}
where: {cloud: aws, regions: [us-east-2]}
buckets: {data: {size: 10GB}}
training:
  tune:
    gpu: "H100:8"
    capacity: [CAPACITY]
    duration: 24h
    time_to_live: 30h
    interruptions: 99%
    checkpoints: {bucket: data, every: 1h, size: 100GB, write: 1GB/s, restart: 30m}
"""


def quoted(gpuinfra: Run, folder: Path, text: str) -> str:
    path = folder / "stack.yaml"
    path.write_text(text)
    return " ".join(gpuinfra("cost", path).out.split())


@pytest.mark.parametrize(("gpu", "is_lower"), [("T4:1", True), ("L4:1", False)])
def test_a_sustained_use_discount_is_named_beside_the_expected_month(
    gpuinfra: Run, tmp_path: Path, gpu: str, is_lower: bool
) -> None:
    told = quoted(gpuinfra, tmp_path, N1.format(gpu=gpu))

    assert ("/month with the sustained-use discount, which caps do not count" in told) is is_lower
    assert ", with " not in told
    assert told.count("expected") == 1


@pytest.mark.parametrize(
    ("capacity", "is_spot"), [("spot, on-demand", True), ("on-demand", False)]
)
def test_figures_with_and_without_interruptions_have_different_names(
    gpuinfra: Run, tmp_path: Path, capacity: str, is_spot: bool
) -> None:
    told = quoted(gpuinfra, tmp_path, ON_SPOT.replace("CAPACITY", capacity))
    full = gpuinfra("cost", tmp_path, "--detail").out
    page = tmp_path / "report.html"
    gpuinfra("report", tmp_path, "--output", page)
    quote = json.loads(gpuinfra("cost", tmp_path, "--json").out)
    spot = next(way["cost"] for way in quote["outlook"][0]["ways"] if way["mode"] == "spot")

    assert spot["expected"] > quote["quote"]["per_run"]["expected"] or not is_spot
    assert ("h a month of tune without interruptions" in told) is is_spot
    heading = "  expected, without interruptions\n" if is_spot else "  expected\n"
    assert heading in full
    assert "machines only; spot with interruptions\n" in full
    assert page.read_text().count("</data>, without interruptions</p>") == 2 * is_spot
    table = gpuinfra("cost", tmp_path, "--format", "markdown").out
    assert ("| expected, without interruptions |" in table) is is_spot


def test_the_runs_and_the_sizes_of_pools_that_count_are_named(
    gpuinfra: Run, tmp_path: Path
) -> None:
    runs = "3 runs of 24 h a month of tune, 1 run of 1 h a month of sweep"
    told = quoted(gpuinfra, tmp_path, RUNS)

    assert f", with {runs}, 1 machine of serve " in told
    full = gpuinfra("cost", tmp_path, "--detail")
    assert f", with {runs} " in " ".join(full.out.split())
    assert "expected figures count serve at its minimum of 1" in full.err
