"""Stacks from Pulumi's own files: previews and exported states, read as resources."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from gpuinfra import logs
from gpuinfra.errors import InputError
from gpuinfra.pulumi_files import exported_state, preview_document, preview_events
from gpuinfra.pulumi_files.file_faults import FileError, refuse
from gpuinfra.pulumi_files.file_kinds import (
    FileKind,
    detect_kind,
    open_window,
    unsupported_file_error,
)
from gpuinfra.pulumi_files.file_stack import KINDS, Kind, LeavingResource, PulumiStack
from gpuinfra.pulumi_files.json_window import JsonWindow

__all__ = ["KINDS", "FileKind", "Kind", "LeavingResource", "PulumiStack", "detect_kind", "read"]


def read(path: Path, region: str | None = None, *, partial: bool = False) -> PulumiStack:
    """Read the stack in the output of `pulumi preview --json` or `pulumi stack export`.

    Args:
        path: the file.
        region: the region of resources without one in the file.
        partial: also read a preview that failed; `failed` of the result then says why.

    Raises:
        InputError: it is none of these files, is broken, or shows only a part of a stack.
    """
    kind = detect_kind(path)
    failures: list[InputError] = []
    logs.debug("read %s as a %s", path, kind)
    if kind in {"stackfile", "none"}:
        raise unsupported_file_error(path)
    with open_window(path) as window:
        try:
            failed = _failure_recorder(window, failures) if partial else refuse
            if kind == "digest":
                gathering, values = preview_document.read_digest(window, failed)
                stack = gathering.stack("digest", values.secrets, region)
            elif kind == "stream":
                gathering, values = preview_events.read_stream(window, failed)
                stack = gathering.stack("stream", values.secrets, region)
            else:
                gathering, values = exported_state.read_export(window)
                stack = gathering.stack("state", values.secrets, region)
        except FileError as error:
            if failures:
                raise failures[0] from None
            window.fail(error)
    return replace(stack, preview_error=failures[0]) if failures else stack


def _failure_recorder(
    window: JsonWindow, failures: list[InputError]
) -> Callable[[FileError], None]:
    """Return a function that keeps why a preview failed, with the place in its file."""
    return lambda error: failures.append(error.at(window.position))
