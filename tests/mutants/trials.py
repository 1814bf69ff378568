"""A plugin of pytest that tries mutants: tests are collected once, each mutant runs in a fork."""

import gc
import inspect
import json
import os
import re
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, Final, NoReturn

import pytest
from _pytest._io import TerminalWriter
from _pytest.runner import runtestprotocol

from tests.mutants.applying import NotAppliedError, apply, caches_of, functions_of
from tests.mutants.mutations import Mutant, unchanged

LONGEST: Final = 20
"""Seconds of the processor for one test, after which a mutant goes on for ever: it is killed."""

WAITING: Final = 600
"""Seconds by the clock, after which a mutant waits for ever."""

MOST: Final = 1000
"""Tests of one mutant: where thousands run its line, the first of them see what is wrong."""

CONTROLLED: Final = 20
"""Tests of each file that have to pass with the same file put in its place."""

_RULE: Final = re.compile(r'\bid="([a-z0-9-]+)"')

SURVIVED, KILLED, NOT_APPLIED = range(3)


@dataclass(frozen=True)
class Run:
    """What one test ran as things are: lines by file, and for how long."""

    test: str
    passed: bool
    seconds: float
    lines: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Trial:
    """How a mutant fared.

    Attributes:
        mutant: what was tried.
        killed: whether a test failed.
        tests: how many tests ran its statement.
        applied: whether it could be put in place; else it survives untried.
    """

    mutant: Mutant
    killed: bool
    tests: int
    applied: bool = True

    def __str__(self) -> str:
        seen = f"{self.tests} tests run it" if self.tests else "no test runs it"
        seen = seen if self.applied else "it can't be put in place"
        mutant = self.mutant
        return f"{mutant.file.name}:{mutant.line}  {mutant.was}  →  {mutant.now}  ({seen})"


