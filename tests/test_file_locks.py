"""Locks between processes, and a system that has no call of Unix for them."""

import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.file_locks import hold_lock

HOLDER = """
import sys
from pathlib import Path
from gpuinfra.file_locks import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_waits_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    waiting: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        assert holder.stdin
        assert holder.stdout.readline() == b"held\n"

        def release() -> None:
            waiting.append("waits")
            holder.stdin.close()

        with hold_lock(file, release):
            assert waiting == ["waits"]
    with hold_lock(file, release):
        assert waiting == ["waits"], "the lock ends with what it is held for"


UNIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
IMPORTS = (
    "import gpuinfra.cli.answers, gpuinfra.clouds.refreshing.job, gpuinfra.engine.install\n"
    "import gpuinfra.sandbox.sandbox_folder\n"
)
WITHOUT = f"""
import sys
{IMPORTS}
for name in [name for name in sys.modules if name.partition(".")[0] == "gpuinfra"]:
    del sys.modules[name]
sys.platform = "win32"
sys.modules.update(dict.fromkeys({UNIX_ONLY}), msvcrt=type(sys)("msvcrt"))
{IMPORTS}
"""


def test_modules_that_lock_or_ask_load_without_unix() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["init", "mine"], ["choose", "L4:1", "--cloud", "aws"]])
def test_commands_run_where_a_pipe_does_not_tell_what_it_holds(
    tmp_path: Path, words: list[str]
) -> None:
    code = (
        f"import sys\nsys.modules.update(dict.fromkeys({UNIX_ONLY}))\n"
        "from gpuinfra.cli import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        input="y\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
