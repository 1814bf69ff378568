"""URLs of cloud and CI automation APIs; a request to one of them may start machines."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.tables import rows_of

TABLE_PATH: Final = Path(__file__).with_name("callees.json")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_UNREADABLE: Final = "an address that can't be read"


def runs(url: str) -> str:
    """Return a description of the code that a URL runs; empty for any other address.

    Args:
        url: an address, with or without its scheme.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    what: str = _row(url).get("what", "")
    return what


def may_be_own(url: str) -> bool:
    """Return whether a resource of the stack may answer at a URL, as no API of a cloud does.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    return bool(_row(url).get("own", True))


def _row(url: str) -> Mapping[str, Any]:
    """Return the row of the code that a URL runs; nothing for any other address."""
    try:
        parts = urlsplit(url if _SCHEME.match(url) else f"https://{url}")
        host = unquote(parts.hostname or "").lower().rstrip(".")
    except ValueError:
        return {"what": _UNREADABLE}
    if "\\" in parts.netloc:  # some clients end the host there, others after it
        return {"what": _UNREADABLE}
    path = parts.path.replace("\\", "/")
    is_plain_path = "%" not in path and not {".", ".."} & {*path.split("/")}
    return next(
        (
            row
            for row in rows_of(digests.table(TABLE_PATH))
            if matches_pattern(row["host"], host)
            and not (is_plain_path and any(path.startswith(begin) for begin in row["except"]))
        ),
        {},
    )


def caller(kind: str) -> Mapping[str, Any] | None:
    """Return how a type sends requests: see `about`; None for a type that sends none.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    return callers().get(kind)


def callers() -> Mapping[str, Mapping[str, Any]]:
    """Return the types that send requests by themselves.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    caller_types: Mapping[str, Mapping[str, Any]] = digests.table(TABLE_PATH)["callers"]
    return caller_types
