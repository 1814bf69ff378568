"""`gpuinfra cost` on interruptions, storage and energy, as a user sees it."""

import json
from pathlib import Path

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


def test_the_guides_h100_draws_9198_kwh_in_a_year(gpuinfra, tmp_path):
    """700 W x PUE 1.5 x 8,760 h."""
    file = tmp_path / "stack.yaml"
    file.write_text(H100_YEAR)

    (energy,) = json.loads(gpuinfra("cost", file, "--json").out)["energy"]
    said = gpuinfra("cost", file).out

    assert energy["total_kwh"] == 9198
    assert energy["carbon_kg"] == 3679.2
    assert "energy of t: 9,198 kWh, 3,679 kg of CO2" in said
    assert "hosts and networks are not in it" in said


def test_a_run_is_told_in_a_few_lines(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(RUN)
    said = gpuinfra("cost", file).out
    shown = said[said.index("trainer: 72h of work on 4 × p5.48xlarge") :]

    assert "capacity-block" in shown
    assert "more than 20% of machines a month, counted at that" in shown
    assert "AWS Spot Advisor" in shown
    assert "best every 5h 38m (Daly 2006; Young: 5h 38m)" in shown
    assert "break-even: spot is cheaper than on demand as long as" in shown
    assert "reads 80GB/s: the GPUs wait for data" in shown
    assert "narrowest for a checkpoint: checkpoints.write, 2GB/s" in shown
    assert len(shown.splitlines()) < 20


def test_what_is_missing_is_named_with_its_key(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(
        H100_YEAR.replace(
            "duration: 365d", "duration: 30d, checkpoints: {bucket: b, write: 1GB/s}"
        )
        + "buckets: {b: {}}\n"
    )
    said = gpuinfra("cost", file).out

    assert "not known without checkpoints: {size: 140GB, restart: 10m} under training.t" in said
    assert "nobody publishes how often this machine is taken back here" in said


def test_json_has_the_documented_shape(gpuinfra):
    (run,) = json.loads(gpuinfra("cost", STACKS / "training", "--json").out)["outlook"]
    text = (STACKS.parent / "docs" / "json.md").read_text()
    documented = text[text.index("A run's outlook") : text.index("An outcome's `ending`")]

    assert all(f"`{key}`" in documented for key in run)
    assert all(f"`{key}`" in documented for key in run["ways"][0])
    assert all(f"`{key}`" in documented for key in run["storage"])
