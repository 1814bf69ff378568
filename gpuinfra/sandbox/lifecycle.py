"""Start, look-up and stop of the sandbox's background server."""

import os
import shutil
import signal
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpuinfra.errors import SandboxError
from gpuinfra.sandbox.sandbox_folder import (
    FAULTS_FILE,
    HEALTH_PATH,
    HOME_VARIABLE,
    LEDGER_FILE,
    SERVER_FILE,
    STATE_FOLDER,
    hold_lock,
    read_json,
    sandbox_home,
)

Progress = Callable[[str], None]

_LOG_FILE = "server.log"
_START_SECONDS = 90
_STOP_SECONDS = 10
_ANSWER_SECONDS = 5
_POLL_SECONDS = 0.05
_LOG_LINES = 5


@dataclass(frozen=True, slots=True)
class ServerState:
    """The running server.

    Attributes:
        start: names this run; what was made in another run is lost.
        since: when it came up, ISO 8601 in UTC.
    """

    start: str
    pid: int
    endpoint: str
    since: str


def find() -> ServerState | None:
    """Return the server if it runs and answers; None if it was stopped, died, or never started."""
    state = read_json(sandbox_home() / SERVER_FILE)
    if state is None:
        return None
    server = ServerState(state["start"], state["pid"], state["endpoint"], state["since"])
    return server if _is_running(server.pid) and _answers(server) else None


def start(progress: Progress | None = None) -> ServerState:
    """Start the server unless it runs, and return it; concurrent starts give one server.

    Raises SandboxError with the end of its log when it does not come up.
    """
    path = sandbox_home() / SERVER_FILE
    with hold_lock(path):
        running = find()
        if running is not None:
            return running
        path.unlink(missing_ok=True)
        if progress:
            progress("starting the sandbox's server")
        return _spawn(path)


def stop() -> bool:
    """Stop the server with all resources in moto; return False if none was running."""
    path = sandbox_home() / SERVER_FILE
    with hold_lock(path):
        running = find()
        path.unlink(missing_ok=True)
        if running is None:
            return False
        os.kill(running.pid, signal.SIGTERM)
        _await_end(running.pid)
        return True


def reset() -> None:
    """Stop the server and delete everything: resources, faults, states of all stacks."""
    stop()
    folder = sandbox_home()
    for name in (LEDGER_FILE, f"{LEDGER_FILE}-wal", f"{LEDGER_FILE}-shm", FAULTS_FILE, _LOG_FILE):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / STATE_FOLDER, ignore_errors=True)


def _spawn(path: Path) -> ServerState:
    name = uuid.uuid4().hex
    log = sandbox_home() / _LOG_FILE
    environment = {**os.environ, HOME_VARIABLE: str(sandbox_home())}
    # A leftover proxy or endpoint of the user's must not reach moto's own boto3 calls.
    environment.pop("AWS_ENDPOINT_URL", None)
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    # Not subprocess: the server outlives this process, and a Popen object would warn of that.
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "gpuinfra.sandbox.server", name],
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), writing, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        state = read_json(path)
        if state is not None and state["start"] == name:
            server = ServerState(name, state["pid"], state["endpoint"], state["since"])
            if _answers(server):
                return server
        if not _is_alive(pid):
            raise SandboxError(f"the sandbox's server ended during its start: {_log_end(log)}")
        time.sleep(_POLL_SECONDS)
    os.kill(pid, signal.SIGKILL)
    _await_end(pid)
    raise SandboxError(
        f"the sandbox's server did not answer within {_START_SECONDS} s: {_log_end(log)}"
    )


def _log_end(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " / ".join(lines[-_LOG_LINES:]) or f"it wrote nothing to {log}"


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _answers(server: ServerState) -> bool:
    try:
        with urllib.request.urlopen(  # noqa: S310  always http on loopback
            f"{server.endpoint}{HEALTH_PATH}", timeout=_ANSWER_SECONDS
        ) as answer:
            return bool(answer.read().decode() == server.start)
    except OSError:
        return False


def _await_end(pid: int) -> None:
    deadline = time.monotonic() + _STOP_SECONDS
    while _is_alive(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            return
        time.sleep(_POLL_SECONDS)


def _is_alive(pid: int) -> bool:
    """Return whether a process runs; a finished child is reaped and counts as ended."""
    try:
        ended, _ = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return _is_running(pid)
    return ended == 0
