"""A program whose engine has gone is waited for, and stopped when it does not end."""

import asyncio
import threading
from contextlib import suppress

import pulumi
import pytest

from gpuinfra.engine import program
from gpuinfra.engine.contract import Target
from gpuinfra.engine.program import GuardedProgram


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(program, "_PATIENCE", 0.3)
    monkeypatch.setattr(pulumi, "export", lambda *_: None)


@pytest.fixture
def running():
    """Starts a program as the Automation API does; it goes on until `over` is set."""
    over, threads, left_open = threading.Event(), [], []

    async def work(guarded, deaf):
        guarded()
        if deaf:
            over.wait()
        await asyncio.to_thread(over.wait)

    def start(*, deaf=False, close=True):
        began = threading.Event()
        guarded = GuardedProgram(began.set, Target(name="sandbox"))

        def run():
            loop = asyncio.new_event_loop()
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(work(guarded, deaf))
            if close:
                loop.close()
            else:
                left_open.append(loop)

        threads.append(threading.Thread(target=run))
        threads[0].start()
        assert began.wait(10)
        return guarded, threads[0]

    yield start, over
    over.set()
    for thread in threads:
        thread.join()
    for loop in left_open:
        loop.close()


def test_a_program_that_ends_by_itself_is_waited_for(running):
    start, over = running
    guarded, thread = start()
    threading.Timer(0.05, over.set).start()

    guarded.settle()

    thread.join(0.1)
    assert not thread.is_alive()


def test_a_program_that_does_not_end_is_stopped(running):
    guarded, thread = running[0]()

    guarded.settle()

    thread.join(0.1)
    assert not thread.is_alive()


def test_a_program_that_cannot_be_stopped_is_not_waited_for(running):
    guarded, thread = running[0](deaf=True)

    guarded.settle()

    assert thread.is_alive()


def test_a_loop_that_is_left_open_is_not_waited_for(running, monkeypatch):
    monkeypatch.setattr(program, "_PATIENCE", 60)
    start, over = running
    guarded, thread = start(close=False)
    over.set()

    guarded.settle()

    assert not thread.is_alive()


def test_a_program_that_was_not_run_is_not_waited_for():
    GuardedProgram(lambda: None, Target(name="sandbox")).settle()
