"""The page fetcher of a cloud's refresh: requests, checks and stores each page."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from gpuinfra.clouds.refreshing.page_cache import CachedPage, PageCache
from gpuinfra.clouds.refreshing.web import Web, redacted_url
from gpuinfra.errors import RefreshError, printable
from gpuinfra.records import record

M = TypeVar("M", bound=BaseModel)

Say = Callable[[str], None]

_TRIES: Final = 3
_EVERY_LINES: Final = 20_000


@record(kw_only=False)
class Page(Generic[M]):
    """A page from an API, with the day of its response."""

    content: M
    day: date


class PageFetcher:
    """The fetcher of pages, which keeps each in the cache.

    Args:
        web: the HTTP client.
        spool: where pages are kept.
        say: called with progress messages.
        pause: the least seconds between two requests.
    """

    def __init__(self, web: Web, spool: PageCache, show_progress: Say, pause: float = 0) -> None:
        self.web = web
        self.say = show_progress
        self._spool = spool
        self._pause = pause
        self._last = float("-inf")

    def page(
        self, link: str, model: type[M], keep: Callable[[M], M] = lambda page: page
    ) -> Page[M]:
        """Return a page of JSON.

        Args:
            link: its path, or the link that the page before gave.
            model: what the documentation says of it.
            keep: what of it is needed.

        Raises:
            RefreshError: it can't be had, or is not what the documentation says.
        """
        key = self.web.address(link)
        cached = self._spool.get(key)
        if cached is not None and cached.is_fresh:
            with suppress(RefreshError):
                return Page(validate_page(cached.page, model, key), cached.fetched.date())
        self._wait()
        answer = self.web.json(link, cached.etag if cached is not None else "")
        if answer.content is None and cached is not None:
            return self._store_page(key, validate_page(cached.page, model, key), answer.etag)
        return self._store_page(key, keep(validate_page(answer.content, model, key)), answer.etag)

    def table(self, link: str, model: type[M], read: Callable[[Iterator[str]], M]) -> Page[M]:
        """Return the result of `read` on a long text, line by line; a broken read is retried.

        Raises:
            RefreshError: it can't be had, or breaks off at every try.
        """

        def fetch() -> M:
            for tries_left in reversed(range(_TRIES)):
                try:
                    with self.web.lines(link) as lines:
                        return read(self._report_line_count(lines, link))
                except RefreshError:
                    if not tries_left:
                        raise
            raise AssertionError("the last attempt returns or raises")

        return self.make_cached(self.web.address(link), model, fetch)

    def make_cached(self, key: str, model: type[M], make: Callable[[], M]) -> Page[M]:
        """Return the result of `make`, cached under the key."""
        cached = self._spool.get(key)
        if cached is not None and cached.is_fresh:
            with suppress(RefreshError):
                return Page(validate_page(cached.page, model, key), cached.fetched.date())
        self._wait()
        return self._store_page(key, make(), "")

    def _store_page(self, key: str, content: M, etag: str) -> Page[M]:
        fetch_time = datetime.now(UTC)
        page = content.model_dump(mode="json", by_alias=True)
        self._spool.store_page(key, CachedPage(fetched=fetch_time, etag=etag, page=page))
        return Page(content, fetch_time.date())

    def _wait(self) -> None:
        current_seconds = time.monotonic()
        if current_seconds - self._last < self._pause:
            time.sleep(self._pause - (current_seconds - self._last))
        self._last = time.monotonic()

    def _report_line_count(self, lines: Iterator[str], link: str) -> Iterator[str]:
        for count, line in enumerate(lines):
            if count and count % _EVERY_LINES == 0:
                self.say(f"{redacted_url(link)}: {count:,} lines")
            yield line


def validate_page(content: Any, model: type[M], url: str) -> M:
    """Return a page that matches the documentation of its API.

    Raises:
        RefreshError: it is not; says where.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place_text = ".".join(map(str, first["loc"])) or "the whole"
        shown_input = printable(repr(first["input"]))[:80]
        raise RefreshError(
            f"{redacted_url(url)} sent a response that its documentation doesn't describe: "
            f"{place_text} is {shown_input}: {first['msg'].lower()}"
        ) from None
