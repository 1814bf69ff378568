"""What a file leaves open of its GPUs is told by plan, check and cost, with what was taken."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PLACES = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
TASK = "for_model names no task, so llama-3.1-70b is sized to train every parameter (task: train)"
COMMANDS = ("plan", "check", "cost")


def stack(folder: Path, gpu: str, cloud: str = "aws", more: str = "") -> Path:
    """A stack file of one training run."""
    path = folder / "stack.yaml"
    path.write_text(
        "name: demo\nowner: ml\nbudget: {per_hour: 900}\nprices: {accept_outdated: true}\n"
        f"where: {{cloud: {cloud}, regions: [{PLACES[cloud]}]}}\n"
        f"training: {{tune: {{gpu: {gpu}{more}}}}}\n",
        "utf-8",
    )
    return path


def told(gpuinfra: Run, command: str, path: Path) -> str:
    """What a command prints, on one line."""
    return " ".join(gpuinfra(command, path).out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_without_a_task_is_told_what_adapters_would_take(
    command: str, gpuinfra: Run, tmp_path: Path
) -> None:
    out = told(gpuinfra, command, stack(tmp_path, "{for_model: llama-3.1-70b}"))

    assert out.count(TASK) == 1
    found = re.search(
        r"for \$([\d.]+)/h; to train adapters alone \(LoRA\) (.*?) for \$([\d.]+)/h", out
    )
    assert found
    assert float(found[3]) < float(found[1])
    assert "would do: write for_model: {name: llama-3.1-70b, task: lora}" in out


def test_what_is_said_to_write_takes_the_machine_that_is_named(
    gpuinfra: Run, tmp_path: Path
) -> None:
    first = told(gpuinfra, "plan", stack(tmp_path, "{for_model: {parameters: 70B, batch: 2}}"))
    machine = re.search(r"adapters alone \(LoRA\) 1 × (\S+) ", first)
    write = re.search(r"would do: write (for_model: \{.*?\})", first)
    assert machine
    assert write

    then = told(gpuinfra, "plan", stack(tmp_path, f"{{{write[1]}}}"))

    assert machine[1] in then
    assert "names no task" not in then


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("gpu", ["{for_model: {name: llama-3.1-8b, task: train}}", "L4:1", "L4"])
def test_what_is_said_or_expected_is_not_told(
    command: str, gpu: str, gpuinfra: Run, tmp_path: Path
) -> None:
    out = told(gpuinfra, command, stack(tmp_path, gpu))

    assert "names no" not in out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("cloud", "gpu", "taken"),
    [
        ("aws", "A100", "the chosen p4d.24xlarge has 8; write gpu: A100:8 to keep it"),
        ("gcp", "H100", "the chosen a3-highgpu-8g has 8; write gpu: H100:8 to keep it"),
        ("azure", "{model: A100, fabric: infiniband}", "has 8; write count: 8 to keep it"),
    ],
)
def test_a_count_that_is_not_given_is_told(
    command: str, cloud: str, gpu: str, taken: str, gpuinfra: Run, tmp_path: Path
) -> None:
    out = told(gpuinfra, command, stack(tmp_path, gpu, cloud))

    assert out.count("tune: its gpu has no count, and ") == 1
    assert taken in out


def test_a_cloud_with_fewer_is_named(gpuinfra: Run, tmp_path: Path) -> None:
    out = told(gpuinfra, "check", stack(tmp_path, "A100"))

    assert "gcp has a2-highgpu-1g with 1 in " in out
    assert "aws has" not in out


def test_the_plan_lists_them_with_its_other_defaults(gpuinfra: Run, tmp_path: Path) -> None:
    path = stack(tmp_path, "{for_model: llama-3.1-8b}", more="}, two: {gpu: A100")
    defaults = json.loads(gpuinfra("plan", path, "--json").out)["defaults"]
    taken = {".".join(each["path"]): str(each["value"]) for each in defaults}

    assert taken["training.tune.gpu.for_model.task"] == "train"
    assert taken["training.two.gpu.count"] == "8"
    assert "training.two.gpu.for_model.task" not in taken


@pytest.mark.parametrize(
    ("model", "write"),
    [
        ("llama-3.1-70b", "{name: llama-3.1-70b, task: lora}"),
        ("70B", "{parameters: 70B, task: lora}"),
        ("{parameters: 70B, batch: 2}", "{parameters: 70B, batch: 2, task: lora}"),
    ],
)
def test_choose_tells_what_adapters_would_take(model: str, write: str, gpuinfra: Run) -> None:
    out = " ".join(gpuinfra("choose", "--for-model", model, "--cloud", "aws", "--all").out.split())
    found = re.search(r"\(LoRA\) (\d+ × \S+) in .*? for \$[\d.]+ an hour would do", out)

    assert found
    assert f"--for-model '{write}'" in out
    then = " ".join(
        gpuinfra("choose", "--for-model", write, "--cloud", "aws", "--all").out.split()
    )
    assert f"→ {found[1]} " in then or f"→ {found[1].partition(' × ')[2]} " in then
    assert "(LoRA) " not in then.replace("(LoRA): ", "")


@pytest.mark.parametrize("model", ["70B", "llama-3.1-8b"])
def test_the_memory_of_a_gpu_adds_up_as_it_is_shown(model: str, gpuinfra: Run) -> None:
    out = gpuinfra("choose", "--for-model", model, "--cloud", "aws", "--all").out
    table = out.partition("memory of one GPU")[2].partition("\ntogether")
    sizes = re.findall(
        r" ([\d.]+)$", "".join(table[:2]) + table[2].partition("\n")[0], re.MULTILINE
    )

    *parts, total = map(Decimal, sizes)
    assert len(parts) > 2
    assert sum(parts) == total


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_fabric_by_default_costs_is_told(
    command: str, gpuinfra: Run, tmp_path: Path
) -> None:
    out = told(gpuinfra, command, stack(tmp_path, "L4:1", more=", nodes: 2"))

    assert out.count("tune: several nodes require a fabric: 2 × g6.8xlarge for $") == 1
    assert "without one (fabric: none) 2 × g6.xlarge for $" in out


@pytest.mark.parametrize(
    ("gpu", "more"), [("L4:1", ", nodes: 2, fabric: required"), ("H100:8", ", nodes: 2")]
)
def test_a_fabric_that_is_asked_for_or_comes_with_the_machine_is_not_told(
    gpu: str, more: str, gpuinfra: Run, tmp_path: Path
) -> None:
    out = told(gpuinfra, "plan", stack(tmp_path, gpu, more=more))

    assert "require a fabric" not in out
