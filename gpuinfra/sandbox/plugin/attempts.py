"""Calls of a cloud: throttled ones are tried again, and errors of clients become refusals."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from gpuinfra.sandbox.ledger import Ledger
from gpuinfra.sandbox.plugin import fault_injection
from gpuinfra.sandbox.plugin.assets import AssetError
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.server import Server

T = TypeVar("T")

# botocore's own standard: five attempts with growing pauses
# (boto3.amazonaws.com/v1/documentation/api/latest/guide/retries.html).
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Attempts:
    """The calls of one provider: its cloud, its ledger and its server."""

    cloud: Cloud
    ledger: Ledger
    server: Server

    def retried(self, token: str, work: Callable[[], T]) -> T:
        """Return the result of `work`, which is tried again while the cloud throttles."""
        throttling = self.cloud.throttling
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                fault_injection.throttle(self.cloud, token)
                return self.guarded(work)
            except CloudRefusalError as refusal:
                is_retried = isinstance(refusal, fault_injection.NotVisibleYetError)
                is_retried = is_retried or refusal.code in throttling.codes
                if not is_retried or attempt == _ATTEMPTS:
                    raise
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def guarded(self, work: Callable[[], T]) -> T:
        """Return the result of `work`; errors of the server's clients become CloudRefusalError."""
        try:
            return work()
        except CloudRefusalError:
            raise
        except AssetError as error:
            raise CloudRefusalError("UnreadableAsset", str(error)) from error
        except Exception as error:
            refusal = self.server.refusal(error, len(self.ledger.lost_records("")))
            if refusal is None:
                raise
            raise refusal from error
