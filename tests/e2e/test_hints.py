"""What up, status, a refusal and destroy tell a reader to run next runs as it is printed."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.hints import hints_in

STACK = """\
name: mine
owner: ml-platform
target: sandbox
budget: {per_hour: 4}
where: {cloud: aws, regions: [us-east-1]}
training:
  tune:
    gpu: L4:1
    duration: 2h
    capacity: [spot, on-demand]
    checkpoints: {bucket: data, every: 10m}
buckets:
  data: {size: 1GB}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my stack").mkdir()
    (tmp_path / "my stack" / "stack.yaml").write_text(STACK, encoding="utf-8")
    return tmp_path


def played(folder: Path, *words: str) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "GPUINFRA_SANDBOX_HOME": str(folder / ".sandbox")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


@pytest.mark.e2e
def test_each_next_command_runs_as_printed(folder: Path) -> None:
    try:
        played(folder, "sandbox", "start")
        played(folder, "sandbox", "fault", "add", "no-capacity", "--capacity", "spot")
        code, refused = played(folder, "up", "my stack")
        assert code == 3, refused
        follow(folder, refused, {"status", "destroy", "up"})

        code, built = played(folder, "up", "my stack", "--rung", "tune=on-demand@us-east-1")
        assert code == 0, built
        follow(folder, built, {"status"})

        code, again = played(folder, "up", "my stack")
        assert code == 0, again
        assert "tune stays on on-demand@us-east-1" in again
        code, removed = played(folder, "destroy", "my stack")
        assert code == 0, removed
    finally:
        played(folder, "sandbox", "stop")


def follow(folder: Path, text: str, expected: set[str]) -> None:
    """Run what a text tells to run, in its order; all of the expected commands are there."""
    hints = hints_in(text)
    assert expected <= {hint.split()[0] for hint in hints}, text
    for hint in sorted(hints, key=lambda hint: hint.startswith("destroy")):
        code, message = played(folder, *shlex.split(hint))
        assert code == 0, (hint, message)