@dataclass
class Trials:
    """Stands in for the loop over tests: each test once as things are, then each mutant.

    Attributes:
        mutants: what is tried.
        jobs: how many at a time.
        watched: files whose lines tests may run; those of the mutants are among them.
        done: how each fared.
        failing: tests that fail without any mutant; they are left out.
        strange: files whose tests fail when the same file is put in its own place.
    """

    mutants: Sequence[Mutant]
    jobs: int = 2
    watched: Collection[Path] = ()
    done: list[Trial] = field(default_factory=list)
    failing: tuple[str, ...] = ()
    strange: tuple[Path, ...] = ()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant."""
        items = {item.nodeid: item for item in session.items}
        files = frozenset(mutant.file for mutant in self.mutants)
        functions, caches = functions_of(files), caches_of(files)
        gc.freeze()  # a child that collects garbage would copy all that was loaded
        watched = frozenset(map(str, (*files, *self.watched)))
        runs = _as_things_are(session.items, watched, caches)
        self.failing = tuple(run.test for run in runs if not run.passed)

        def start(mutant: Mutant, chosen: Sequence[pytest.Item]) -> int:
            return _fork(lambda: _try(mutant, functions[mutant.file], chosen))

        for same in map(unchanged, sorted(files)):
            process = start(same, _chosen(same, runs, items)[:CONTROLLED])
            if os.waitpid(process, 0)[1] != SURVIVED:
                self.strange += (same.file,)
        waiting = iter(self.mutants)
        running: dict[int, Trial] = {}
        while True:
            while len(running) < self.jobs and (mutant := next(waiting, None)):
                chosen = _chosen(mutant, runs, items)
                process = start(mutant, chosen)
                running[process] = Trial(mutant=mutant, killed=False, tests=len(chosen))
            if not running:
                return True
            process, status = os.wait()
            code = os.waitstatus_to_exitcode(status)
            killed = code not in {SURVIVED, NOT_APPLIED}
            trial = replace(running.pop(process), killed=killed, applied=code != NOT_APPLIED)
            self.done.append(trial)
            self._tell(session.config.get_terminal_writer())

    def _tell(self, terminal: TerminalWriter) -> None:
        if not self.done[-1].killed:
            terminal.line(f"survives: {self.done[-1]}")
        if len(self.done) % 100 == 0:
            terminal.line(f"{len(self.done)} of {len(self.mutants)} tried")


def _chosen(
    mutant: Mutant, runs: Iterable[Run], items: Mapping[str, pytest.Item]
) -> list[pytest.Item]:
    """Tests that run the statement: first those that name a rule of the file, then the quickest.

    A case of each test comes before a second one of any. What a module holds as it is loaded, for
    example a rule's level, tests beside it read that run no line: these come first, and all.
    """
    file, names = str(mutant.file), _names(mutant.file)
    candidates = [
        run
        for run in runs
        if run.passed
        and (mutant.lines is None or any(line in mutant.lines for line in run.lines.get(file, ())))
    ]

    earlier: Counter[Any] = Counter()

    def reads(run: Run) -> bool:
        beside = items[run.test].path.parent.name == mutant.file.parent.name
        return mutant.lines is None and beside and not run.lines

    def order(run: Run) -> tuple[bool, bool, bool, int, float]:
        item = items[run.test]
        assert isinstance(item, pytest.Function)
        own = any(name in item.nodeid or name in _source(item.function) for name in names)
        elsewhere = not any(name in _source(item.module) for name in names)
        earlier[item.function] += 1
        return not reads(run), not own, elsewhere, earlier[item.function], run.seconds

    quickest = sorted(candidates, key=lambda run: run.seconds)
    most = MOST + sum(map(reads, candidates))
    return [items[run.test] for run in sorted(quickest, key=order)[:most]]


@cache
def _names(file: Path) -> frozenset[str]:
    """The rules of a file, and what it is called in tests."""
    return frozenset({file.stem, file.stem.replace("_", "-"), *_RULE.findall(file.read_text())})


@cache
def _source(thing: Any) -> str:
    return inspect.getsource(thing)


def _try(mutant: Mutant, functions: Sequence[FunctionType], chosen: Sequence[pytest.Item]) -> int:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    gc.disable()
    try:
        apply(mutant, functions)
    except NotAppliedError:
        return NOT_APPLIED
    except Exception:  # noqa: BLE001
        return KILLED  # it can't even be loaded
    for item, after in zip_longest(chosen, chosen[1:]):
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        signal.alarm(WAITING)
        if not _passes(item, after):
            return KILLED
    return SURVIVED


def _passes(item: pytest.Item, after: pytest.Item | None = None) -> bool:
    """Whether a test passes; what the one after it needs as well stays set up."""
    reports = runtestprotocol(item, log=False, nextitem=after)
    return not any(report.failed for report in reports)


def _as_things_are(
    items: Sequence[pytest.Item], files: frozenset[str], caches: Sequence[Any]
) -> list[Run]:
    """Run each test once, in a fork, for what a test keeps would hide a mutant from the next."""
    end, start = os.pipe()

    def run() -> int:
        os.close(end)
        with os.fdopen(start, "w") as pipe:
            for item in items:
                for cached in caches:
                    cached.cache_clear()
                pipe.write(json.dumps(_watched(item, files)) + "\n")
        return SURVIVED

    process = _fork(run)
    os.close(start)
    with os.fdopen(end) as pipe:
        runs = [Run(**json.loads(line)) for line in pipe]
    os.waitpid(process, 0)
    if len(runs) != len(items):
        raise RuntimeError(f"only {len(runs)} of {len(items)} tests came to an end")
    return runs


def _watched(item: pytest.Item, files: frozenset[str]) -> dict[str, Any]:
    lines: dict[str, set[int]] = defaultdict(set)

    def line(frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        lines[frame.f_code.co_filename].add(frame.f_lineno)
        return line

    def call(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        return line if frame.f_code.co_filename in files else None

    began = time.perf_counter()
    sys.settrace(call)
    try:
        passed = _passes(item)
    finally:
        sys.settrace(None)
    return {
        "test": item.nodeid,
        "passed": passed,
        "seconds": time.perf_counter() - began,
        "lines": {file: sorted(numbers) for file, numbers in lines.items()},
    }


def _fork(work: Callable[[], int]) -> int:
    """Do some work in a process of its own, silently; gives the process."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if not process:
        _end(work)
    return process


def _end(work: Callable[[], int]) -> NoReturn:
    status = 70
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        status = work()
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(status)


def tried(
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    jobs: int = 2,
    watched: Collection[Path] = (),
) -> Trials:
    """Try mutants with tests, given as pytest takes them.

    A test that runs no line of the `watched` files may still read what their modules hold.

    Raises:
        RuntimeError: pytest can't collect the tests, or they notice where nothing is changed.
    """
    trials = Trials(mutants=mutants, jobs=jobs, watched=watched)
    options = ["--quiet", "--no-header", "--no-summary", "-p", "no:cacheprovider"]
    ended = pytest.main([*options, *tests], plugins=[trials])
    if ended != pytest.ExitCode.OK:
        raise RuntimeError(f"pytest ended with {ended!r} before all mutants were tried")
    if trials.strange:
        raise RuntimeError(f"tests notice where nothing is changed: {trials.strange}")
    return trials
