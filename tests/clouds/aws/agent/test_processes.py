"""Which processes get the signal: real ones, as a launcher or a shell starts them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from gpuinfra.clouds.aws.agent import processes

READY = "import time, sys; print('ready', flush=True); time.sleep(30)"
LAUNCHER = """
import os, subprocess, sys
rank = "import os, subprocess, sys; p = subprocess.Popen([sys.executable, '-S', '-c', sys.argv[1]]); p.wait()"
ranks = [
    subprocess.Popen([sys.executable, "-S", "-c", rank, sys.argv[1]], env={**os.environ, "LOCAL_RANK": str(i)})
    for i in range(2)
]
[one.wait() for one in ranks]
"""  # noqa: E501


@contextmanager
def running(*command: str, lines: int = 1) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        for _ in range(lines):
            process.stdout.readline()
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def named(listed: list[processes.Process]) -> list[str]:
    return [Path(f"/proc/{process.pid}/cmdline").read_text() for process in listed]


@pytest.mark.parametrize("inside", [True, False], ids=["in-the-job", "in-a-container"])
def test_a_launchers_ranks_get_it_and_not_their_data_loaders(inside: bool) -> None:
    workload = f"trainer-{os.getpid()}"
    command = [f"GPUINFRA_WORKLOAD={workload}", sys.executable, "-S", "-c", LAUNCHER, READY]
    with running("bash", "-c", 'env "$@"; exit $?', "sh", *command, lines=2) as shell:
        trainers = processes.trainers(shell.pid if inside else 0, workload)

        assert len(trainers) == 2
        assert all("p.wait()" in line and "LOCAL_RANK" not in line for line in named(trainers))
        assert processes.trainers(0, "another") == []


def test_without_a_launcher_it_is_the_program_in_the_shell() -> None:
    with running("bash", "-c", f'{sys.executable} -S -c "{READY}"; exit $?') as shell:
        trainers = processes.trainers(shell.pid, "nothing")

        assert [trainer.pid for trainer in trainers] != [shell.pid]
        assert len(trainers) == 1
        assert "ready" in named(trainers)[0]


def test_a_program_without_a_shell_is_itself() -> None:
    with running(sys.executable, "-S", "-c", READY) as program:
        trainers = processes.trainers(program.pid, "nothing")

        assert [trainer.pid for trainer in trainers] == [program.pid]
        assert processes.living(trainers) == trainers
        assert not processes.living([trainers[0]._replace(start=trainers[0].start + 1)])
        processes.send(trainers, signal.SIGKILL)
        end = time.monotonic() + 5
        while processes.living(trainers):  # a zombie until it is waited for
            assert time.monotonic() < end
        assert program.wait() == -signal.SIGKILL
        processes.send(trainers, signal.SIGKILL)  # they have ended


@pytest.mark.parametrize("handler", ["lambda *_: None", "signal.SIG_DFL", "signal.SIG_IGN"])
def test_only_who_listens_is_asked_to_save(handler: str) -> None:
    code = f"import signal; signal.signal(signal.SIGUSR1, {handler}); {READY}"
    with running(sys.executable, "-S", "-c", code) as program:
        trainers = processes.trainers(program.pid, "nothing")

        assert processes.checkpoint_listeners(trainers) == (
            trainers if "lambda" in handler else []
        )


def test_nobody_there_is_nobody() -> None:
    assert processes.trainers(2**22 + 1, "nothing") == []
    assert not processes.awaits(processes.Process(2**22 + 1, 0), signal.SIGUSR1)
