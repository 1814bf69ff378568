"""What is being waited for: a spinner on a terminal, and a line now and then elsewhere."""

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import click

FIRST: Final = 2.0
"""Seconds of silence after which a waiting reader is told, and then each `LATER` seconds."""
LATER: Final = 30.0


def is_watched() -> bool:
    """Whether a person looks on: a terminal, and no runner of jobs that writes a log of it."""
    return sys.stderr.isatty() and not os.environ.get("CI")


@contextmanager
def waiting(title: str) -> Generator[Callable[[str], None]]:
    """Say what is being waited for, where it takes over two seconds; takes what it is at."""
    with _spinner(title) if is_watched() else _lines(title) as update:
        yield update


@contextmanager
def _spinner(title: str) -> Generator[Callable[[str], None]]:
    from rich.console import Console

    with Console(stderr=True).status(title) as status:
        yield lambda words: status.update(f"{title}: {words}")


@contextmanager
def _lines(title: str) -> Generator[Callable[[str], None]]:
    at = [""]
    over = threading.Event()

    def tell() -> None:
        pause = FIRST
        while not over.wait(pause):
            words = f": {at[0]}" if at[0] else ""
            click.echo(f"{title}{words} …", err=True)
            pause = LATER

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield lambda words: at.__setitem__(0, words)
    finally:
        over.set()
        teller.join()
