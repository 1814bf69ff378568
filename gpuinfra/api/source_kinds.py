"""The kinds of a SOURCE, a stack file or Pulumi's output, and the options of only one."""

from pathlib import Path

from gpuinfra.errors import Problem


def is_pulumi_file(path: Path) -> bool:
    """Return whether a file is a preview or a state that Pulumi wrote, not a stack file."""
    if not path.is_file():
        return False  # opening a pipe would wait for a writer
    if not (path.suffix.lower() == ".json" or _starts_like_json(path)):
        return False
    from gpuinfra import pulumi_files  # noqa: PLC0415  (a stack file is seldom JSON)

    return pulumi_files.detect_kind(path) != "stackfile"


def not_with_stack_file(name: str, value: object) -> Problem:
    """Return the problem of an option that a stack file sets itself."""
    return Problem(
        message=f"{name} applies to a preview or a state; a stack file has its own",
        value=str(value),
        fix=f"remove {name}",
    )


def rung_not_accepted(value: object, fix: str) -> Problem:
    """Return the problem of naming a rung together with a preview or a state."""
    message = "a preview or a state has only the rung that it shows"
    return Problem(message=message, value=str(value), fix=fix)


def _starts_like_json(path: Path) -> bool:
    """Return whether a file starts like JSON in UTF-8 or UTF-16, as a stack file also may."""
    try:
        with path.open("rb") as stream:
            head = stream.read(64)
    except (OSError, ValueError):
        return False
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[")
