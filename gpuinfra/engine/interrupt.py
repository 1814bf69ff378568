"""Waiting for a run, and forwarding Ctrl-C: clean stop, immediate stop, kill."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from signal import SIGINT, SIGKILL

from gpuinfra.engine.automation import InterruptibleCommand

_STEPS = (
    (SIGINT, "stopping: operations in progress finish first; Ctrl-C again stops at once"),
    (SIGINT, "stopping at once: operations in progress are left pending"),
    (SIGKILL, "the engine was killed"),
)

_LISTEN = 0.5
"""Seconds until a Ctrl-C is heard that another thread was given."""


def run(
    work: Callable[[], None],
    command: InterruptibleCommand,
    stop_program: Callable[[], None],
    show_progress: Callable[[str], None],
) -> None:
    """Run `work` in another thread while this one waits for Ctrl-C.

    What the work raises is raised here. The work always comes to its end, so that the stack is
    left unlocked and its state written; `command.interrupted` tells whether it was cut short.
    """
    interrupts = 0
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="gpuinfra-engine") as pool:
        future = pool.submit(work)
        while not future.done():
            try:
                wait([future], timeout=_LISTEN)
            except KeyboardInterrupt:
                number, message = _STEPS[min(interrupts, len(_STEPS) - 1)]
                interrupts += 1
                show_progress(message)
                command.interrupt(number)
                stop_program()
        future.result()
