import io
import os
import socket
import subprocess
import sys

import pytest

from gpuinfra.engine import run_ending, tracebacks
from gpuinfra.engine.automation import _forward_lines
from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.events import RunRecord

THING = "urn:pulumi:sandbox::demo::aws:ec2/vpc:Vpc::a"
ROOT = "urn:pulumi:sandbox::demo::pulumi:pulumi:Stack::demo-sandbox"
INLINE = (
    "python inline source runtime error: {message}\nTraceback (most recent call last):\n"
    '  File "server.py", line 95, in run\n    loop.run()\n{raised}'
)
CANCELED = INLINE.format(message="", raised="asyncio.exceptions.CancelledError")


def error(message, urn=""):
    return Diagnostic(severity="error", message=message, urn=urn)


def record(*diagnostics):
    made = RunRecord(None)
    made.diagnostics.extend(diagnostics)
    return made


def test_a_traceback_leaves_what_was_raised_and_says_it_once():
    text = INLINE.format(message="no such key", raised="LookupError: no such key\n")

    assert tracebacks.without_tracebacks(text) == (
        "python inline source runtime error: LookupError: no such key"
    )
    assert tracebacks.without_tracebacks("no traceback\nhere") == "no traceback\nhere"


def test_what_the_engine_repeats_is_told_once():
    text = INLINE.format(message="seven", raised="ValueError: seven")

    told = run_ending.readable_diagnostics(
        [error(text), error(f"an unhandled error occurred: {text}")], interrupted=False
    )

    assert [diagnostic.message for diagnostic in told] == [
        "python inline source runtime error: ValueError: seven"
    ]


def test_an_interruption_leaves_out_what_only_says_canceled():
    real = error("VcpuLimitExceeded: no", THING)
    noise = (
        error(CANCELED),
        error("context canceled", ROOT),
        error("failed to run policy: context canceled", THING),
        error("update cancelled", ROOT),
    )
    ended = record(real, *noise)

    ending, reason, refused = run_ending.ending_of(
        ended, failed="x", failure=None, interrupted=True
    )

    assert (ending, reason) == ("interrupted", "stopped on request")
    assert [refusal.code for refusal in refused] == ["VcpuLimitExceeded"]
    assert run_ending.readable_diagnostics(ended.diagnostics, interrupted=True) == (real,)
    assert len(run_ending.readable_diagnostics(ended.diagnostics, interrupted=False)) == 1 + len(
        noise
    )


def test_a_reason_of_the_engine_has_no_traceback():
    failed = (
        "\n code: 255\n stdout: \n stderr: error: a pack failed:\n"
        "Traceback (most recent call last):\n  File x\nImportError: no such name\n"
    )

    _, reason, _ = run_ending.ending_of(record(), failed=failed, failure=None, interrupted=False)

    assert reason == "the engine failed: a pack failed: ImportError: no such name"


def test_the_cli_s_own_error_is_read_out_of_its_streams():
    message = run_ending.engine_error("\n code: 255\n stdout: \n stderr: error: no way\n")

    assert message == "no way"


def test_a_stream_that_is_closed_under_its_reader_ends_it():
    stream, lines = io.StringIO("one\ntwo\n"), []

    _forward_lines(stream, lines, lambda _: stream.close())

    assert lines == ["one"]


PARTED = "Resource monitor has terminated, shutting down"
UNREACHED = (
    "Exception calling application: <_InactiveRpcError of RPC that terminated with:\n"
    '\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "failed to connect to all addresses"\n>'
)
STREAMS = "\n code: 255\n stdout: Diagnostics:\n    error: {message}\n\n stderr: {wrote}"


@pytest.mark.parametrize("message", [PARTED, UNREACHED])
@pytest.mark.parametrize(
    ("wrote", "cause"),
    [
        ("error: could not read the state\n", "could not read the state"),
        ("panic: nil map\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: nil map"),
        ("fatal error: out of memory\n\nruntime stack:\n", "fatal error: out of memory"),
        ("", "the engine printed no cause"),
    ],
)
def test_a_lost_engine_is_told_by_its_own_error(message, wrote, cause):
    failed = STREAMS.format(message=message, wrote=wrote)
    ended = record(error(message), error(f"an unhandled error occurred: {message}"))

    ending, reason, _ = run_ending.ending_of(ended, failed=failed, failure=None, interrupted=False)

    assert ending == "engine"
    assert reason == f"the engine failed: {cause}; the program's last output: {message}"


def test_a_lost_engine_is_no_reason_beside_another_error():
    ended = record(error(PARTED), error("failed to load the plugin"))

    _, reason, _ = run_ending.ending_of(ended, failed="x", failure=None, interrupted=False)

    assert reason == "the engine failed: failed to load the plugin"


def test_what_one_step_s_end_did_to_the_others_is_no_refusal_of_theirs():
    died = error("rpc error: code = Unavailable desc = error reading from server: EOF", THING)
    canceled = error("rpc error: code = Canceled desc = context canceled", THING + "b")

    for ended, codes in ((record(died, canceled), ["ProviderDied"]), (record(canceled), [""])):
        _, _, refused = run_ending.ending_of(ended, failed="x", failure=None, interrupted=False)
        assert [refusal.code for refusal in refused] == codes


@pytest.mark.parametrize(
    ("host", "ended", "advice"),
    [
        (socket.gethostname(), True, "that process no longer runs here"),
        (socket.gethostname(), False, "wait until that run ends"),
        ("another.example", True, "wait until that run ends"),
    ],
)
def test_a_lock_of_a_process_that_ended_here_is_told_as_such(
    host: str, ended: bool, advice: str
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    pid = process.pid if ended else os.getpid()

    error = run_ending.locked_error(f"created by ann@{host} (pid {pid}) at 2026-01-01T00:00:00Z")

    assert f"nothing was changed; {advice}" in str(error)
    assert "--unlock" in str(error)


@pytest.mark.parametrize("other", [os.getpid(), 99_999_999_999], ids=["alive", "too large"])
def test_of_several_locks_each_has_to_be_of_a_process_that_ended(other: int) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    when, host = "at 2026-01-01T00:00:00Z", socket.gethostname()
    locks = [f"created by ann@{host} (pid {pid}) {when}" for pid in (ended.pid, other)]

    assert "wait until that run ends" in str(run_ending.locked_error("\n".join(locks)))
