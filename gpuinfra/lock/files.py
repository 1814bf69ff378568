"""The lock file beside a stack file, which is read here and written atomically."""

import os
import stat
from pathlib import Path
from typing import Final

from gpuinfra.errors import InputError
from gpuinfra.lock import text
from gpuinfra.lock.contents import Lock
from gpuinfra.lock.normalized_values import digest_of, json_value
from gpuinfra.stackfile.file_names import LOCK_NAME as FILE_NAME
from gpuinfra.stackfile.file_names import has_lock
from gpuinfra.stackfile.files import text_in
from gpuinfra.stackfile.yaml_composer import compose

MAX_LOCK_SIZE: Final = 64 * 2**20
READABLE: Final = 0o644
"""The rights of a new lock: it goes into git, beside the stack file."""


def lock_path(stack_file: Path) -> Path:
    """Return the path of a stack file's lock."""
    return stack_file.parent / FILE_NAME


def find(stack_file: Path) -> Lock | None:
    """Return the lock in a stack file's folder, of any stack file; None where there is none.

    Raises:
        InputError: there is one that can't be read; with the line.
    """
    path = lock_path(stack_file)
    return read_lock(path) if has_lock(stack_file) else None


def lock_of(stack_file: Path) -> Lock | None:
    """Return the lock of a stack file; None if there is none, or it is of another file.

    Raises:
        InputError: there is one that can't be read; with the line.
    """
    lock = find(stack_file)
    return lock if lock is not None and lock.file == stack_file.name else None


def read_lock(path: Path) -> Lock:
    """Return the lock in a file.

    Raises:
        InputError: it can't be read, or is no lock as one was written; with the line.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_LOCK_SIZE + 1)
    except OSError as error:
        raise _read_error(path, error.strerror or str(error)) from None
    if len(data) > MAX_LOCK_SIZE:
        raise _read_error(path, f"it is larger than {MAX_LOCK_SIZE // 2**20} MiB")
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _read_error(path, f"byte {error.start + 1} is not UTF-8") from None
    return text.read(content, str(path))


def file_digest(path: Path) -> str | None:
    """Return the digest of a YAML file's values, regardless of style; None if there is no file.

    Raises:
        InputError: it can't be read; with the line.
    """
    if not os.path.lexists(path):
        return None
    return digest_of(json_value(compose(text_in(path, "use a YAML file"), str(path)).value))


def write(lock: Lock, path: Path) -> None:
    """Write a lock atomically; a concurrent reader finds the old one.

    Raises:
        OSError: nothing was changed.
    """
    from gpuinfra.atomic_write import write_atomically  # noqa: PLC0415  (only to write)

    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else READABLE
    write_atomically(path, text.write(lock).encode())
    path.chmod(mode)


def _read_error(path: Path, reason: str) -> InputError:
    fix = f"restore it, or write it again: {text.update_command(str(path))}"
    return InputError.of(f"{path} can't be read: {reason}", fix=fix)
