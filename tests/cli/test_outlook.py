"""`gpuinfra cost` on interruptions, storage and energy, as a user sees it."""

import json
import re
from pathlib import Path

import pytest

from gpuinfra.report.run_words import hours

STACKS = Path(__file__).parents[2] / "stacks"

H100_YEAR = """\
version: 1
name: h100-year
owner: me
prices: {accept_outdated: true}
where: {cloud: gcp, regions: [us-central1]}
energy: {pue: 1.5, carbon: 400 g/kWh}
training:
  t: {instance: a3-highgpu-1g, capacity: spot, duration: 365d, fabric: none}
"""


RUN = """\
version: 1
name: run
owner: me
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    instance: p5.48xlarge
    nodes: 4
    capacity: [spot, on-demand]
    max_price: 40
    duration: 72h
    data: [{bucket: data, prefix: tokens/, rate: 80GB/s}]
    checkpoints: {bucket: data, every: 10m, size: 140GB, write: 2GB/s, restart: 10m}
buckets: {data: {size: 2TB}}
"""

SPOT = """\
version: 1
name: my-stack
owner: me
where: {cloud: aws, regions: [us-east-1]}
budget: {per_hour: 40}
training:
  tune:
    gpu: L4:1
    duration: 24h
    capacity: spot
"""


def test_the_guides_h100_draws_9198_kwh_in_a_year(gpuinfra, tmp_path):
    """700 W x PUE 1.5 x 8,760 h."""
    file = tmp_path / "stack.yaml"
    file.write_text(H100_YEAR)

    (energy,) = json.loads(gpuinfra("cost", file, "--json").out)["energy"]
    output = gpuinfra("cost", file, "--detail").out

    assert energy["total_kwh"] == 9198
    assert energy["carbon_kg"] == 3679.2
    assert "energy of t: 9,198 kWh, 3,679 kg of CO2" in output
    assert "(1 × H100-SXM-80GB at 700 W, PUE 1.5, 8,760h, the duration)" in output
    assert "not included: hosts, networks, writing checkpoints and interruptions" in output


def test_a_run_is_told_in_a_few_lines(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN)
    output = gpuinfra("cost", file, "--detail").out
    shown = output[output.index("trainer: 72h of work on 4 × p5.48xlarge") :]

    assert "capacity-block" in shown
    assert "more than 20% of machines a month, counted at that" in shown
    assert "AWS Spot Advisor" in shown
    assert "best every 5h 38m (Daly 2006; Young: 5h 38m)" in shown
    assert "break-even: spot is cheaper than on demand as long as" in shown
    assert "reads 80GB/s: the GPUs wait for data" in shown
    assert "slowest link for a checkpoint: checkpoints.write, 2GB/s" in shown
    assert "hours: 72h of work (duration, which energy counts)" in shown
    assert "with checkpoint writing 80.4 h (caps count it up to time_to_live)," in shown
    assert "with interruptions on spot 80.4 h" in shown
    assert len(shown.splitlines()) < 20


def test_a_maximum_that_is_counted_is_shown_as_one_beside_todays_price(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN)
    output = gpuinfra("cost", file, "--detail").out
    row = next(line for line in output.splitlines() if line.strip().startswith("spot "))
    (marked,) = [line for line in output.splitlines() if line.strip().startswith("→")]

    assert "max_price, may wait" in row
    assert "2026" not in row
    assert "capacity-block" in marked
    assert "costs $55.04 in the most expensive zone of us-east-1 (skypilot" in output
    assert "spot max_price of the spot request" in output


def test_a_spot_price_too_old_to_count_is_shown_as_a_bound(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    text = RUN.replace("p5.48xlarge", "g6.xlarge").replace("max_price: 40", "fabric: none")
    file.write_text(text)
    output = gpuinfra("cost", file, "--detail", "--as-of", "2026-11-26").out
    row = next(line for line in output.splitlines() if line.strip().startswith("spot  "))

    assert re.search(r"spot +≤ \$3\.22 .* ≤ \S+ +2026-\S+ on demand$", row)
    assert "break-even: unknown: the spot price is too old" in output


def test_a_run_over_its_cap_by_writing_is_excluded_and_one_that_ends_before_warned_of(
    gpuinfra, tmp_path
):
    file = tmp_path / "stack.yaml"
    file.write_text(f"{RUN}budget: {{per_run: 16500}}\n")
    refused = gpuinfra("cost", file, "--detail").out
    file.write_text(
        file.read_text().replace("duration: 72h", "duration: 72h\n    time_to_live: 74h")
    )
    output = gpuinfra("cost", file, "--detail").out

    assert "excluded: $17,7" in refused
    assert (
        "warning: on-demand may exceed per_run $16,500.00: $17,700.86 expected (the cap "
        "counts no interruptions, and no hours after time_to_live)" in output
    )


def test_a_checkpoint_that_is_not_written_before_the_next_is_warned_of(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN.replace("140GB, write: 2GB/s", "1EB, write: 1kB/s"))
    ran = gpuinfra("cost", file, "--detail")

    assert ran.code == 0
    assert "longer than the 10m of work between two" in ran.out
    assert "on-demand: with its checkpoints it would take more than a century" in ran.out


def test_a_rate_of_the_users_own_is_marked_as_theirs(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN.replace("duration: 72h", "duration: 72h\n    interruptions: 5%"))
    output = gpuinfra("cost", file, "--detail").out

    assert "rate of interruptions: 5% of machines a month: one in" in output
    assert "(yours: training.trainer.interruptions)" in output


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        ("1%", r"80\.4 {2,}\S+ \(p90 \S+\) "),
        ("99%", r"8\d\.\d \(80\.\d to 8\d\.\d\) {2,}\S+ \(\S+ to \S+\) "),
    ],
)
def test_no_mean_is_shown_beside_percentiles_that_do_not_hold_it(gpuinfra, tmp_path, share, shown):
    """Of few interrupted runs the mean is above the 90th percentile."""
    file = tmp_path / "stack.yaml"
    text = RUN.replace("    max_price: 40\n", f"    interruptions: {share}\n")
    file.write_text(text.replace("us-east-1", "us-east-2"))
    output = gpuinfra("cost", file, "--detail").out
    row = next(line for line in output.splitlines() if re.match("(→|  ) ?spot ", line))
    (spot,) = (
        way
        for way in json.loads(gpuinfra("cost", file, "--json").out)["outlook"][0]["ways"]
        if way["mode"] == "spot"
    )

    is_above = spot["cost"]["expected"] > spot["cost"]["p90"]
    assert is_above is (share == "1%")
    assert (
        "of runs have any, which raise the mean above p90" in " ".join(output.split())
    ) is is_above
    assert re.search(shown, row)


