"""What a SOURCE is: a stack file, or what Pulumi wrote."""

from pathlib import Path


def is_pulumi_file(path: Path) -> bool:
    """Whether a file is a preview or a state that Pulumi wrote, not a stack file."""
    if not _is_json(path):
        return False
    from gpuinfra import pulumi_files  # noqa: PLC0415  (a stack file is seldom JSON)

    return pulumi_files.sniff(path) != "stackfile"


def _is_json(path: Path) -> bool:
    """Whether a file begins as JSON does, in UTF-8 or UTF-16; a stack file may, too."""
    if not path.is_file():
        return False  # opening a pipe would wait for a writer
    try:
        with path.open("rb") as stream:
            head = stream.read(64)
    except (OSError, ValueError):
        return False
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[")
