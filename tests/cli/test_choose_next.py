"""The command of init that `gpuinfra choose` ends with: it writes what was chosen into a file."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("H100:8",), "--gpu H100-SXM-80GB:8 --where us-east-1"),
        (
            ("--for-model", "{parameters: 8B, task: lora}"),
            "--what fine-tune --gpu L40S:1 --where us-east-1",
        ),
        (
            ("--for-model", "{parameters: 8B, task: serve}", "--cloud", "gcp"),
            "--what pool --gpu L4:1 --where us-east4",
        ),
    ],
)
def test_the_answer_ends_with_the_command_that_writes_it_into_a_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], words: str
) -> None:
    told = gpuinfra("choose", *asked, "--as-of", "2026-11-20").out

    assert told.splitlines()[-1] == f"next: gpuinfra init my-stack {words}"
    assert gpuinfra("init", tmp_path / "my-stack", *words.split()).code == 0


@pytest.mark.parametrize(
    ("asked", "words", "key"),
    [
        (("L4:1", "--cloud", "gcp"), "--what fine-tune ", "capacity: spot"),
        (
            ("--for-model", "{parameters: 8B, task: serve}", "--cloud", "aws"),
            "--what pool ",
            "capacity: {on_demand_base: 1, above: spot}",
        ),
    ],
)
def test_a_spot_machine_ends_with_the_command_that_writes_it_into_a_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], words: str, key: str
) -> None:
    out = gpuinfra("choose", *asked, "--capacity", "spot", "--as-of", "2026-11-20").out

    command = out.splitlines()[-1]
    assert command.startswith(f"next: gpuinfra init my-stack {words}")
    file = tmp_path / "my-stack/stack.yaml"
    given = command.partition(" my-stack ")[2]
    assert gpuinfra("init", file.parent, *given.split()).code == 0
    assert f"\n    {key}\n" in file.read_text()
    assert gpuinfra("check", file).code == 0


def test_the_limit_of_a_spot_machine_is_written_into_the_file_too(
    gpuinfra: Run, tmp_path: Path
) -> None:
    limit = ("--max-per-hour", "30", "--capacity", "spot", "--as-of", "2026-11-20")
    command, gpu = gpuinfra("choose", "H100:8", *limit).out.splitlines()[-2:]
    file = tmp_path / "my-stack/stack.yaml"
    given = command.partition(" my-stack ")[2]

    key = "gpu: {model: H100-SXM-80GB, count: 8, max_per_hour: 30}"
    assert gpu == f"then: write {key} in it"
    assert gpuinfra("init", file.parent, *given.split()).code == 0
    text = file.read_text().replace("gpu: H100-SXM-80GB:8", key)
    file.write_text(text)
    assert gpuinfra("check", file).code == 0
    plan = gpuinfra("plan", file).out
    assert "$30.00" in plan
    assert "spot counts at the on-demand price" not in plan


@pytest.mark.parametrize(
    ("asked", "edit"),
    [
        (("L4:1", "--vcpu-per-gpu", "16", "--cloud", "aws"), ""),
        (("A10G:1", "--fabric"), "fabric: required"),
        (("g6.8xlarge",), ""),
        (("L4:1", "--nodes", "2", "--cloud", "aws"), ""),
        (("g6.8xlarge", "--capacity", "spot", "--max-per-hour", "1.5"), "max_price: 1.5"),
        (("g6.8xlarge", "--capacity", "spot", "--max-per-hour", "3"), ""),
    ],
)
def test_a_machine_that_the_gpus_alone_would_not_give_is_named_by_its_type(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], edit: str
) -> None:
    choice = gpuinfra("choose", *asked, "--as-of", "2026-11-20").out
    lines = choice.splitlines()
    type_ = re.search(r"^→ (?:\d × )?(\S+) ", choice, re.MULTILINE)
    command, *edits = lines[next(i for i, line in enumerate(lines) if "init " in line) :]
    file = tmp_path / "my-stack/stack.yaml"

    assert type_
    assert f" --instance {type_[1]} --where " in command
    assert "--gpu" not in command
    assert edits == ([f"then: write {edit} in it"] if edit else [])
    assert gpuinfra("init", file.parent, *command.partition(" my-stack ")[2].split()).code == 0
    key = f"instance: {type_[1]}"
    file.write_text(file.read_text().replace(key, f"{key}\n    {edit}"))
    assert f" {type_[1]} " in gpuinfra("plan", file).out
    assert gpuinfra("check", file).code == 0


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_commitment_is_bought_beside_the_file(gpuinfra: Run, tmp_path: Path, cloud: str) -> None:
    asked = ("H100:8", "--commitment", "3y", "--cloud", cloud, "--as-of", "2026-11-20")
    out = gpuinfra("choose", *asked).out

    command, then = out.splitlines()[-2:]
    assert then == f"then: buy the commitment from {cloud}: the file has on-demand machines"
    file = tmp_path / "my-stack/stack.yaml"
    assert gpuinfra("init", file.parent, *command.partition(" my-stack ")[2].split()).code == 0
    machine = out.partition("→ ")[2].split()[0]
    assert f" {machine} " in gpuinfra("plan", file).out


FABRIC_IMAGE = "the default image lacks the fabric driver or the NCCL plugin; set machine_image"


@pytest.mark.parametrize(
    ("clouds", "code", "ordered"),
    [
        ((), 0, ["p5.48xlarge", "a3-highgpu-8g", "a3-megagpu-8g"]),
        (("--cloud", "gcp"), 1, ["a3-highgpu-8g", "a3-megagpu-8g"]),
    ],
)
def test_a_fabric_that_the_default_image_can_not_use_ranks_last(
    gpuinfra: Run, tmp_path: Path, clouds: tuple[str, ...], code: int, ordered: list[str]
) -> None:
    spot = ("H100:8", "--nodes", "4", "--fabric", "--capacity", "spot", *clouds)
    out = gpuinfra("choose", *spot, "--as-of", "2026-11-20").out

    ranking, _, steps = out.partition("next: ")
    assert re.findall(r"4 × (p5\.48\S+|a3-(?:high|mega)gpu-8g)", ranking) == ordered
    assert f"a3-megagpu-8g, a3-edgegpu-8g: {FABRIC_IMAGE}" in " ".join(ranking.split())
    command, then = (" ".join(part.split()) for part in steps.split("then: "))
    file = tmp_path / "my-stack/stack.yaml"
    assert gpuinfra("init", file.parent, *command.partition(" my-stack ")[2].split()).code == 0
    file.write_text(re.sub(r"fabric: preferred.*", "fabric: required", file.read_text()))
    checked = gpuinfra("check", file)
    assert checked.code == code
    assert ("fabric-driver" in checked.out) is (FABRIC_IMAGE in then) is bool(code)


@pytest.mark.parametrize(
    ("asked", "machine"),
    [
        ((), "a3-highgpu-8g"),
        (("--nodes", "4"), "4 × p5.48xlarge"),
        (("--fabric",), "p5.48xlarge"),
        (("--nodes", "2", "--for-model", "{parameters: 8B, task: lora}"), "2 × p5.48xlarge"),
        (("--nodes", "2", "--for-model", "{parameters: 8B, task: serve}"), "2 × a3-highgpu-8g"),
    ],
)
def test_machines_that_work_together_can_use_their_fabric(
    gpuinfra: Run, asked: tuple[str, ...], machine: str
) -> None:
    """For one machine, that its image can't use the fabric of the cheapest is no difference."""
    spot = ("choose", "H100:8", "--capacity", "spot", "--as-of", "2026-11-20", *asked)

    assert gpuinfra(*spot).out.partition("→ ")[2].startswith(f"{machine} ")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (("H100:8", "--cloud", "lambda"), "gpuinfra can't build on lambda"),
        (("MI300X:8",), "no public image is known to start Standard_ND96isr_MI300X_v5; "),
        (("TRAINIUM2:1",), "no price is known in ap-south-2; "),
        (("GB200:4",), "no public image is known to start "),
        (("p5.48xlarge", "--capacity", "capacity-block"), "it writes on-demand or spot; "),
        (("L4:0.125",), "it asks for whole GPUs"),
    ],
)
def test_what_init_does_not_write_is_not_proposed_but_said(
    gpuinfra: Run, asked: tuple[str, ...], reason: str
) -> None:
    out = gpuinfra("choose", *asked, "--as-of", "2026-11-20").out

    assert "gpuinfra init" not in out
    told = " ".join(out.partition("\nnext: ")[2].split())
    assert told.startswith(f"no starter file of init has this machine: {reason}")
    assert "next: " not in gpuinfra("choose", *asked, "--all", "--as-of", "2026-11-20").out


@pytest.mark.parametrize("asked", [("H100:8",), ("H100:8", "--nodes", "2", "--capacity", "spot")])
def test_the_duration_of_a_run_is_set_in_its_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    out = gpuinfra("choose", *asked, "--for", "72h", "--as-of", "2026-11-20").out
    command = out.splitlines()[-1]

    assert "--what fine-tune" in command
    given = command.partition(" my-stack ")[2].split()
    assert gpuinfra("init", tmp_path / "my-stack", *given).code == 0
    text = (tmp_path / "my-stack/stack.yaml").read_text()
    assert "    duration: 72h\n    time_to_live: 90h " in text
    assert ("    nodes: 2\n" in text) is ("--nodes" in asked)
    assert gpuinfra("check", tmp_path / "my-stack").code == 0
