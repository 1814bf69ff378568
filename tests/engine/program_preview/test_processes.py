import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview.processes import preview_processes
from gpuinfra.errors import InputError

PARENT = (
    "import subprocess, sys, time\n"
    "child = subprocess.Popen(['sleep', '60'])\n"
    "print(child.pid, flush=True)\n"
    "time.sleep(60)\n"
)


def start(processes, tmp_path, code, **more):
    return processes.start(
        [sys.executable, "-c", code],
        folder=tmp_path,
        environment=os.environ,
        output=tmp_path / "out",
        errors=tmp_path / "err",
        **more,
    )


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_exit_code_and_output_in_files(tmp_path):
    with preview_processes(tmp_path) as processes:
        code = "import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)"
        assert processes.wait(start(processes, tmp_path, code)) == 3

    assert (tmp_path / "out").read_text() == "a\n"
    assert (tmp_path / "err").read_text() == "b\n"


def test_a_process_that_is_ending_is_waited_for(tmp_path):
    code = "import time; time.sleep(0.5); raise SystemExit(7)"
    with preview_processes(tmp_path) as processes:
        process = start(processes, tmp_path, code)

        assert processes.exit_code(process, ending=False) is None
        assert processes.exit_code(process, ending=True) == 7


def broken_off(error, tmp_path, work, seconds=60.0):
    """Do work on processes that raises, and give what was raised."""
    with pytest.raises(error) as caught, preview_processes(tmp_path, seconds) as processes:
        work(processes)
    return caught.value


def test_all_that_runs_is_ended_with_its_children(tmp_path):
    seen = {}

    def work(processes):
        seen["parent"] = start(processes, tmp_path, PARENT)
        until(lambda: (tmp_path / "out").exists() and (tmp_path / "out").read_text().strip())
        seen["child"] = int((tmp_path / "out").read_text())
        assert runs(seen["child"])
        raise ZeroDivisionError

    broken_off(ZeroDivisionError, tmp_path, work)

    assert seen["parent"].poll() is not None
    until(lambda: not runs(seen["child"]))


def test_whoever_ignores_the_first_word_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("gpuinfra.engine.program_preview.processes._GRACE", 0.2)
    code = (
        "import signal, time\nsignal.signal(2, signal.SIG_IGN)\n"
        "print(1, flush=True)\ntime.sleep(60)"
    )
    with preview_processes(tmp_path) as processes:
        stubborn = start(processes, tmp_path, code)
        until((tmp_path / "out").read_text)

    assert stubborn.returncode == -signal.SIGKILL


def test_what_takes_too_long_is_ended(tmp_path):
    started = []

    def work(processes):
        started.append(start(processes, tmp_path, "import time; time.sleep(60)"))
        processes.wait(started[0])

    error = broken_off(InputError, tmp_path, work, 0.2)

    assert "did not end within 0 s" in str(error)
    assert started[0].poll() is not None


def test_a_pipe_is_heard_or_ends(tmp_path):
    with preview_processes(tmp_path, 10) as processes:
        ready, writes = processes.pipe()
        start(processes, tmp_path, f"import os; os.write({writes}, b'port 7')", keep=(writes,))
        processes.close(writes)
        assert processes.read_pipe(ready) == "port 7"
        assert processes.read_pipe(ready) == ""


def test_silence_is_not_waited_for_longer_than_the_rest(tmp_path):
    broken_off(InputError, tmp_path, lambda process: process.read_pipe(process.pipe()[0]), 0.1)


def test_a_server_that_a_look_up_started_is_ended(tmp_path):
    with preview_processes(tmp_path):
        server = subprocess.Popen(["sleep", "60"], start_new_session=True)
        (tmp_path / "server.json").write_text(json.dumps({"pid": server.pid}))

    assert server.wait(10) == -signal.SIGKILL


def test_termination_is_an_interruption_and_ends_all(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    started = []

    def work(processes):
        started.append(start(processes, tmp_path, "import time; time.sleep(60)"))
        os.kill(os.getpid(), signal.SIGTERM)
        processes.wait(started[0])

    broken_off(KeyboardInterrupt, tmp_path, work)

    assert started[0].poll() is not None
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_thread_may_preview_too(tmp_path):
    codes = []

    def work():
        with preview_processes(tmp_path) as processes:
            codes.append(processes.wait(start(processes, tmp_path, "pass")))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)

    assert codes == [0]


def test_what_a_crash_leaves_behind_is_ended_in_a_group_of_its_own_too(tmp_path):
    """A language host is in a process group of its own, and outlives an engine that crashes."""
    code = (
        "import subprocess\n"
        "host = subprocess.Popen(['sleep', '60'], process_group=0)\n"
        "print(host.pid, flush=True)\n"
        "raise SystemExit(2)\n"
    )
    with preview_processes(tmp_path) as processes:
        assert processes.wait(start(processes, tmp_path, code)) == 2
        host = int((tmp_path / "out").read_text())
        assert runs(host)

    until(lambda: not runs(host))
