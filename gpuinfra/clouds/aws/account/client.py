"""A client for read-only AWS calls: retried, limited in time, each response cached."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

import boto3
import botocore.exceptions as sdk
from botocore.config import Config

from gpuinfra.clouds.aws.account.missing_responses import (
    CREDENTIAL_ERRORS,
    MALFORMED_ANSWER,
    NoAnswer,
    malformed_answer,
    no_credentials,
    no_response_answer,
    refusal_answer,
    timeout_answer,
)

ATTEMPTS: Final = 3
_PATIENCE: Final = Config(
    retries={"mode": "adaptive", "total_max_attempts": ATTEMPTS},
    connect_timeout=5,
    read_timeout=10,
)
"""https://docs.aws.amazon.com/boto3/latest/guide/retries.html"""

_PAGES: Final = 200

Answer = Mapping[str, Any] | NoAnswer


@dataclass(kw_only=True)
class AccountClient:
    """The client of the checks: one deadline for all requests, and no retry after a timeout.

    Attributes:
        deadline: `time.monotonic()` after which no request is sent.
        endpoint: another address than AWS's own; None leaves it to the environment.
        report_progress: called with each request.
    """

    deadline: float
    endpoint: str | None = None
    report_progress: Callable[[str], None] = lambda _: None
    _session: Any = None
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    _unanswered: dict[tuple[str, str], NoAnswer] = field(default_factory=dict)
    _known: dict[str, Answer] = field(default_factory=dict)

    def ask(self, service: str, region: str, operation: str, **arguments: Any) -> Answer:
        """Return the response of a read-only call, or why there is none; responses are cached."""
        key = f"{service} {region} {operation} {sorted(arguments.items())!r}"
        if key not in self._known:
            self._known[key] = self._answer(
                service, region, operation, lambda client: getattr(client, operation)(**arguments)
            )
        return self._known[key]

    def all_rows(
        self, service: str, region: str, operation: str, key: str, **arguments: Any
    ) -> list[Any] | NoAnswer:
        """Return all rows under `key` of all pages."""

        def pages(client: Any) -> dict[str, Any]:
            rows: list[Any] = []
            pager = client.get_paginator(operation).paginate(**arguments)
            for count, page in enumerate(pager):
                rows += page[key]
                if count >= _PAGES:
                    raise ValueError(f"more than {_PAGES} pages")
            return {key: rows}

        memo_key = f"{service} {region} {operation} all {sorted(arguments.items())!r}"
        if memo_key not in self._known:
            self._known[memo_key] = self._answer(service, region, operation, pages)
        answer = self._known[memo_key]
        return answer if isinstance(answer, NoAnswer) else answer[key]

    def _answer(
        self, service: str, region: str, operation: str, call: Callable[[Any], Any]
    ) -> Answer:
        service_and_region = (service, region)
        if service_and_region in self._unanswered:
            return self._unanswered[service_and_region]
        seconds_left = self.deadline - time.monotonic()
        if seconds_left <= 0:
            return timeout_answer(service)
        self.report_progress(f"{service} {operation} in {region}")
        try:
            answer = run_within(seconds_left, lambda: call(self._client(service_and_region)))
        except CREDENTIAL_ERRORS as error:
            raise no_credentials(str(error)) from None
        except (TimeoutError, sdk.ClientError, sdk.BotoCoreError, *MALFORMED_ANSWER) as error:
            return self._no_answer(service_and_region, operation, error)
        return (
            answer if isinstance(answer, Mapping) else malformed_answer(service, TypeError(answer))
        )

    def _no_answer(
        self, service_and_region: tuple[str, str], operation: str, error: Exception
    ) -> NoAnswer:
        service, region = service_and_region
        if isinstance(error, TimeoutError):
            return timeout_answer(service)
        if isinstance(error, sdk.ClientError):
            return refusal_answer(service, operation, error)
        if not isinstance(error, sdk.BotoCoreError):
            return malformed_answer(service, error)
        answer = no_response_answer(service, region, error)
        if isinstance(error, (sdk.ConnectionError, sdk.HTTPClientError)):
            self._unanswered[service_and_region] = answer
        return answer

    def _client(self, service_and_region: tuple[str, str]) -> Any:
        if service_and_region not in self._clients:
            service, region = service_and_region
            self._session = self._session or boto3.Session()
            self._clients[service_and_region] = self._session.client(
                service, region_name=region, endpoint_url=self.endpoint, config=_PATIENCE
            )
        return self._clients[service_and_region]


def run_within(seconds: float, call: Callable[[], Any]) -> Any:
    """Return the result of a call, or raise its exception, within a time limit.

    The SDK's own time limits hold for each read and each try, not for all of them together. A
    thread that is late is left behind: it only reads.

    Raises:
        TimeoutError: it took longer.
    """
    done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            done.put((call(), None))
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            done.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer, error = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return answer
