"""What `gpuinfra choose --for-model` prints: the need of a model, and how its machines rank."""

import json
import re

import pytest

from tests.cli.conftest import Run


def test_a_model_takes_as_many_machines_as_it_needs_and_lists_its_terms(gpuinfra: Run) -> None:
    arguments = ("choose", "A100-80GB:8", "--for-model", "{parameters: 70B}", "--cloud", "aws")
    ran = gpuinfra(*arguments, "--all")
    answer = json.loads(gpuinfra(*arguments, "--json").out)

    assert ran.code == 0
    assert "assumed: 70B to train every parameter (other tasks: lora, serve), " in ran.out
    assert (
        ran.out.index("→ ") < ran.out.index("assumed: about 7") < ran.out.index("optimizer states")
    )
    assert "rule of thumb" in ran.out
    assert answer["winner"]["machines"] == answer["need"]["machines"] > 1
    assert answer["need"]["per_gpu_gb"] <= answer["need"]["gpu_memory_gb"]


def test_machines_that_no_known_network_joins_are_told_apart(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "--for-model", "70B")
    alone = gpuinfra(
        "choose", "--for-model", "70B", "--cloud", "lambda", "--memory", "48GB", "--by", "hour"
    )

    assert "→ 1 × p6-b200.48xlarge" in ran.out
    rows = [line for line in ran.out.splitlines() if "aws " in line or "lambda" in line]
    assert "lambda" not in rows[0]
    told = re.compile(r"^\d+ options lack RDMA or a fast network; listed last$", re.MULTILINE)
    assert told.search(gpuinfra("choose", "--for-model", "70B", "--all").out)
    assert not told.search(ran.out), "none of its rows is one of them"
    assert "listed last" not in alone.out
    assert "? gpu_4x_a6000, network of each machine: unknown" in alone.out


@pytest.mark.parametrize(
    ("model", "head", "by"),
    [
        ("{parameters: 70B, task: lora}", "per TFLOPS", "tflops"),
        ("{name: llama-3.1-8b, task: serve}", "per GB/s", "bandwidth"),
    ],
)
def test_the_price_of_a_models_work_stands_beside_its_hour(
    gpuinfra: Run, model: str, head: str, by: str
) -> None:
    asked = ("choose", "--for-model", model, "--cloud", "aws")
    ran, ranked = gpuinfra(*asked), gpuinfra(*asked, "--by", by)

    def figures(out: str) -> dict[str, str]:
        lines = out.splitlines()
        start = next(at for at, line in enumerate(lines) if line.startswith("  machine"))
        where = lines[start].index(head)
        rows = [line for line in lines[start + 2 :] if line[2:3].isalnum() and " aws " in line]
        return {row[2:].split("  ")[0]: row[: where + len(head)].split()[-1] for row in rows}

    shown, expected = figures(ran.out), figures(ranked.out)
    both = shown.keys() & expected.keys()
    assert both
    assert {name: shown[name] for name in both} == {name: expected[name] for name in both}
    told = " ".join(ran.out.split())
    assert f"The $ per hour leaves out the speed: {head} is $ per hour for a " in told
    assert f" (--by {by}) " in told
    assert "leaves out the speed" not in ranked.out + gpuinfra("choose", "L4:1").out


def test_a_whole_training_ranks_by_the_cost_of_its_computation(gpuinfra: Run) -> None:
    def by(*more: str) -> str:
        return json.loads(gpuinfra("choose", *more, "--cloud", "aws", "--json").out)["by"]

    assert by("--for-model", "70B") == by("--for-model", "{parameters: 8B, task: fine-tune}")
    assert by("--for-model", "70B") == "tflops"
    assert by("--for-model", "70B", "--by", "hour") == "hour"
    assert by("--for-model", "70B", "--for", "72h") == "run"
    assert by("--for-model", "{parameters: 70B, task: lora}") == "hour"
    assert by("--for-model", "{parameters: 70B, task: serve}") == by("L4:1") == "hour"


def test_beside_the_cheapest_computation_stands_the_lowest_rate(gpuinfra: Run) -> None:
    asked = ("choose", "--for-model", "70B", "--cloud", "aws")
    told = " ".join(gpuinfra(*asked).out.split())
    lowest = json.loads(gpuinfra(*asked, "--by", "hour", "--json").out)["winner"]
    name = f"{lowest['machines']} × {lowest['machine']['type']} in {lowest['region']} (aws)"

    assert "the less a training costs, whatever the number of its GPUs" in told
    assert f"lowest rate: {name} at $" in told
    assert "lowest rate" not in gpuinfra(*asked, "--by", "hour").out


def test_loose_cards_stand_below_machines_with_nvlink(gpuinfra: Run) -> None:
    asked = ("choose", "--for-model", "70B", "--cloud", "aws")
    ranked = json.loads(gpuinfra(*asked, "--json").out)["ranked"]
    connected = [each for each in ranked if each["connected"] and each["figure"] is not None]
    linked = [each["linked"] for each in connected]

    assert linked == sorted(linked, reverse=True)
    assert {each["machine"]["nvlink"] for each in connected if each["linked"]} == {True}
    assert {each["machines"] > 1 for each in connected if not each["linked"]} == {True}
    told = " ".join(gpuinfra(*asked, "--all").out.split())
    assert "no NVLink between GPUs; listed after those that do" in told