def test_a_published_bucket_is_told_with_the_end_that_counts(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(
        RUN.replace("instance: p5.48xlarge", "instance: g4dn.xlarge\n    fabric: none")
        .replace("nodes: 4", "nodes: 1")
        .replace("    max_price: 40\n", "")
    )
    output = gpuinfra("cost", file, "--detail").out

    assert re.search(
        r"interruptions: (\d+)% to (\d+)% of machines a month, counted at \2%", output
    )


@pytest.mark.parametrize(
    ("hours_", "words"),
    [(1 / 3600, "1s"), (0.05, "3m"), (1.5, "1h 30m"), (72, "72h"), (2.8e11, "280,000,000,000h")],
)
def test_hours_are_said_as_people_do_however_many(hours_, words):
    assert hours(hours_) == words


def test_a_short_run_saves_itself_best_at_its_end(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN.replace("duration: 72h", "duration: 1s").replace(" every: 10m,", ""))

    assert "best once, at the end of the run" in gpuinfra("cost", file, "--detail").out


def test_one_gpu_and_one_day_are_no_plural(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(
        RUN.replace("duration: 72h", "duration: 1h")
        .replace(
            "buckets:",
            "  small:\n    gpu: {for_model: llama-3.1-8b, count: 1}\n    capacity: spot\nbuckets:",
        )
        .replace("for_model: llama-3.1-8b", "for_model: {parameters: 1B}")
    )
    output = gpuinfra("cost", file, "--detail").out

    assert "1 day is booked and billed" in output
    assert re.search(r": \d+ GB on one GPU, which has \d+ GB", output)
    assert "assumed of small: " in output
    assert "one sequence per GPU at a time (batch: 1)" in output


def test_what_is_missing_is_named_with_its_key(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(
        H100_YEAR.replace(
            "duration: 365d", "duration: 30d, checkpoints: {bucket: b, write: 1GB/s}"
        )
        + "buckets: {b: {}}\n"
    )
    output = gpuinfra("cost", file, "--detail").out

    assert (
        "unknown; add size: 140GB, restart: 10m under training.t.checkpoints, with your" in output
    )
    assert "interruptions: how often Google Cloud takes spot machines back is unknown" in output
    assert "https://docs.cloud.google.com/compute/docs/reference/rest/v1/advice" in output
    assert "set interruptions: 5% (share of machines a month) under training.t" in output


@pytest.mark.parametrize("buckets", ["", "buckets: {ours: {size: 1TB}}\n"])
def test_the_checkpoints_that_are_suggested_are_accepted(gpuinfra, tmp_path, buckets):
    file = tmp_path / "stack.yaml"
    file.write_text(SPOT + buckets)
    hint = gpuinfra("cost", file, "--detail").out.split("their cost is unknown; add ")[1]
    keys, _, added = hint.split("\n")[0].partition(" under training.tune")

    added = added.removesuffix(", with your numbers")
    section = added.removeprefix(", and ").partition(" to the file")[0]
    file.write_text(f"{SPOT}    {keys}\n{buckets}{section}\n")

    assert bool(added) is not bool(buckets)
    assert "cost is unknown" not in gpuinfra("cost", file, "--detail").out
    assert gpuinfra("check", file).code == 0


def test_json_has_the_documented_shape(gpuinfra):
    (run,) = json.loads(gpuinfra("cost", STACKS / "training", "--json").out)["outlook"]
    text = (STACKS.parent / "docs" / "json.md").read_text()
    documented = text[text.index("A run's outlook") : text.index("An outcome's `ending`")]

    assert all(f"`{key}`" in documented for key in run)
    assert all(f"`{key}`" in documented for key in run["ways"][0])
    for part in ("storage", "risk", "checkpoint", "even"):
        assert all(f"`{key}`" in documented for key in run[part])
