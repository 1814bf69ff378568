"""The HTTP client for APIs: retries, TLS except on this machine, and readable errors."""

import io
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from http import HTTPStatus
from typing import Any, BinaryIO, Final, cast
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from gpuinfra.clouds.network_failures import CHECK_NETWORK, network_reason
from gpuinfra.errors import InputError, RefreshError, printable
from gpuinfra.records import record

TRIES: Final = 5
CONNECT_TRIES: Final = 2
BACKOFF_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 120
_TIMEOUT: Final = urllib3.Timeout(connect=15, read=90)
_RETRIED_STATUSES: Final = frozenset({429, 500, 502, 503, 504})
_FINE: Final = frozenset({200, 304})
_STATUS_REASONS: Final = {
    401: "rejected the key",
    403: "rejected the key",
    404: "not found",
    429: "throttled every attempt",
}
_MAX_MESSAGE_LENGTH: Final = 200
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@record(kw_only=False)
class HttpResponse:
    """A decoded response; `content` is None when nothing changed since `etag`."""

    content: Any
    etag: str


class _RetryPolicy(urllib3.Retry):
    """The retry policy for temporary errors, with a limit on the waiting time."""

    def get_retry_after(self, response: urllib3.BaseHTTPResponse) -> float | None:
        """Return the seconds that the response asks to wait; refuse more than the limit."""
        seconds = super().get_retry_after(response)
        if seconds is not None and seconds > LONGEST_WAIT_SECONDS:
            raise RefreshError(
                f"the price API asks to wait {seconds:.0f} s (Retry-After); the limit is"
                f" {LONGEST_WAIT_SECONDS} s"
            )
        return seconds


class Web:
    """One API at one address.

    Args:
        endpoint: its address; https, or http on this machine.
        headers: what every request says; what they hold is never shown.
    """

    def __init__(self, endpoint: str, headers: Mapping[str, str]) -> None:
        self._parts = urlsplit(checked_address(endpoint))
        self._headers = {"User-Agent": "gpuinfra", "Accept-Encoding": "gzip", **headers}
        self._secrets = [value.split()[-1] for value in headers.values() if value.split()]
        self._pool = _pool(self._parts.scheme, self._parts.hostname or "")

    def address(self, link: str) -> str:
        """Return the address of a link or a path at this API, regardless of the link's host."""
        parts = urlsplit(link)
        base = self._parts.path.rstrip("/")
        path = parts.path if base and parts.path.startswith(f"{base}/") else base + parts.path
        return urlunsplit((self._parts.scheme, self._parts.netloc, path, parts.query, ""))

    def json(self, link: str, etag: str = "") -> HttpResponse:
        """Return a JSON document; numbers with a decimal point are decimals.

        Raises:
            RefreshError: it can't be had, or is no JSON.
        """
        url = self.address(link)
        with self._get(url, etag, stream=False) as response:
            if response.status == HTTPStatus.NOT_MODIFIED:
                return HttpResponse(None, etag)
            try:
                content = json.loads(response.data, parse_float=Decimal, parse_constant=_no_number)
            except (ValueError, RecursionError) as error:
                raise RefreshError(f"the response of {redacted_url(url)} is not JSON") from error
            return HttpResponse(content, response.headers.get("ETag", ""))

    @contextmanager
    def lines(self, link: str) -> Generator[io.TextIOWrapper]:
        """Open a text document that is read while it arrives.

        Raises:
            RefreshError: it can't be had; also out of reading, when it breaks off.
        """
        url = self.address(link)
        with self._get(url, "", stream=True) as response:
            body = cast("urllib3.HTTPResponse", response)
            body.auto_close = False
            try:
                yield io.TextIOWrapper(cast("BinaryIO", body), encoding="utf-8", newline="")
            except UnicodeDecodeError as error:
                raise RefreshError(f"the response of {redacted_url(url)} is not text") from error

    @contextmanager
    def _get(self, url: str, etag: str, *, stream: bool) -> Generator[urllib3.BaseHTTPResponse]:
        headers = {**self._headers, **({"If-None-Match": etag} if etag else {})}
        retries = _RetryPolicy(
            total=TRIES,
            connect=CONNECT_TRIES,
            backoff_factor=BACKOFF_SECONDS,
            status_forcelist=_RETRIED_STATUSES,
            raise_on_status=False,
        )
        response: urllib3.BaseHTTPResponse | None = None
        try:
            response = self._pool.request(
                "GET",
                url,
                headers=headers,
                retries=retries,
                redirect=False,
                timeout=_TIMEOUT,
                preload_content=not stream,
            )
            if response.status not in _FINE:
                raise RefreshError(self._error_for(url, response))
            yield response
        except urllib3.exceptions.HTTPError as error:
            raise self._unreadable(url, error) from None
        finally:
            if response is not None:
                response.close()

    def _unreadable(self, url: str, error: urllib3.exceptions.HTTPError) -> RefreshError:
        """Return the error for a response that did not come, or broke off."""
        reason = network_reason(error)
        if reason:
            return unreachable(self._parts.hostname or url, reason)
        return RefreshError(f"{redacted_url(url)} can't be read: {self._reason(error)}")

    def _error_for(self, url: str, response: urllib3.BaseHTTPResponse) -> str:
        body = response.data[: 20 * _MAX_MESSAGE_LENGTH].decode("utf-8", "replace")
        reply = self._printable_reply(" ".join(body.split()))
        reason = _STATUS_REASONS.get(response.status, "fails")
        return f"{redacted_url(url)} {reason} ({response.status}{': ' if reply else ''}{reply})"

    def _reason(self, error: urllib3.exceptions.HTTPError) -> str:
        return self._printable_reply(str(getattr(error, "reason", None) or error))

    def _printable_reply(self, reply: str) -> str:
        """Return the printable part of a response: short, harmless, without the key."""
        for secret in self._secrets:
            reply = reply.replace(secret, "…")
        return printable(reply)[:_MAX_MESSAGE_LENGTH]


def checked_address(endpoint: str) -> str:
    """Return an address that may be requested.

    Raises:
        InputError: it is no address, or would be asked without TLS over the network.
    """
    parts = urlsplit(endpoint)
    is_loopback = parts.scheme == "http" and parts.hostname in _LOOPBACK
    has_no_credentials = not (parts.username or parts.query or parts.fragment)
    if parts.hostname and has_no_credentials and (parts.scheme == "https" or is_loopback):
        return endpoint
    raise InputError.of(
        "an endpoint must be an https address (http only for this machine)",
        value=parts._replace(netloc=parts.hostname or "", query="").geturl(),
        allowed="https://HOST[:PORT][/PATH]",
    )


def unreachable(host: str, reason: str) -> RefreshError:
    """Return the error for a host that the network does not reach."""
    return RefreshError(f"{host} can't be reached: {reason}", fix=CHECK_NETWORK)


def redacted_url(url: str) -> str:
    """Return an address for messages, without its query."""
    return url.partition("?")[0]


def _pool(scheme: str, host: str) -> urllib3.PoolManager:
    proxy = None if proxy_bypass(host) else getproxies().get(scheme)
    if not proxy:
        return urllib3.PoolManager()
    parts = urlsplit(proxy)
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    headers = urllib3.make_headers(proxy_basic_auth=user)
    return urllib3.ProxyManager(proxy, proxy_headers=headers)


def _no_number(number_text: str) -> None:
    raise ValueError(number_text)
