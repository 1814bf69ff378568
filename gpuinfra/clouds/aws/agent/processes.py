"""The trainer's processes: which of them train, whether they run, which signals they handle."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
SHELLS = ("bash", "dash", "sh")
RANK = b"\0LOCAL_RANK="
"""The variable that torchrun, accelerate and DeepSpeed set for each training process."""
WORKLOAD = "GPUINFRA_WORKLOAD"
"""The variable that `/etc/gpuinfra/env` sets for jobs, containers and login shells."""

_GONE = ("Z", "X")


class Process(NamedTuple):
    """A process; `start` distinguishes it from a later one with the same pid."""

    pid: int
    start: int


class _Seen(NamedTuple):
    name: str
    state: str
    parent: int
    start: int


def trainers(main: int, workload: str) -> list[Process]:
    """Return the processes that train, which get the signal.

    These are a launcher's children, in a container too: not the launcher, which kills them 30
    seconds after it is told to end (https://github.com/pytorch/pytorch/issues/119856), and not
    their data loaders, whose end would fail them. Without a launcher it is the program that the
    job's shell runs.

    Args:
        main: the job's first process, 0 where it does not run.
        workload: which the launcher's environment names.
    """
    seen = _all()
    below: dict[int, list[int]] = {}
    for pid, process in seen.items():
        below.setdefault(process.parent, []).append(pid)
    trainer_ids = _ranks(seen, workload) or _programs(main, below, seen)
    return [Process(pid, seen[pid].start) for pid in trainer_ids if pid in seen]


def living(processes: Iterable[Process]) -> list[Process]:
    """Return the processes that are still running."""
    known = ((process, _read(process.pid)) for process in processes)
    return [
        process
        for process, seen in known
        if seen is not None and seen.start == process.start and seen.state not in _GONE
    ]


def send(processes: Iterable[Process], number: int) -> None:
    """Send a signal to the processes that are still running."""
    for process in living(processes):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def awaits(process: Process, number: int) -> bool:
    """Return whether the process has a handler for a signal, which would otherwise end it."""
    for line in _text(process.pid, "status").splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def checkpoint_listeners(processes: Iterable[Process]) -> list[Process]:
    """Return the processes that handle `SIGUSR1`, the request to save and go on."""
    return [process for process in processes if awaits(process, signal.SIGUSR1)]


def _ranks(seen: dict[int, _Seen], workload: str) -> list[int]:
    """Return the topmost processes that have a rank in their environment, wherever they run."""
    marks = (RANK, f"\0{WORKLOAD}={workload}\0".encode())
    rank_ids = {pid for pid in seen if all(mark in _environment(pid) for mark in marks)}
    return sorted(pid for pid in rank_ids if seen[pid].parent not in rank_ids)


def _programs(main: int, below: dict[int, list[int]], seen: dict[int, _Seen]) -> list[int]:
    """Return the programs that a shell runs, or the process itself."""
    name = seen[main].name if main in seen else ""
    if name not in SHELLS or main not in below:
        return [main]
    return sorted(pid for child in below[main] for pid in _programs(child, below, seen))


def _all() -> dict[int, _Seen]:
    known = (
        (int(path.name), _read(int(path.name))) for path in PROC.iterdir() if path.name.isdigit()
    )
    return {pid: seen for pid, seen in known if seen is not None and seen.state not in _GONE}


def _read(pid: int) -> _Seen | None:
    """Return a process's state; its name may contain any character.

    See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html.
    """
    head, bracket, rest = _text(pid, "stat").rpartition(")")
    fields = rest.split()
    if not bracket:
        return None
    return _Seen(head.partition("(")[2], fields[0], int(fields[1]), int(fields[19]))


def _text(pid: int, name: str) -> str:
    try:
        return (PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""


def _environment(pid: int) -> bytes:
    try:
        return b"\0" + (PROC / str(pid) / "environ").read_bytes() + b"\0"
    except OSError:
        return b""
