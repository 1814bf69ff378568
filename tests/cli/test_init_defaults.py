"""What `init` takes where an option is left out: the usual, and the region that is configured."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("given", "assumed"),
    [
        ((), "--what development, --gpu L4:1, --where aws"),
        (("--gpu", "T4:1"), "--what development, --where aws"),
        (("--what", "pool", "--where", "gcp"), "--gpu L4:1"),
    ],
)
def test_what_was_assumed_is_told(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], assumed: str
) -> None:
    told = gpuinfra("init", tmp_path / "mine", *given).err.splitlines()

    assert f"assumed: {assumed}" in told
    options = assumed.replace(",", "").split()
    assert gpuinfra("init", tmp_path / "again", *given, *options).err.count("assumed: ") == 0
    files = [(tmp_path / name / "stack.yaml").read_text() for name in ("mine", "again")]
    assert files[0] == files[1]


def test_a_configured_region_is_told_with_where_it_is_configured(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    told = gpuinfra("init", tmp_path / "mine", "--what", "pool").err

    assert "assumed: --gpu L4:1, region us-west-2 (AWS_REGION)\n" in told


def test_without_a_place_it_is_the_cloud_with_the_fewest_warnings(
    gpuinfra: Run, tmp_path: Path
) -> None:
    done = gpuinfra("init", tmp_path / "mine")

    assert "where: {cloud: aws}" in (tmp_path / "mine/stack.yaml").read_text()
    assert "check warns" not in done.err


def test_a_configured_region_of_another_cloud_is_taken(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDSDK_COMPUTE_REGION", "us-central1")

    assert gpuinfra("init", tmp_path / "mine").code == 0

    assert "where:" not in (tmp_path / "mine/stack.yaml").read_text()


@pytest.mark.parametrize(
    ("variable", "region", "gpu"),
    [
        ("AWS_REGION", "us-west-2", "L4:1"),
        ("AWS_REGION", "us-east-2", "L4:1"),
        ("AWS_REGION", "eu-west-1", "T4:1"),
        ("ARM_LOCATION_NAME", "westeurope", "T4:1"),
        ("CLOUDSDK_COMPUTE_REGION", "europe-central2", "T4:1"),
    ],
)
def test_what_is_sold_in_the_configured_region_is_suggested_and_passes(
    gpuinfra: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    region: str,
    gpu: str,
) -> None:
    monkeypatch.setenv(variable, region)

    done = gpuinfra("init", tmp_path / "mine")

    assert done.code == 0, done.err
    assert gpuinfra("check", tmp_path / "mine").code == 0
    assert f"    gpu: {gpu}\n" in (tmp_path / "mine/stack.yaml").read_text()


def test_the_owner_is_always_written(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("LOGNAME", "jane")
    for what in ("pool", "everything"):
        gpuinfra("init", tmp_path / what, "--what", what)

        assert "\nowner: jane  " in (tmp_path / what / "stack.yaml").read_text()


def test_a_cloud_alone_is_a_place_of_the_development_machine(
    gpuinfra: Run, tmp_path: Path
) -> None:
    assert gpuinfra("init", tmp_path / "mine", "--cloud", "gcp").code == 0
    text = (tmp_path / "mine/stack.yaml").read_text()

    assert "where: {cloud: gcp}" in text
    assert "# one machine to develop on" in text
