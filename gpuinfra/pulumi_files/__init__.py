"""Stacks as Pulumi's own files show them: previews and exported states, read as resources."""

from pathlib import Path

from gpuinfra import logs
from gpuinfra.pulumi_files import digest, state, stream
from gpuinfra.pulumi_files.faults import FileError
from gpuinfra.pulumi_files.file_kinds import FileKind, open_window, other, sniff
from gpuinfra.pulumi_files.gathering import KINDS, Kind, LeavingResource, PulumiStack

__all__ = ["KINDS", "FileKind", "Kind", "LeavingResource", "PulumiStack", "read", "sniff"]


def read(path: Path, region: str | None = None) -> PulumiStack:
    """Read what `pulumi preview --json` or `pulumi stack export` wrote.

    Args:
        path: the file.
        region: where resources stand of which the file does not say it.

    Raises:
        InputError: it is none of these files, is broken, or shows only a part of a stack.
    """
    kind = sniff(path)
    logs.debug("read %s as a %s", path, kind)
    if kind in {"stackfile", "none"}:
        raise other(path)
    with open_window(path) as window:
        try:
            if kind == "digest":
                gathering, values = digest.read(window)
                return gathering.stack("digest", values.secrets, region)
            if kind == "stream":
                gathering, values = stream.read(window)
                return gathering.stack("stream", values.secrets, region)
            gathering, values = state.read(window)
            return gathering.stack("state", values.secrets, region)
        except FileError as error:
            window.fail(error)
