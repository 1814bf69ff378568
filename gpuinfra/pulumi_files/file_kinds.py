"""The kind of a file by its content: a preview, an event log, a state or a stack file."""

import codecs
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from gpuinfra.errors import InputError
from gpuinfra.pulumi_files import preview_document, preview_events
from gpuinfra.pulumi_files.file_faults import CREATE_FILE_AGAIN
from gpuinfra.pulumi_files.json_window import JsonWindow

FileKind = Literal["digest", "stream", "state", "stackfile", "none"]

_STACK_FILE_KEYS: Final = frozenset(
    {"name", "owner", "where", "training", "inference", "buckets", "budget"}
)
"""Keys of a stack file, which may be written as JSON."""

_SIMILAR_FILES: Final = {
    "checkpoint": (
        "a checkpoint from a backend's folder",
        "pulumi stack export > state.json",
    ),
    "manifest": ("a deployment without its envelope", "pulumi stack export > state.json"),
    "format_version": (
        "a Terraform plan",
        "gpuinfra checks Pulumi: pulumi preview --json --show-sames > preview.json",
    ),
    "terraform_version": (
        "a Terraform state",
        "gpuinfra checks Pulumi: pulumi stack export > state.json",
    ),
}
"""Files that can be mistaken for a Pulumi file: by a key, what it is and what to do instead."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""PowerShell writes what is sent to a file as UTF-16."""

WRITE_FILE_FIX: Final = (
    "use a stack file, or the output of pulumi preview --json --show-sames or pulumi stack export"
)

PULUMI_FAILED: Final = f"check pulumi's output, it may have failed; {CREATE_FILE_AGAIN}"


@contextmanager
def open_window(path: Path) -> Generator[JsonWindow]:
    """Open a file as a window on its JSON.

    Raises:
        InputError: it can't be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            message = (
                f"{path} is not a regular file; redirect into one: pulumi stack export > "
                "state.json"
            )
            raise InputError.of(message, fix=WRITE_FILE_FIX)
        with path.open("rb") as raw:
            head = raw.read(4)
        encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
        text = path.open(encoding=encoding, newline="")
    except (OSError, ValueError) as error:
        from gpuinfra.stackfile.files import read_problem  # noqa: PLC0415  (seldom)

        raise InputError([read_problem(path, error, WRITE_FILE_FIX)]) from None
    with text:
        yield JsonWindow(text, str(path))


def detect_kind(path: Path) -> FileKind:
    """Return the kind of a file by its first keys; a text that isn't JSON may be a stack file.

    Raises:
        InputError: it can't be read.
    """
    with open_window(path) as window:
        try:
            first = window.peek()
            if first != "{":
                is_none = first in {"", "[", "\0"} or is_named_as_json(path)
                return "none" if is_none else "stackfile"
            for key in window.members():
                kind = _kind(key)
                if kind:
                    return kind
                window.value()
        except InputError:
            # YAML may begin with a brace; its reader says what is wrong.
            return "none" if is_named_as_json(path) else "stackfile"
    return "none"


def is_named_as_json(path: Path) -> bool:
    """Return whether a file's name says JSON, as that of what Pulumi wrote does."""
    return path.suffix.lower() == ".json"


def _kind(key: str) -> FileKind | None:
    if key in preview_document.KEYS:
        return "digest"
    if key in preview_events.KEYS:
        return "stream"
    if key == "deployment":
        return "state"
    if key in _SIMILAR_FILES:
        return "none"
    return "stackfile" if key in _STACK_FILE_KEYS else None


def unsupported_file_error(path: Path) -> InputError:
    """Return the error of a file that can't be judged, with the reason."""
    with open_window(path) as window:
        first = window.peek()
        if not first:
            return InputError.of(f"{path} is empty", fix=PULUMI_FAILED)
        if first not in "{[":
            return InputError.of(f"{path} is not JSON", fix=PULUMI_FAILED)
        try:
            keys = list(_keys(window))
        except InputError as error:
            if first == "{" and is_named_as_json(path):
                return error
            keys = []
    for key in keys:
        if key in _SIMILAR_FILES:
            kind, fix = _SIMILAR_FILES[key]
            return InputError.of(f"{path} is {kind}", fix=fix)
    return InputError.of(
        f"{path} is neither a stack file nor output of pulumi", fix=WRITE_FILE_FIX
    )


def _keys(window: JsonWindow) -> Iterator[str]:
    for key in window.members():
        yield key
        window.value()
