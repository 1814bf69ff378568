"""The user's program as the engine runs it: its failure is kept, its target exported."""

import asyncio
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pulumi  # noqa: TID253

from gpuinfra.engine import connection
from gpuinfra.engine.contract import Target

TARGET_OUTPUT = "gpuinfra:target"
"""Stack output that says in the state which target it was built on."""

_PATIENCE = 2.0
"""Seconds that a program has to end by itself when its engine has gone."""

_STILL = 0.2
"""Seconds that a loop has not run when it never will: an error on the way out leaves it open."""


class GuardedProgram:
    """A program that the engine calls; `failure` is the exception that it raised."""

    def __init__(self, program: Callable[[], None], target: Target) -> None:
        self.failure: Exception | None = None
        self._program = program
        self._target = target
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self) -> None:
        """Run the program, then export the target's name."""
        connection.ignore_ended_engine()
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_end_with_the_engine)
        try:
            self._program()
        except Exception as failure:
            self.failure = failure
            raise
        pulumi.export(TARGET_OUTPUT, self._target.name)

    def stop(self) -> None:
        """Cancel the program's tasks, so that it registers no more resources; thread-safe.

        The engine lets an inline program run on after a cancellation: it has no process to end.
        """
        loop = self._loop
        if loop is not None and loop.is_running():
            with suppress(RuntimeError):  # it was closed since
                loop.call_soon_threadsafe(_cancel_all, loop)

    def settle(self) -> None:
        """Wait for the program to end after its engine, and stop it if it does not.

        The engine does not wait for a program that it refused, and two must not run at once.
        """
        if not self._has_ended(_PATIENCE):
            self.stop()
            self._has_ended(_PATIENCE)

    def _has_ended(self, seconds: float) -> bool:
        ran = time.monotonic()
        until = ran + seconds
        while self._loop is not None and not self._loop.is_closed():
            current_seconds = time.monotonic()
            if self._loop.is_running():
                ran = current_seconds
            if current_seconds - ran > _STILL:
                return True
            if current_seconds > until:
                return False
            time.sleep(0.005)
        return True


def _end_with_the_engine(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Cancel the program's tasks if the connection to the engine broke.

    The Automation API's own handler stops the loop where it stands, and Python then complains
    on the user's screen about coroutines that were never finished.
    """
    if isinstance(context.get("exception"), grpc.RpcError):
        _cancel_all(loop)
    else:
        loop.default_exception_handler(context)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def exception_text(failure: BaseException) -> str:
    """Return a program's exception and its location in one line."""
    frames = traceback.extract_tb(failure.__traceback__)
    frame_text = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(failure).__name__}: {failure}{frame_text}"
