"""Assets and archives: files of a program, in the form of Pulumi's protocol."""

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from gpuinfra.pulumi_special_values import ARCHIVE, ASSET, SIGNATURE

_TARS = (".tar", ".tgz", ".tar.gz")
# A zip file keeps the hour of each entry: a fixed one makes equal content equal bytes.
_HOUR = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644 << 16


class AssetError(Exception):
    """The error for an asset's file that can't be read; its message says which and why."""


def is_asset(value: Any) -> bool:
    """Return whether a plain value is an asset or an archive, by Pulumi's signature."""
    return isinstance(value, Mapping) and value.get(SIGNATURE) in (ASSET, ARCHIVE)


def is_same_asset(left: Any, right: Any) -> bool:
    """Return whether two assets have the same content, by the engine's hash.

    Source: pulumi-terraform-bridge compares assets by their hashes alone, wherever they lie.
    """
    hashes = [value.get("hash") for value in (left, right)]
    return bool(left == right or (hashes[0] and hashes[0] == hashes[1]))


def content(value: Mapping[str, Any]) -> bytes:
    """Return an asset's bytes; for an archive, a reproducible zip file.

    Raises:
        AssetError: a file or folder that it names can't be read.
    """
    if value[SIGNATURE] == ARCHIVE:
        path = None if "assets" in value else _path(value)
        if path is not None and path.is_file() and not path.name.endswith(_TARS):
            return _read(path)
        return _zip_entries(dict(_entries(value, "")))
    if "text" in value:
        return str(value["text"]).encode()
    return _read(_path(value))


def _zip_entries(entries: Mapping[str, bytes]) -> bytes:
    import zipfile  # noqa: PLC0415  loaded with the first archive, not with every plugin

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name, _HOUR)
            entry.external_attr = _READABLE
            archive.writestr(entry, entries[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _entries(value: Mapping[str, Any], under: str) -> Iterator[tuple[str, bytes]]:
    if "assets" in value:
        for name, item in value["assets"].items():
            if item[SIGNATURE] == ARCHIVE:
                yield from _entries(item, f"{under}{name}/")
            else:
                yield f"{under}{name}", content(item)
        return
    path = _path(value)
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file():
                yield f"{under}{file.relative_to(path).as_posix()}", _read(file)
        return
    for name, data in _unpack_archive(path):
        yield f"{under}{name}", data


def _unpack_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    import tarfile  # noqa: PLC0415  loaded with the first archive, not with every plugin
    import zipfile  # noqa: PLC0415

    buffer = io.BytesIO(_read(path))
    try:
        if path.name.endswith(_TARS):
            with tarfile.open(fileobj=buffer) as tar:
                for member in tar.getmembers():
                    file = tar.extractfile(member)
                    if file is not None:
                        yield member.name, file.read()
            return
        with zipfile.ZipFile(buffer) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, archive.read(name)
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise AssetError(f"the archive {path} can't be read: {error}") from error


def _path(value: Mapping[str, Any]) -> Path:
    if "path" in value:
        return Path(value["path"])
    uri = urlsplit(str(value.get("uri", "")))
    if uri.scheme != "file":
        path = value.get("uri") or "nowhere"
        raise AssetError(f"the asset at {path} can't be read: use a file or a text")
    return Path(unquote(uri.path))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AssetError(f"the asset {path} can't be read: {error.strerror}") from error
