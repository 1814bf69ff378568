"""Progress display: a spinner on a terminal, an occasional line elsewhere."""

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.console import Console

FIRST_NOTICE_SECONDS: Final = 2.0
"""Seconds without output before the first notice; news follows after each
`NOTICE_INTERVAL_SECONDS`."""
NOTICE_INTERVAL_SECONDS: Final = 30.0


def is_watched() -> bool:
    """Return whether stderr is a terminal outside of CI."""
    return sys.stderr.isatty() and not os.environ.get("CI")


@contextmanager
def show_waiting(title: str) -> Generator[Callable[[str], None]]:
    """Show a title while a step takes over two seconds; give the function that updates it."""
    with _spinner(title) if is_watched() else _lines(title) as update:
        yield update


def say(text: str) -> None:
    """Print a line on standard error, above a running spinner."""
    if _CONSOLES:
        _CONSOLES[-1].print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        click.echo(text, err=True)


_CONSOLES: Final[list["Console"]] = []
"""The console on which a spinner turns."""


@contextmanager
def _spinner(title: str) -> Generator[Callable[[str], None]]:
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(title) as status:
        _CONSOLES.append(console)
        try:
            yield lambda words: status.update(_cut_to_width(f"{title}: {words}", console.width))
        finally:
            _CONSOLES.remove(console)


def _cut_to_width(text: str, width: int) -> str:
    """Return a text that fits on one line beside the spinner, cut where it is too long."""
    room = width - _SPINNER_COLUMNS
    return text if len(text) <= room else f"{text[: room - 1]}…"


_SPINNER_COLUMNS: Final = 3
"""The spinner, the space after it, and the last column, which some terminals wrap at."""


@contextmanager
def _lines(title: str) -> Generator[Callable[[str], None]]:
    last_message = [""]
    has_ended = threading.Event()

    def print_progress() -> None:
        pause, last = FIRST_NOTICE_SECONDS, None
        while not has_ended.wait(pause):
            if last_message[0] != last:
                click.echo(
                    f"{title}{f': {last_message[0]}' if last_message[0] else ''} …", err=True
                )
            pause, last = NOTICE_INTERVAL_SECONDS, last_message[0]

    thread = threading.Thread(target=print_progress, daemon=True)
    thread.start()
    try:
        yield lambda words: last_message.__setitem__(0, words)
    finally:
        has_ended.set()
        thread.join()
