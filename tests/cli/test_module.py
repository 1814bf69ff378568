"""`python -m gpuinfra` is `gpuinfra`, and ends as a Python program does."""

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


ENDED = "import atexit, sys; atexit.register(print, 'ended'); "
WAITING = "import threading; threading.Timer(1, lambda: print('waited')).start(); "
PROFILED = "sys.setprofile(lambda *_: None); "
CLOSED = "sys.stdout = None; "


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", f"gpuinfra {__version__}\nended\n"),
        (WAITING, f"gpuinfra {__version__}\nwaited\nended\n"),
        (PROFILED, f"gpuinfra {__version__}\nended\n"),
        (CLOSED, ""),
    ],
    ids=["alone", "threads", "profiler", "closed"],
)
def test_exit_functions_run_and_threads_are_waited_for(before: str, expected: str) -> None:
    code = f"{ENDED}{before}from gpuinfra.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
