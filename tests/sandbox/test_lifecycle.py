import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import moto
import pytest

from gpuinfra import sandbox
from gpuinfra.errors import SandboxError
from gpuinfra.sandbox import lifecycle, sandbox_folder

START = "from gpuinfra import sandbox; print(sandbox.start().pid)"


def test_two_starts_at_once_give_one_server(sandbox_home: Path) -> None:
    def start(_number: int) -> str:
        command = [sys.executable, "-c", START]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    with ThreadPoolExecutor(2) as pool:
        pids = list(pool.map(start, range(2)))

    assert len(set(pids)) == 1
    assert sandbox.status().pid == int(pids[0])


def test_status_follows_start_and_stop(sandbox_home: Path) -> None:
    lines: list[str] = []
    before = sandbox.status()
    server = sandbox.start(lines.append)
    again = sandbox.start(lines.append)
    running = sandbox.status()

    assert not before.running
    assert again == server
    assert lines == ["starting the sandbox's server"]
    assert (running.running, running.pid, running.endpoint) == (True, server.pid, server.endpoint)
    assert sandbox.stop()
    assert not sandbox.stop()
    assert not sandbox.status().running


def test_a_killed_server_is_not_taken_for_running(
    sandbox_home: Path, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    first = sandbox.start()
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: lifecycle.find() is None)

    second = sandbox.start()

    assert second.start != first.start
    assert sandbox.status().pid == second.pid


def test_a_stranger_with_the_same_pid_is_not_taken_for_the_server(sandbox_home: Path) -> None:
    state = {
        "start": "gone",
        "pid": os.getpid(),
        "endpoint": "http://127.0.0.1:9",
        "since": "2026-01-01T00:00:00+00:00",
    }
    sandbox_folder.write_json(sandbox_folder.sandbox_home() / sandbox_folder.SERVER_FILE, state)

    assert lifecycle.find() is None
    assert not sandbox.stop()


def test_a_server_that_cannot_start_says_why(
    sandbox_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "moto").mkdir()
    (tmp_path / "moto" / "__init__.py").write_text("raise RuntimeError('moto is broken')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with pytest.raises(SandboxError, match="moto is broken"):
        sandbox.start()


def test_reset_forgets_all_but_the_plugins(sandbox_home: Path) -> None:
    variables = sandbox.environment()
    sandbox.faults.add(sandbox.faults.InjectedFault(kind="quota"))
    (sandbox_home / "state" / "stack.json").write_text("{}")

    sandbox.reset()

    assert not sandbox.status().running
    assert sandbox.faults.active_faults() == []
    assert not (sandbox_home / "state").exists()
    assert Path(variables["PATH"].split(os.pathsep)[0], "pulumi-resource-aws").exists()


def test_a_server_that_nobody_can_find_any_more_ends_itself(
    sandbox_home: Path, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    server = sandbox.start()
    (sandbox_home / sandbox_folder.SERVER_FILE).unlink()

    wait_until(lambda: not lifecycle._is_alive(server.pid))


def test_a_server_whose_installation_was_removed_gives_way_to_a_new_one(
    sandbox_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wait_until: Callable[[Callable[[], bool]], None],
) -> None:
    installed = tmp_path / "moto"
    installed.symlink_to(Path(moto.__file__).parent)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    old = sandbox.start()
    assert sandbox.start() == old

    installed.unlink()
    new = sandbox.start()

    assert new.start != old.start
    assert sandbox.start() == new
    wait_until(lambda: not lifecycle._is_alive(old.pid))


def test_half_a_state_file_is_no_server(sandbox_home: Path) -> None:
    (sandbox_folder.sandbox_home() / sandbox_folder.SERVER_FILE).write_text('{"start": "x", "pi')

    assert lifecycle.find() is None
