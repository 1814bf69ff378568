"""The processes of a preview: each has its own session and ends with the preview."""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gpuinfra.errors import InputError
from gpuinfra.sandbox.sandbox_folder import SERVER_FILE, read_json

PATIENCE: Final = 600.0
"""Seconds that a program may take; a preview of a thousand resources takes one of ten."""

_GRACE: Final = 3.0
"""Seconds in which an engine ends its plugins, once it is asked to."""

_LONGEST: Final = 65_536


class Processes:
    """The processes of a preview, all of which end with it."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self._running: list[subprocess.Popen[bytes]] = []
        self._descriptors: list[int] = []

    def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: Path,
        errors: Path,
        keep: Sequence[int] = (),
    ) -> "subprocess.Popen[bytes]":
        """Start a command without a terminal, with its output in files."""
        with output.open("ab") as out, errors.open("ab") as err:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=keep,
                start_new_session=True,
            )
        self._running.append(process)
        return process

    def pipe(self) -> tuple[int, int]:
        """Return the two ends of a pipe; open ends are closed with the processes."""
        ends = os.pipe()
        self._descriptors += ends
        return ends

    def close(self, descriptor: int) -> None:
        """Close one end of a pipe."""
        self._descriptors.remove(descriptor)
        os.close(descriptor)

    def wait(self, process: "subprocess.Popen[bytes]") -> int:
        """Return the exit code of a process after it ends.

        Raises:
            InputError: it took too long.
        """
        try:
            return process.wait(max(self._until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise self._timeout_error() from None

    def exit_code(self, process: "subprocess.Popen[bytes]", ending: bool) -> int | None:
        """Return the exit code of a process; None while it runs. With `ending`, wait briefly."""
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_GRACE if ending else 0)
        return None

    def read_pipe(self, descriptor: int) -> str:
        """Return what is written to a pipe; empty if its writer ends without output.

        Raises:
            InputError: it took too long.
        """
        if not select.select([descriptor], [], [], max(self._until - time.monotonic(), 0))[0]:
            raise self._timeout_error()
        return os.read(descriptor, _LONGEST).decode("utf-8", "replace")

    def end(self) -> None:
        """End the running processes: first by SIGINT, since an engine then ends its plugins."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()
        for process in self._running:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        until = time.monotonic() + _GRACE
        for process in self._running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(until - time.monotonic(), 0))
            # Processes that the process itself left behind are in its group.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            if process.wait():
                _end_session(process.pid)

    def _timeout_error(self) -> InputError:
        return InputError.of(
            f"the program did not end within {self._seconds:.0f} s, and was stopped",
            fix="remove calls that need a network or an account",
        )


def _end_session(leader: int) -> None:
    """End what a crashed engine left behind: its language host has a process group of its own."""
    listed = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, check=False).stdout
    for pid in map(int, listed.split()):
        with suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)


@contextmanager
def preview_processes(pulumi_home: Path, seconds: float = PATIENCE) -> Generator[Processes]:
    """Provide a preview's processes for a block, and end them afterwards.

    Args:
        pulumi_home: of the sandbox, whose server is ended, too, if a look-up started it.
        seconds: how long all of it may take.
    """
    processes = Processes(seconds)
    with _handle_termination():
        try:
            yield processes
        finally:
            processes.end()
            server = read_json(pulumi_home / SERVER_FILE)
            if server is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(server["pid"], signal.SIGKILL)


@contextmanager
def _handle_termination() -> Generator[None]:
    """Handle SIGTERM, with which a CI ends a job, like Ctrl-C; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous_handler = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt
