"""A cache of fetched pages, kept for a day to continue an interrupted refresh."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gpuinfra.atomic_write import write_atomically
from gpuinfra.records import record

KEPT_FOR: Final = timedelta(days=1)


@record
class CachedPage:
    """A cached page: when it was fetched, its etag, and its content as JSON."""

    fetched: datetime
    etag: str
    page: Any

    @property
    def is_fresh(self) -> bool:
        """Whether the page need not be fetched again."""
        return datetime.now(UTC) - self.fetched < KEPT_FOR


class PageCache:
    """The cached pages of one cloud.

    Args:
        folder: where; made when the first page is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __len__(self) -> int:
        return sum(1 for _ in self._folder.glob("*.json"))

    def get(self, key: str) -> CachedPage | None:
        """Return a page by its key; None when there is none, or only a part of one."""
        try:
            stored = json.loads(self._page_path(key).read_bytes())
            fetched = datetime.fromisoformat(stored["fetched"])
            return CachedPage(fetched=fetched, etag=stored["etag"], page=stored["page"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store_page(self, key: str, page: CachedPage) -> None:
        """Store a page.

        Raises:
            OSError: it can't be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stored = {"fetched": page.fetched.isoformat(), "etag": page.etag, "page": page.page}
        write_atomically(self._page_path(key), json.dumps(stored).encode())

    def clear(self) -> None:
        """Delete all pages; one that can't be deleted stays, and is too old in a day."""
        with suppress(OSError):
            for path in self._folder.iterdir():
                path.unlink()
            self._folder.rmdir()

    def _page_path(self, key: str) -> Path:
        return self._folder / f"{sha256(key.encode()).hexdigest()[:32]}.json"
