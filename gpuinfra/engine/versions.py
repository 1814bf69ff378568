"""The supported Pulumi versions, and an executable's version, read once per file."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import platformdirs

MINIMUM = (3, 245)
FIRST_UNSUPPORTED = 4
FITTING = "3.245 or newer, below 4"
"""The supported versions as text, tested against the pinned SDK."""

_ANSWER_SECONDS = 30
_VERSION = re.compile(r"v?(?P<version>(?P<major>\d+)\.(?P<minor>\d+)\.\d+(?:[-+]\S*)?)")


class UnsupportedVersionError(Exception):
    """The error for an executable that is no supported engine; its message says why."""


def cache_folder() -> Path:
    """Return the user's cache folder of engines, with one folder per version."""
    return platformdirs.user_cache_path("gpuinfra") / "engine"


def version_of(path: Path) -> str:
    """Return the version of a supported Pulumi CLI, without the "v".

    Raises:
        UnfitError: it is missing, does not run, or its version does not fit.
    """
    version = _cached_version(path)
    match = _VERSION.fullmatch(version)
    if match is None:
        raise UnsupportedVersionError(f"{path} printed {version[:80]!r} instead of a version")
    numbers = int(match["major"]), int(match["minor"])
    if numbers < MINIMUM or numbers[0] >= FIRST_UNSUPPORTED:
        raise UnsupportedVersionError(f"{path} is version {match['version']}; required: {FITTING}")
    return match["version"]


def _cached_version(path: Path) -> str:
    """Return the version that the executable printed, cached while the file is unchanged."""
    try:
        stat = path.stat()
    except OSError as error:
        raise UnsupportedVersionError(f"{path}: {error.strerror or error}") from error
    known_versions = _memory()
    mark = [stat.st_mtime_ns, stat.st_size]
    cached_version = known_versions.get(str(path))
    if isinstance(cached_version, list) and cached_version[:2] == mark:
        return str(cached_version[2])
    answer = _reported_version(path)
    if _VERSION.fullmatch(answer):
        _save_versions({**known_versions, str(path): [*mark, answer]})
    return answer


def _reported_version(path: Path) -> str:
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        done = subprocess.run(
            [path, "version"],
            capture_output=True,
            check=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=_ANSWER_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise UnsupportedVersionError(
            f"{path} printed no version within {_ANSWER_SECONDS} s"
        ) from error
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout).strip().splitlines()
        raise UnsupportedVersionError(
            f"{path} fails: {lines[-1] if lines else 'without a message'}"
        ) from error
    except OSError as error:
        raise UnsupportedVersionError(
            f"{path} cannot be run: {error.strerror or error}"
        ) from error
    return done.stdout.strip()


def _memory() -> dict[str, object]:
    try:
        known_versions = json.loads((cache_folder() / "versions.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known_versions if isinstance(known_versions, dict) else {}


def _save_versions(known_versions: dict[str, object]) -> None:
    folder = cache_folder()
    # A cache that cannot be written costs 0.2 s a run, nothing else.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".versions-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known_versions, file)
        Path(name).replace(folder / "versions.json")
