"""The ending of a run: success, or stopped by a policy, a cloud, the program or the engine."""

import os
import re
import socket
from collections.abc import Sequence
from dataclasses import replace

from gpuinfra.engine import refusals, tracebacks
from gpuinfra.engine.contract import Diagnostic, Ending, PolicyFinding
from gpuinfra.engine.events import PROVIDER_TYPE, STACK_TYPE, RunRecord
from gpuinfra.engine.program import exception_text
from gpuinfra.errors import LockedError, Refusal

_PROGRAM = "python inline source runtime error"
_LOCK_HOLDER = re.compile(r"created by (?P<who>\S+) \(pid (?P<pid>\d+)\) at (?P<when>\S+)")
_ENGINES_OWN = re.compile(rf"::(?:{re.escape(STACK_TYPE)}|{PROVIDER_TYPE}[^:]+)::")
_ERROR_LINE = re.compile(r"^\s*(?:stderr: )?error: ", re.MULTILINE)
_UNHANDLED_PREFIX = "an unhandled error occurred: "
_LOST_CONNECTION = re.compile(
    r"^Resource monitor has terminated|<_InactiveRpcError of RPC[^>]*StatusCode\.UNAVAILABLE"
)
"""The program's complaint that it cannot reach the engine: what follows from a cause, not one."""

_STDERR = "\n stderr: "
_PANIC = re.compile(r"^(?:panic|fatal error): .*", re.MULTILINE)
_CANCELED_MESSAGE = re.compile(
    r"context canceled|CancelledError|StatusCode\.CANCELLED|code = Canceled"
    r"|(?:preview|update|refresh|destroy) cancel(?:l)?ed"
)


def ending_of(
    record: RunRecord, *, failed: str | None, failure: Exception | None, interrupted: bool
) -> tuple[Ending, str, tuple[Refusal, ...]]:
    """Return the ending, one sentence with the reason, and a cloud's refusals.

    Args:
        record: the record of the run's events.
        failed: the CLI's own error output; None when it ended well.
        failure: what the program raised.
        interrupted: a user asked it to stop.
    """
    reasons = _causes(
        _resource_errors(readable_diagnostics(record.diagnostics, interrupted=interrupted))
    )
    cloud_refusals = refusals.translate(reasons)
    if interrupted:
        return "interrupted", "stopped on request", cloud_refusals
    if failed is None:
        return "fine", "", ()
    mandatory = [finding for finding in record.findings if finding.level == "mandatory"]
    if mandatory:
        return "refused", _policies(mandatory), cloud_refusals
    if cloud_refusals:
        first = cloud_refusals[0]
        message = f"{first.what} was refused: {first.why}{_more(cloud_refusals)}"
        return "cloud", message, cloud_refusals
    return _ending_without_resources(record, failed, failure)


def readable_diagnostics(
    diagnostics: Sequence[Diagnostic], *, interrupted: bool
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without tracebacks and duplicates.

    Of an interrupted run those are left out that only say that it was canceled.
    """
    readable: list[Diagnostic] = []
    for diagnostic in diagnostics:
        message = tracebacks.without_tracebacks(diagnostic.message)
        again = message.startswith(_UNHANDLED_PREFIX)
        message = message.removeprefix(_UNHANDLED_PREFIX)
        if interrupted and _CANCELED_MESSAGE.search(message):
            continue
        if not (again and any(message == other.message for other in readable)):
            readable.append(replace(diagnostic, message=message))
    return tuple(readable)


def locked_error(output: str) -> LockedError:
    """Return the error for a stack locked by another run or by a killed one."""
    locks = list(_LOCK_HOLDER.finditer(output))
    holders_text = ", ".join(
        f" by {match['who']}, process {match['pid']}, since {match['when']}" for match in locks
    )
    has_ended = bool(locks) and all(
        _locking_process_ended(match["who"], int(match["pid"])) for match in locks
    )
    return LockedError(f"the stack is locked{holders_text}", ended=has_ended)


def _locking_process_ended(holder: str, pid: int) -> bool:
    """Return whether a lock is from a process of this machine that has ended."""
    if holder.rpartition("@")[2] != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def engine_error(output: str) -> str:
    """Return the first error in the CLI's output, else its last line."""
    errors = [message.strip() for message in _ERROR_LINE.split(output)[1:]]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return errors[0] if errors else (lines[-1] if lines else "no message")


def _ending_without_resources(
    record: RunRecord, failed: str, failure: Exception | None
) -> tuple[Ending, str, tuple[Refusal, ...]]:
    wrote = next(
        (
            diagnostic.message
            for diagnostic in record.diagnostics
            if _PROGRAM in diagnostic.message
        ),
        "",
    )
    refusal = refusals.unanswered_call_refusal(str(failure) if failure else wrote)
    if refusal is not None:
        return "cloud", f"{refusal.what} got no answer: {refusal.why}", (refusal,)
    if failure is not None:
        return "program", f"the program failed: {exception_text(failure)}", ()
    if wrote:
        message = (
            tracebacks.without_tracebacks(wrote)
            .removeprefix(_UNHANDLED_PREFIX)
            .removeprefix(f"{_PROGRAM}:")
        )
        return "program", f"the program failed: {message.strip()}", ()
    errors = [
        diagnostic.message for diagnostic in record.diagnostics if diagnostic.severity == "error"
    ]
    causes = [
        error
        for error in errors
        if not _LOST_CONNECTION.search(error.removeprefix(_UNHANDLED_PREFIX))
    ]
    if errors and not causes:
        return "engine", f"the engine failed: {_lost_connection(errors[0], failed)}", ()
    message = tracebacks.without_tracebacks(causes[0] if causes else engine_error(failed))
    return "engine", f"the engine failed: {message}", ()


def _lost_connection(message: str, failed: str) -> str:
    """Return why the program and the engine lost their connection, from the error stream.

    The CLI's output proper only repeats what the program said.
    """
    wrote = failed.rpartition(_STDERR)[2].strip()
    panic = _PANIC.search(wrote)
    cause = (
        panic[0] if panic else (engine_error(wrote) if wrote else "the engine printed no cause")
    )
    cause, message = (tracebacks.without_tracebacks(text) for text in (cause, message))
    return f"{cause}; the program's last output: {message}"


def _resource_errors(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors about resources, without plugins that can't be loaded."""
    return [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.urn and not _ENGINES_OWN.search(diagnostic.urn)
    ]


def _causes(errors: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return the errors without consequences of other errors; all if none is a cause."""
    causes = [
        error
        for error in errors
        if not (_LOST_CONNECTION.search(error.message) or _CANCELED_MESSAGE.search(error.message))
    ]
    return causes or errors


def _policies(findings: Sequence[PolicyFinding]) -> str:
    first = findings[0]
    return f"policy {first.policy} of pack {first.pack} refused: {first.message}{_more(findings)}"


def _more(items: Sequence[object]) -> str:
    """Return how many there are besides the first one; empty for one."""
    return f" (and {len(items) - 1} more)" if len(items) > 1 else ""
