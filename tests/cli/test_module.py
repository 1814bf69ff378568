"""`python -m gpuinfra` is `gpuinfra`."""

import subprocess
import sys

import pytest

from gpuinfra import __version__


@pytest.mark.parametrize("module", ["gpuinfra", "gpuinfra.cli"])
@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--version"], 0, f"gpuinfra {__version__}\n"),
        (["--help"], 0, "Usage: gpuinfra [OPTIONS] COMMAND [ARGS]..."),
        (["check", "no-such-folder"], 2, "error: no-such-folder does not exist"),
    ],
)
def test_the_package_runs_as_a_module(module: str, words: list[str], code: int, text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, *words], capture_output=True, text=True, check=False
    )

    assert done.returncode == code
    assert (done.stdout + done.stderr).startswith(text)
