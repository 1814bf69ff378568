"""Webhooks of notification services, which never start machines."""

from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from gpuinfra.clouds import digests
from gpuinfra.clouds.tables import rows_of

TABLE_PATH: Final = Path(__file__).with_name("receivers.json")
_PORTS: Final = (None, 443)


def only_tells(url: Any) -> bool:
    """Return whether a URL is a webhook of a notification service in the table."""
    if type(url) is not str:
        return False  # what is filled in later may be any
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return False
    if parts.scheme != "https" or "@" in parts.netloc or port not in _PORTS:
        return False
    segments = parts.path.replace("\\", "/").split("/")
    if any(segment in {".", ".."} for segment in segments) or "%" in parts.path:
        return False
    return any(
        (host.endswith(suffix) if suffix.startswith(".") else host == suffix)
        and parts.path.startswith(path)
        for suffix, path in _rows()
    )


@cache
def _rows() -> tuple[tuple[str, str], ...]:
    rows = rows_of(digests.table(TABLE_PATH))
    return tuple((row["host"], row["path"]) for row in rows)
