"""An exclusive lock by a file, which ends with the process that holds it, on every system."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def hold_lock(file: Path, report_waiting: Callable[[], None] = lambda: None) -> Generator[None]:
    """Hold the exclusive lock of a file, which is made; other processes wait.

    `report_waiting` is called before this one waits for another.
    """
    with file.open("ab") as lock_file:
        if not _lock(lock_file, wait=False):
            report_waiting()
            while not _lock(lock_file, wait=True):
                pass
        try:
            yield
        finally:
            _unlock(lock_file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes], *, wait: bool) -> bool:
        """Return whether the file is locked now; with `wait` after at most ten seconds."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes], *, wait: bool) -> bool:
        """Return whether the file is locked now; with `wait` after as long as it takes."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
