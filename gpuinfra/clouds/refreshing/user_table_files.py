"""The refreshed files, one per cloud, in the user's data folder: paths, reading, writing.

The first line has the format and the SHA-256 of all that follows, which is one JSON document:
`modes`, `sources`, `notes` and `items` as a shipped table of prices has them, and `machines`.
"""

import json
import os
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gpuinfra import logs
from gpuinfra.records import record

HOME_VARIABLE: Final = "GPUINFRA_CATALOG_HOME"
FORMAT: Final = 1
_ENDING: Final = ".jsonl"

Content = dict[str, Any]


@record
class _OpenedFile:
    """A file's digest and the content after its header; or why it can't be used."""

    digest: str = ""
    body: bytes = b""
    fault: str = ""


def refreshed_folder() -> Path:
    """Return the refreshed files' folder: GPUINFRA_CATALOG_HOME, else in the user's data."""
    configured_path = os.environ.get(HOME_VARIABLE)
    if configured_path:
        return Path(configured_path)
    import platformdirs  # noqa: PLC0415  (not needed where the folder is given)

    return platformdirs.user_data_path("gpuinfra") / "catalog"


def path(cloud: str) -> Path:
    """Return the path of a cloud's refreshed file, whether or not it exists."""
    return refreshed_folder() / f"{cloud}{_ENDING}"


def content(cloud: str) -> Content | None:
    """Return the refreshed rows of a cloud; None without any, or if their file is damaged."""
    rows_path = path(cloud)
    stamp = _stamp(rows_path)
    if stamp is None:
        logs.debug("no refreshed prices of %s: the shipped tables count", cloud)
        return None
    logs.debug("refreshed prices of %s: %s", cloud, rows_path)
    return _parse_file(rows_path, stamp)


def faults() -> tuple[str, ...]:
    """Return why refreshed files are not used, one sentence each."""
    return tuple(
        f"the shipped prices of {cloud} are used instead of the refreshed ones: "
        f"{rows_file.fault}; run `gpuinfra catalog refresh --cloud {cloud}` to fetch them "
        "again"
        for cloud, rows_file in _all_files()
        if rows_file.fault
    )


def digests() -> dict[str, str]:
    """Return the digests of the refreshed files in use, by file name."""
    return {f"{cloud}{_ENDING}": file.digest for cloud, file in _all_files() if not file.fault}


def write(cloud: str, fresh: Content) -> Path:
    """Replace the refreshed file, in one step.

    Raises:
        OSError: it can't be written; the old one stays as it is.
    """
    from gpuinfra.atomic_write import write_atomically  # noqa: PLC0415  (only to write)

    body = json.dumps(fresh, ensure_ascii=False, separators=(",", ":")).encode()
    header = json.dumps({"format": FORMAT, "sha256": sha256(body).hexdigest()}).encode()
    rows_path = path(cloud)
    rows_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(rows_path, header + b"\n" + body)
    return rows_path


def _all_files() -> list[tuple[str, _OpenedFile]]:
    files = []
    with suppress(OSError):
        for rows_path in sorted(refreshed_folder().glob(f"[!.]*{_ENDING}")):
            stamp = _stamp(rows_path)
            if stamp is not None:
                files.append((rows_path.name.removesuffix(_ENDING), _read_file(rows_path, stamp)))
    return files


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return the stamp of a file's current state; None when it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)


@cache
def _read_file(path: Path, _: tuple[int, int]) -> _OpenedFile:
    try:
        header, body = [*path.read_bytes().split(b"\n", 1), b""][:2]
        fields = json.loads(header)
        form, digest = fields["format"], fields["sha256"]
    except OSError as error:
        return _OpenedFile(fault=f"{path} can't be read ({error.strerror})")
    except (ValueError, TypeError, KeyError):
        return _OpenedFile(fault=f"{path} is damaged")
    if form != FORMAT:
        return _OpenedFile(fault=f"{path} was written by another version of gpuinfra")
    if sha256(body).hexdigest() != digest:
        return _OpenedFile(fault=f"{path} is damaged")
    return _OpenedFile(digest=digest, body=body)


@cache
def _parse_file(path: Path, stamp: tuple[int, int]) -> Content | None:
    file_content = _read_file(path, stamp)
    if file_content.fault:
        return None
    parsed: Content = json.loads(file_content.body)
    return parsed
