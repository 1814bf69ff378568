import io

from gpuinfra.engine import tracebacks, verdict
from gpuinfra.engine.automation import _read
from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.events import Record

THING = "urn:pulumi:sandbox::demo::aws:ec2/vpc:Vpc::a"
ROOT = "urn:pulumi:sandbox::demo::pulumi:pulumi:Stack::demo-sandbox"
INLINE = (
    "python inline source runtime error: {said}\nTraceback (most recent call last):\n"
    '  File "server.py", line 95, in run\n    loop.run()\n{raised}'
)
CANCELED = INLINE.format(said="", raised="asyncio.exceptions.CancelledError")


def error(message, urn=""):
    return Diagnostic(severity="error", message=message, urn=urn)


def record(*diagnostics):
    made = Record(None)
    made.diagnostics.extend(diagnostics)
    return made


def test_a_traceback_leaves_what_was_raised_and_says_it_once():
    text = INLINE.format(said="no such key", raised="LookupError: no such key\n")

    assert tracebacks.without(text) == (
        "python inline source runtime error: LookupError: no such key"
    )
    assert tracebacks.without("no traceback\nhere") == "no traceback\nhere"


def test_what_the_engine_repeats_is_told_once():
    text = INLINE.format(said="seven", raised="ValueError: seven")

    told = verdict.told(
        [error(text), error(f"an unhandled error occurred: {text}")], interrupted=False
    )

    assert [one.message for one in told] == [
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

    ending, reason, refused = verdict.of(ended, failed="x", failure=None, interrupted=True)

    assert (ending, reason) == ("interrupted", "stopped on request")
    assert [one.code for one in refused] == ["VcpuLimitExceeded"]
    assert verdict.told(ended.diagnostics, interrupted=True) == (real,)
    assert len(verdict.told(ended.diagnostics, interrupted=False)) == 1 + len(noise)


def test_a_reason_of_the_engine_has_no_traceback():
    failed = (
        "\n code: 255\n stdout: \n stderr: error: a pack failed:\n"
        "Traceback (most recent call last):\n  File x\nImportError: no such name\n"
    )

    _, reason, _ = verdict.of(record(), failed=failed, failure=None, interrupted=False)

    assert reason == "the engine failed: a pack failed: ImportError: no such name"


def test_the_cli_s_own_error_is_read_out_of_its_streams():
    said = verdict.engine_error("\n code: 255\n stdout: \n stderr: error: no way\n")

    assert said == "no way"


def test_a_stream_that_is_closed_under_its_reader_ends_it():
    stream, lines = io.StringIO("one\ntwo\n"), []

    _read(stream, lines, lambda _: stream.close())

    assert lines == ["one"]
