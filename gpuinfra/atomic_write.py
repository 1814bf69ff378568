"""Writes a file in one step."""

import os
import stat
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step, so that no crash or full disk leaves a partial one.

    What a link leads to is replaced, and who may read it stays the same.

    Raises:
        OSError: it can't be written, with its name; the previous file stays.
    """
    try:
        _write(path, content)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def _write(path: Path, content: bytes) -> None:
    import secrets  # noqa: PLC0415  (few commands write; it takes milliseconds)

    real = Path(os.path.realpath(path))
    temporary_file = real.with_name(f".{real.name}.{secrets.token_hex(8)}")
    try:
        with temporary_file.open("xb") as file:
            if real.exists():
                temporary_file.chmod(stat.S_IMODE(real.stat().st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary_file.replace(real)
    except BaseException:
        with suppress(OSError):
            temporary_file.unlink()
        raise
