"""The errors of the engine, a host or the program in a preview, in their order."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview.event_digest import CRASH_PREFIX

_PANIC: Final = re.compile(r"^panic: (.+)$", re.MULTILINE)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_PREFIX: Final = "error: "
_HOSTS: Final = "info#err"
"""How the engine marks what a host writes to its error stream: the faults of a YAML program."""

_FAULT: Final = re.compile(r"^Error: (?P<fault>.+)$")
_LOCATION_LINE: Final = re.compile(r"^on (?P<file>\S+) line (?P<line>\d+):?$")


def read(digest: Path, wrote: str) -> tuple[Diagnostic, ...]:
    """Return all errors of a preview, each once.

    Args:
        digest: what the engine wrote of the preview, whole or not at all.
        wrote: its error stream.
    """
    listed = _diagnostics(digest)
    errors = (diagnostic for diagnostic in listed if diagnostic.get("severity") == "error")
    diagnostics = [
        Diagnostic(
            severity="error",
            message=str(error.get("message", "")).strip().removeprefix(_PREFIX),
            urn=str(error.get("urn", "")),
        )
        for error in errors
    ]
    diagnostics += _faults(
        [str(diagnostic.get("message", "")) for diagnostic in listed if _is_from_host(diagnostic)]
    )
    diagnostics += _stream_errors(wrote)
    return tuple(dict.fromkeys(diagnostics))


def _diagnostics(digest: Path) -> Sequence[Mapping[str, Any]]:
    try:
        diagnostics = json.loads(digest.read_text("utf-8")).get("diagnostics")
    except (OSError, ValueError):
        return ()
    return [diagnostic for diagnostic in diagnostics or () if isinstance(diagnostic, dict)]


def _is_from_host(diagnostic: Mapping[str, Any]) -> bool:
    return diagnostic.get("severity") == _HOSTS


def _faults(messages: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield the errors that a host prints with their context, as `file:line: message`."""
    fault_text = ""
    for line in _COLOUR.sub("", "".join(messages)).splitlines():
        fault, location_line = _FAULT.match(line.strip()), _LOCATION_LINE.match(line.strip())
        if fault:
            if fault_text:
                yield Diagnostic(severity="error", message=fault_text)
            fault_text = fault["fault"]
        elif location_line and fault_text:
            yield Diagnostic(
                severity="error",
                message=f"{location_line['file']}:{location_line['line']}: {fault_text}",
            )
            fault_text = ""
    if fault_text:
        yield Diagnostic(severity="error", message=fault_text)


def _stream_errors(wrote: str) -> Iterator[Diagnostic]:
    """Yield the errors of the error stream, which may have several lines, and a crash of Go."""
    text = _COLOUR.sub("", wrote)
    for crash in _PANIC.findall(text):
        yield Diagnostic(severity="error", message=f"{CRASH_PREFIX}{crash}")
    for error_text in re.split(rf"^{_PREFIX}", text, flags=re.MULTILINE)[1:]:
        message = re.split(r"^warning: ", error_text, maxsplit=1, flags=re.MULTILINE)[0].strip()
        if message:
            yield Diagnostic(severity="error", message=message)
