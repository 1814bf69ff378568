"""Misspelt GPUs and machine types are told in the first pass, beside any other fault."""

import re
from pathlib import Path

import pytest

from gpuinfra.catalog.gpus import gpu
from gpuinfra.clouds import CLOUDS
from tests.cli.conftest import Run

HEAD = "name: demo\nowner: ml\nbudget: {per_hour: 60}\n"
TYPES = {"aws": "g6.xlarg", "gcp": "g2-standard-5", "azure": "Standard_NC8as_T4_v4"}


@pytest.mark.parametrize(
    "where",
    [
        "{regions: [us-east-1]}",
        "{regions: [us-east-9]}",
        "{region: us-east-1}",
        *(f"{{cloud: {cloud}, regions: [nowhere-1]}}" for cloud in CLOUDS),
    ],
)
@pytest.mark.parametrize(
    "work",
    [
        "training: {x: {gpu: {model: H10O, count: 8}, duration: 2h}}",
        'training: {x: {gpu: "H10O:8", duraton: 2h}}',
        "training: {x: {gpu: H10O, capacity: [spott], nodes: []}}",
        'inference: {x: {gpu: "H10O:8", replicas: 2..4, image: a, port: 80}}',
        'inference: {x: {gpu: "H10O:8", replicas: 2..4}}',
    ],
)
def test_an_unknown_gpu_is_told_once_beside_other_faults(
    gpuinfra: Run, tmp_path: Path, where: str, work: str
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(f"{HEAD}where: {where}\n{work}\n")

    told = gpuinfra("check", file).err

    assert told.count("unknown GPU") == 1
    assert "did you mean 'H100" in told


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("key", ["", "replicas: 2..4, image: a, port: 80"])
def test_an_unknown_machine_type_is_told_beside_other_faults(
    gpuinfra: Run, tmp_path: Path, cloud: str, key: str
) -> None:
    file = tmp_path / "stack.yaml"
    section = "inference" if key else "training"
    work = f"{section}: {{x: {{instance: {TYPES[cloud]}, {key}}}}}\n"
    for where in (f"{{cloud: {cloud}, regions: [nowhere-1]}}", f"{{cloud: {cloud}, region: x}}"):
        file.write_text(f"{HEAD}where: {where}\n{work}")

        assert gpuinfra("check", file).err.count("unknown machine type") == 1


def test_the_other_machine_types_of_a_pool_are_told_too(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    work = "inference: {x: {instance: g6.xlarge, mixed: [g6.2xlarg, g6.4xlarge], replicas: 2}}\n"
    file.write_text(f"{HEAD}where: {{regions: [us-east-1]}}\n{work}")

    told = gpuinfra("check", file).err

    assert "did you mean 'g6.2xlarge'?" in told
    assert "inference.x has no 'image'" in told


@pytest.mark.parametrize("command", [("choose",), ("init", "mine", "--gpu")])
@pytest.mark.parametrize(("word", "is_tpu"), [("TPU", True), ("tpu-v5e:8", True), ("v8", False)])
def test_a_tpu_is_no_gpu_of_the_catalog(
    gpuinfra: Run, command: tuple[str, ...], word: str, is_tpu: bool
) -> None:
    told = gpuinfra(*command, word)

    assert told.code == 2
    tables = "`gpuinfra catalog ls` lists the GPUs of all machine types"
    assert f"fix:     {'TPUs are not in the catalog; ' * is_tpu}{tables}\n" in told.err


def test_known_names_are_not_told(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(f'{HEAD}where: {{region: us-east-1}}\ntraining: {{x: {{gpu: "H100:8"}}}}\n')

    assert "unknown GPU" not in gpuinfra("check", file).err


def test_an_unknown_gpu_shows_the_smallest_of_all_clouds_and_what_lists_them(
    gpuinfra: Run, tmp_path: Path
) -> None:
    err = gpuinfra("init", tmp_path / "mine", "--gpu", "foo").err

    (allowed,) = (line for line in err.splitlines() if line.startswith("  allowed: "))
    words, _, more = allowed.removeprefix("  allowed: ").partition(" and ")
    sizes = [model.memory_gb for model in map(gpu, words.split(", ")) if model]
    assert sizes == sorted(sizes)
    assert len(sizes) == 8
    assert re.fullmatch(r"\d+ more", more)
    assert "  fix:     `gpuinfra catalog ls` lists " in err


def test_a_gpu_that_no_cloud_has_shows_those_nearest_to_it_once(
    gpuinfra: Run, tmp_path: Path
) -> None:
    err = gpuinfra("init", tmp_path / "mine", "--gpu", "RTX4090").err

    assert re.search(r"^  allowed: (\S+, ){7}\S+ and more$", err, re.MULTILINE)
    assert "  fix:     nearest in memory and speed: L4 (24 GB, 121 BF16 TFLOPS), " in err
