"""The digests of the shipped tables, which detect damaged files.

`make digests` rewrites the list after a deliberate change of a table.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gpuinfra import logs
from gpuinfra.errors import GpuinfraError

PACKAGE: Final = Path(__file__).parents[1]
DIGESTS_FILE: Final = Path(__file__).with_name("digests.json")

_TABLES: Final = (
    "clouds/*/data/*.json",
    "clouds/without_machines*.json",
    "clouds/hidden_machines.json",
    "clouds/environments.json",
    "clouds/callees.json",
    "clouds/balancer_classes.json",
    "clouds/deleted_with.json",
    "clouds/cluster_rights.json",
    "clouds/issuers.json",
    "clouds/lasting_keys.json",
    "clouds/outside_grants.json",
    "clouds/plain_texts.json",
    "clouds/receivers.json",
    "clouds/runs_as.json",
    "clouds/storage_classes.json",
    "catalog/*.json",
)
_REINSTALL: Final = "reinstall gpuinfra (in a checkout, after an intended change: make digests)"


class DamagedTableError(GpuinfraError):
    """The error for a damaged table file, which may not be used for prices."""


def tables() -> tuple[Path, ...]:
    """Return the tables that are shipped, in the order of their names."""
    return tuple(sorted(path for form in _TABLES for path in PACKAGE.glob(form)))


def name(path: Path) -> str:
    """Return a table's name in the list: its path in the package."""
    return path.relative_to(PACKAGE).as_posix()


def digest_of(content: bytes) -> str:
    """Return the digest of a file's content."""
    return sha256(content).hexdigest()


@cache
def shipped_digests() -> dict[str, str]:
    """Return the digest of each shipped table, by its name.

    Raises:
        DamagedError: the list itself can't be read.
    """
    try:
        by_name: dict[str, str] = json.loads(DIGESTS_FILE.read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedTableError(
            f"the list of digests {DIGESTS_FILE} can't be read: {_REINSTALL}"
        ) from error
    return by_name


def read_table(path: Path) -> bytes:
    """Return the content of a table; refuse a shipped table whose digest does not match.

    Raises:
        DamagedError: it is not, or is not there.
    """
    content = _content(path)
    logs.debug("read table %s: %s bytes", path, len(content))
    return content


def _content(path: Path) -> bytes:
    digest = shipped_digests().get(name(path)) if path.is_relative_to(PACKAGE) else None
    if digest is None:
        return path.read_bytes()
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = f"can't be read ({error.strerror})"
        raise DamagedTableError(f"the shipped table {path} {reason}: {_REINSTALL}") from error
    if digest_of(content) != digest:
        raise DamagedTableError(
            f"the shipped table {path} is damaged or was changed: {_REINSTALL}"
        )
    return content


@cache
def table(path: Path) -> dict[str, Any]:
    """Return the content of a JSON table, read once.

    Raises:
        DamagedTableError: it is changed or missing.
    """
    content: dict[str, Any] = json.loads(read_table(path))
    return content


def current() -> dict[str, str]:
    """Return the current digest of each table, by file name."""
    return {name(path): digest_of(path.read_bytes()) for path in tables()}


if __name__ == "__main__":
    DIGESTS_FILE.write_text(json.dumps(current(), indent=1) + "\n", encoding="utf-8")
