"""What `init` refuses of its options, before anything is written."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--gpu", "g6.8xlarge"), "fix:     name it as --instance g6.8xlarge"),
        (("--instance", "g6.8xlarg"), "did you mean 'g6.8xlarge'?"),
        (("--instance", "g6.8xlarge", "--gpu", "L4:1"), "name the machine once"),
        (("--instance", "a3-megagpu-8g", "--where", "africa"), "africa has a3-megagpu-8g\n"),
        (("--instance", "g6.xlarge", "--what", "everything"), "has workloads of its own"),
        (
            ("--instance", "p5.48xlarge", "--where", "gcp"),
            "request its GPU: --gpu H100-SXM-80GB:8",
        ),
    ],
)
def test_a_machine_that_init_does_not_take_is_refused(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", *given)

    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "mine").exists()


def test_everything_is_not_written_for_a_region(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--what", "everything", "--where", "us-east-1")

    assert done.code == 2
    assert "takes a cloud as --where: aws, gcp, azure" in done.err


def test_a_draft_without_a_price_is_refused_for_that_alone(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--gpu", "TRAINIUM2:1", "--where", "any")

    assert done.code == 1
    assert done.err.count("price-unknown: no on-demand price for trn2.3xlarge in ap-south-2") == 1
    assert "cap-per" not in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--gpu", "H1000:8"), "H1000"),
        (("--where", "mars-1"), "mars-1"),
        (("--gpu", "H100:8", "--where", "lambda"), "no cloud has this region"),
    ],
)
def test_what_is_not_sold_there_is_told_and_nothing_written(
    gpuinfra: Run, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--what", "development", *arguments)

    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "mine").exists()


def test_a_wrong_gpu_is_refused_by_the_name_of_its_option(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra("init", tmp_path / "box", "--gpu", "2xL4")

    assert ran.code == 2
    assert "error: --gpu is not a request for GPUs\n" in ran.err
    assert "training.box" not in ran.err


def test_the_commented_file_takes_no_gpu_and_a_cloud_with_one_is_a_place(
    gpuinfra: Run, tmp_path: Path
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--what", "everything", "--gpu", "L4:1")
    assert refused.code == 2
    assert "--gpu goes with development, fine-tune, pool" in " ".join(refused.err.split())
    assert not (tmp_path / "mine").exists()

    assert gpuinfra("init", tmp_path / "mine", "--cloud", "gcp", "--gpu", "L4:1").code == 0
    text = (tmp_path / "mine/stack.yaml").read_text()
    assert "where: {cloud: gcp}" in text
    assert "gpu: L4:1" in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--nodes", "2"), "--nodes sets nothing in a file of --what development"),
        (
            ("--what", "pool", "--duration", "3h"),
            "--duration sets nothing in a file of --what pool",
        ),
        (("--capacity", "spot"), "--capacity sets nothing in a file of --what development"),
        (("--what", "fine-tune", "--duration", "soon"), "--duration: 'soon' is not a duration"),
        (("--what", "everything", "--nodes", "2"), "goes with development, fine-tune, pool"),
    ],
)
def test_settings_that_a_file_does_not_have_are_refused(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], told: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", *given)

    assert refused.code == 2
    assert told in " ".join(refused.err.split())
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("what", "fix"),
    [
        ("fine-tune", "use another count: 8, on 2 machines (--nodes 2)"),
        ("pool", "use a count that a cloud has"),
    ],
)
def test_more_gpus_than_a_machine_has_are_several_machines_of_a_run(
    gpuinfra: Run, tmp_path: Path, what: str, fix: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--what", what, "--gpu", "H100:16")

    assert refused.code == 2
    assert f"  fix:     {fix}\n" in refused.err
