"""Python processes that start warm: the engine's tests start thousands, which import the same.

A server imports once what plugins, policy packs, programs and the sandbox's server import, and
forks for each of them. `sys.executable` is a launcher meanwhile, which hands its arguments,
environment, folder and streams to the server, and stays as long as what was forked: who started
it sees a process that writes, is signalled and ends like any other. What the server does not know
runs in a Python of its own, and so does everything where there is no server.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

REAL = sys.executable
HERE = Path(__file__).parent

LAUNCHER = """\
#!{real} -IS
import sys
sys.path.insert(0, {folder!r})
import launcher
launcher.main({real!r}, {socket!r}, sys.argv[1:])
"""


class WarmPython:
    """The server and its launcher, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        socket = folder / "socket"
        self.launcher = folder / "python"
        self.launcher.write_text(LAUNCHER.format(real=REAL, folder=str(HERE), socket=str(socket)))
        self.launcher.chmod(0o755)
        self._server = subprocess.Popen(
            [REAL, "-m", "tests.warm.server", str(socket), str(self.launcher)],
            cwd=HERE.parents[1],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        while not socket.exists() and self._server.poll() is None:
            time.sleep(0.05)

    def end(self) -> None:
        """End the server; what it forked ends with what started it."""
        self._server.terminate()
        self._server.wait()


class Plugin:
    """Gives the tests that need the engine the launcher for `sys.executable`."""

    def __init__(self) -> None:
        self._warm: WarmPython | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Before any fixture: some write `sys.executable` down."""
        sys.executable = REAL if item.get_closest_marker("e2e") is None else self._launcher(item)

    def pytest_unconfigure(self) -> None:
        """Leave nothing behind."""
        sys.executable = REAL
        if self._warm is not None:
            self._warm.end()

    def _launcher(self, item: pytest.Item) -> str:
        if self._warm is None:
            factory: pytest.TempPathFactory = item.config._tmp_path_factory
            self._warm = WarmPython(factory.mktemp("warm"))
        return os.fspath(self._warm.launcher)
