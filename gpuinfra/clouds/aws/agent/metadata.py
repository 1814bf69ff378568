"""The client of the instance metadata service: IMDSv2 only, short timeouts, few retries."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable

TTL = 21600
"""Seconds a token is asked for, the longest there is: https://docs.aws.amazon.com/AWSEC2/latest/
UserGuide/instancedata-data-retrieval.html"""
RENEWED = 300
"""Seconds before its end at which a token is renewed."""
PATIENCE = 2.0
"""Seconds that one request may take in all; the service is on the machine's own host."""
TRIES = 3
LARGEST = 64 * 1024
"""Bytes of an answer that are read at most."""

_OK, _GONE, _UNAUTHORIZED, _BUSY, _BROKEN = 200, 404, 401, 429, 500


class MetadataError(Exception):
    """The error for a metadata service that does not respond, or not as documented."""


class Metadata:
    """The reader of the metadata service's paths.

    Args:
        host: where it is; link-local.
        port: of it.
        sleep: waits some seconds between tries.
    """

    def __init__(
        self,
        host: str = "169.254.169.254",
        port: int = 80,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._place = (host, port)
        self._sleep = sleep
        self._token = ""
        self._renewal = 0.0

    def get(self, path: str) -> str | None:
        """Return the text under `/latest/meta-data/`; None where the path does not exist.

        Raises:
            MetadataError: no answer that says the one or the other.
        """
        status, text = self._read(path)
        if status == _UNAUTHORIZED:
            self._token = ""  # it was not ours any more; once with a new one
            status, text = self._read(path)
        if status not in (_OK, _GONE):
            raise MetadataError(f"{path}: status {status}")
        return text if status == _OK else None

    def _read(self, path: str) -> tuple[int, str]:
        header = {"X-aws-ec2-metadata-token": self._session()}
        return self._ask("GET", f"/latest/meta-data/{path}", header)

    def _session(self) -> str:
        if not self._token or time.monotonic() >= self._renewal:
            header = {"X-aws-ec2-metadata-token-ttl-seconds": str(TTL)}
            status, text = self._ask("PUT", "/latest/api/token", header)
            if status != _OK or not text or not text.isprintable():
                raise MetadataError(f"no session token: status {status}")
            self._token, self._renewal = text, time.monotonic() + TTL - RENEWED
        return self._token

    def _ask(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
        reason = ""
        for attempt in range(TRIES):
            if attempt:
                self._sleep(0.1 * 2**attempt)
            try:
                status, text = self._once(method, path, headers)
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = f"{type(error).__name__}: {error}"
                continue
            if status < _BROKEN and status != _BUSY:
                return status, text
            reason = f"status {status}"
        raise MetadataError(f"{path}: {reason}")

    def _once(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
        end = time.monotonic() + PATIENCE
        connection = http.client.HTTPConnection(*self._place, timeout=PATIENCE)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            body = b""
            while part := response.read1(LARGEST):
                body += part
                if len(body) > LARGEST or time.monotonic() > end:
                    raise ValueError("the answer is too long")
            return response.status, body.decode("utf-8")
        finally:
            connection.close()
