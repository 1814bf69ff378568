"""What the launcher starts writes, is signalled and ends as a Python of its own does."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm import REAL

pytestmark = pytest.mark.e2e

TOLD = {"PYTHONPROFILEIMPORTTIME": "1"}
"""A Python that imports says so on standard error."""


def ran(python: str, *words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **more},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "gpuinfra.sandbox.plugin"),
        ("-m", "gpuinfra.sandbox.plugin", "oracle"),
        ("-m", "gpuinfra.cli", "--version"),
        ("-m", "gpuinfra.cli", "check", "nothing.yaml"),
        ("-u", "-m", "gpuinfra.cli", "check", "."),
        ("-m", "pulumi.policy"),
    ],
)
def test_it_writes_and_ends_as_in_a_python_of_its_own(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "stack.yaml").write_text("version: 1\nname: small\n")
    own = ran(REAL, *words, folder=tmp_path)
    warm = ran(sys.executable, *words, folder=tmp_path)

    assert sys.executable != REAL
    assert (warm.returncode, warm.stdout) == (own.returncode, own.stdout)
    assert warm.stderr == own.stderr


def test_it_imports_nothing_anew(tmp_path: Path) -> None:
    words = ("-m", "gpuinfra.cli", "--version")

    assert "import time:" in ran(REAL, *words, folder=tmp_path, **TOLD).stderr
    assert ran(sys.executable, *words, folder=tmp_path, **TOLD).stderr == ""


def test_what_the_server_does_not_know_runs_in_a_python_of_its_own(tmp_path: Path) -> None:
    code = "import sys; print('pulumi' in sys.modules, sys.executable)"
    done = ran(sys.executable, "-c", code, folder=tmp_path)

    assert done.stdout.split() == ["False", REAL]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_kills_the_launcher_ends_what_it_stands_for(
    number: signal.Signals, sandbox_home: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "gpuinfra.sandbox.plugin", "gcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as plugin:
        assert plugin.stdout is not None
        port = int(plugin.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)):
            pass
        plugin.send_signal(number)
        assert plugin.wait(timeout=30) != 0

    deadline = time.monotonic() + 30
    while listens(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
