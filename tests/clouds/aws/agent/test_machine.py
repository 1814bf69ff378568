"""The machine's side: programs that fail or are not there, and what the trainer may write."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds.aws.agent import machine as machines
from gpuinfra.clouds.aws.agent import processes
from gpuinfra.clouds.aws.agent.machine import Machine


def make(folder: Path, **more: Any) -> Machine:
    return Machine(
        {
            "run": str(folder / "run"),
            "metadata": ["127.0.0.1", 1],
            "aws": ["/nowhere/aws"],
            "systemctl": ["/nowhere/systemctl"],
            "region": "us-east-1",
            "unit": "gpuinfra-job.service",
            "workload": "nothing-of-this-name",
            **more,
        }
    )


def says(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ('{"step": 12, "loss": 0.5}', {"step": 12, "loss": 0.5}),
        ("12\n", {"step": 12}),
        ("done", {}),
        ("[1]", {}),
        ('{"step', {}),
    ],
)
def test_the_trainers_word_is_read_in_any_form(
    tmp_path: Path, text: str, expected: dict[str, Any]
) -> None:
    machine = make(tmp_path)
    machine.announce({"reason": "spot-interruption"})
    assert machine.saved() is None

    (tmp_path / "run" / "saved").write_text(text)

    assert machine.saved() == expected
    machine.announce({"reason": "another"})
    assert machine.saved() is None
    assert json.loads((tmp_path / "run" / "interrupted").read_text()) == {"reason": "another"}


def test_what_was_kept_is_remembered_and_what_is_broken_is_not(tmp_path: Path) -> None:
    make(tmp_path).keep({"phase": "waiting"})
    assert make(tmp_path).remembered() == {"phase": "waiting"}

    for broken in ("", "[]", '{"phase'):
        (tmp_path / "run" / "state.json").write_text(broken)
        assert make(tmp_path).remembered() == {}


def test_programs_that_are_not_there_are_said_and_end_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = make(tmp_path)

    assert machine.aws("s3api", "put-object")[0] is False
    assert machine.arrived("bkt", "llm/", 0) is None
    machine.upload("/scratch", "s3://bkt/llm/")
    assert machine.result("upload") is False
    assert (machine.trainers(), machine.idle()) == (None, False)
    assert machine.ask_to_save() is False
    machine.stop()
    output = capsys.readouterr().out
    assert "/nowhere/systemctl kill --signal=SIGKILL gpuinfra-job.service" in output
    assert "/nowhere/aws s3 sync /scratch s3://bkt/llm/" in output
    assert "/nowhere/systemctl stop gpuinfra-job.service" in output


def test_what_is_left_of_the_job_is_killed_before_its_unit_is_stopped(tmp_path: Path) -> None:
    main, log = tmp_path / "main", tmp_path / "log"
    code = f"""
import pathlib, sys
if sys.argv[1] == "show":
    print(pathlib.Path({str(main)!r}).read_text())
else:
    with open({str(log)!r}, "a") as log:
        print(*sys.argv[1:], file=log)
"""
    machine = make(tmp_path, systemctl=says(code))

    main.write_text("4711")
    assert machine.idle() is False
    machine.stop()
    assert log.read_text().splitlines() == [
        "kill --signal=SIGKILL gpuinfra-job.service",
        "stop gpuinfra-job.service",
    ]
    log.unlink()
    main.write_text("0")
    machine.stop()
    assert log.read_text().splitlines() == ["stop gpuinfra-job.service"]


def test_a_systemd_that_does_not_answer_is_no_job_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = make(tmp_path, systemctl=says("import time; time.sleep(9)"))
    broken = make(tmp_path, systemctl=says("import sys; sys.exit('Failed to connect to bus')"))
    nothing = make(tmp_path, systemctl=says("print(0)"))
    monkeypatch.setattr(machines, "TIMEOUT", 0.2)
    assert (hanging.trainers(), hanging.idle()) == (None, False)
    monkeypatch.undo()

    assert (broken.trainers(), broken.idle()) == (None, False)
    assert (nothing.trainers(), nothing.idle()) == ([], True)
    rank = processes.Process(4711, 1)
    monkeypatch.setattr(processes, "trainers", lambda main, workload: [rank])
    assert broken.trainers() == [rank]  # a rank is known without systemd


def test_a_call_that_fails_or_hangs_is_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = make(tmp_path, aws=says("import sys; sys.exit('AccessDenied')"))
    hanging = make(tmp_path, aws=says("import time; time.sleep(9)"))
    monkeypatch.setattr(machines, "TIMEOUT", 0.2)

    well, text = hanging.aws("autoscaling", "complete-lifecycle-action")
    assert (well, "timed out" in text) == (False, True)
    monkeypatch.undo()
    assert refused.aws("autoscaling", "complete-lifecycle-action") == (False, "AccessDenied")


def test_a_listing_that_is_none_is_unknown(tmp_path: Path) -> None:
    nothing = make(tmp_path, aws=says("print('null')"))
    garbled = make(tmp_path, aws=says("print('<html>')"))

    assert nothing.arrived("bkt", "llm/", 0) == {}
    assert garbled.arrived("bkt", "llm/", 0) is None


def test_objects_and_files_count_from_when_they_were_asked_for(tmp_path: Path) -> None:
    listing = [
        ["llm/new", 3, "2026-12-01T10:00:00+00:00"],
        ["llm/old", 5, "2026-12-01T09:00:00.000Z"],
        ["llm/interrupted/i-2.json", 7, "2026-12-01T10:00:00+00:00"],
    ]
    machine = make(tmp_path, aws=says(f"print({json.dumps(json.dumps(listing))})"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "new").write_text("abc")
    (tmp_path / "old").write_text("abcde")
    now = time.time()
    os.utime(tmp_path / "old", (now - 60, now - 60))

    assert machine.arrived("bkt", "llm/", 1796119200) == {"new": 3}
    assert machine.written(str(tmp_path), now) == {"deep/new": 3}
    assert machine.written(str(tmp_path / "nowhere"), now) == {}


def test_what_was_started_is_ended_with_its_children(tmp_path: Path) -> None:
    machine = make(tmp_path)
    told = tmp_path / "told"
    machine.start("hook", ["/bin/bash", "-c", f"echo $GPUINFRA_REASON >{told}; exec sleep 60"], {})
    machine.start(
        "hook",
        ["/bin/bash", "-c", f"echo $GPUINFRA_REASON >{told}; sleep 60; exit 1"],
        {"GPUINFRA_REASON": "spot"},
    )
    end = time.monotonic() + 5
    while not told.exists() or told.read_text() != "spot\n":
        assert time.monotonic() < end

    assert machine.result("hook") is None
    machine.end("hook")
    assert machine.result("hook") is False
    machine.end("hook")
