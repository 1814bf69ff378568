"""What the start-up scripts of all clouds have in common."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clouds.aws import test_userdata as aws
from tests.clouds.azure import test_userdata as azure
from tests.clouds.gcp import test_userdata as gcp
from tests.clouds.startup_scripts import environment

GOLDEN = Path(__file__).parents[1] / "golden" / "startup"
OF_AWS = {**aws.CHECKED, **aws.PROGRAMS}
SCRIPTS = {**aws.SCRIPTS, **azure.SCRIPTS, **gcp.SCRIPTS}
CHECKED = {**SCRIPTS, **OF_AWS}

RunIn = Callable[[str, Path], str]
on_each_cloud = pytest.mark.parametrize(
    ("run_in", "prefix"),
    [(aws.run_in, ""), (azure.run_in, "azure-"), (gcp.run_in, "gcp-")],
    ids=["aws", "azure", "gcp"],
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_is_the_golden_one(name: str) -> None:
    golden = GOLDEN / f"{name}.sh"
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(SCRIPTS[name])

    assert SCRIPTS[name] == golden.read_text(), "if it is meant: make golden"


@pytest.mark.parametrize("name", CHECKED)
def test_script_parses(name: str) -> None:
    parsed = subprocess.run(
        ["bash", "-n"], input=CHECKED[name], capture_output=True, text=True, check=False
    )

    assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.parametrize("name", CHECKED)
def test_shellcheck_has_nothing_to_say(name: str) -> None:
    # What a program of AWS reads of /etc/gpuinfra is assigned there.
    aside = "SC1091,SC2154" if name in OF_AWS else "SC1091"
    checked = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), f"--exclude={aside}", "-"],
        input=CHECKED[name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.stdout == ""


@on_each_cloud
@pytest.mark.parametrize(
    ("name", "reader", "mounts"),
    [("training-cluster", "gpuinfra-job.service", 2), ("inference-pool", "docker.service", 1)],
)
def test_what_reads_the_mounts_starts_after_them_and_not_without_them(
    tmp_path: Path, run_in: RunIn, prefix: str, name: str, reader: str, mounts: int
) -> None:
    calls = run_in(SCRIPTS[prefix + name], tmp_path)
    units = sorted((tmp_path / "etc/systemd/system").glob("gpuinfra-mount-*.service"))

    assert len(units) == mounts
    for unit in units:
        before, _, install = unit.read_text().partition("[Install]")
        assert f"\nBefore={reader}\n" in before
        assert f"\nRequiredBy={reader}\n" in install
        assert f"systemctl enable {unit.name}" in calls
    if reader == "gpuinfra-job.service":
        assert "systemctl start" not in calls
        assert f"systemctl enable --now {reader}" in calls
    else:
        started = f"systemctl start {' '.join(unit.name for unit in units)}\n"
        assert calls.index(started) < calls.index("docker run")


@on_each_cloud
def test_the_environment_reaches_a_shell_whatever_its_values(
    tmp_path: Path, run_in: RunIn, prefix: str
) -> None:
    run_in(SCRIPTS[f"{prefix}training-cluster"], tmp_path)

    assert {
        "CHECKPOINT_DIR=/checkpoints",
        "CHECKPOINT_EVERY_SECONDS=600",
        "DATA_DIR=/data/data-tokens",
        "DATA_DIR_DATA_TOKENS=/data/data-tokens",
        "GPUINFRA_NODES=4",
        "GPUINFRA_GPUS=8",
    } <= environment(tmp_path)


@on_each_cloud
def test_the_script_may_run_again(tmp_path: Path, run_in: RunIn, prefix: str) -> None:
    first = run_in(SCRIPTS[f"{prefix}training-cluster"], tmp_path)
    files = {path: path.read_text() for path in (tmp_path / "etc").rglob("*") if path.is_file()}
    second = run_in(SCRIPTS[f"{prefix}training-cluster"], tmp_path)

    assert second == first * 2
    assert files == {
        path: path.read_text() for path in (tmp_path / "etc").rglob("*") if path.is_file()
    }


@on_each_cloud
def test_the_container_gets_gpus_port_and_data(tmp_path: Path, run_in: RunIn, prefix: str) -> None:
    calls = run_in(SCRIPTS[f"{prefix}inference-pool"], tmp_path).splitlines()

    assert (
        "docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g"
        " --publish 8000:8000 --volume=/data:/data:ro,rslave --env=DATA_DIR=/data/data-tokens"
        " --env=DATA_DIR_DATA_TOKENS=/data/data-tokens vllm/vllm-openai:v0.11.0"
    ) in calls
    assert "docker login" not in "\n".join(calls)
