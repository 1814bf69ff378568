"""The words for a host that the network does not reach, of the errors of all HTTP libraries."""

from collections.abc import Iterator
from typing import Final

CHECK_NETWORK: Final = (
    "check the network and the proxy (HTTPS_PROXY), then run the command again; check, plan and "
    "cost work offline"
)

_PROXY: Final = "the proxy can't be reached"
_NO_NAME: Final = "its name can't be resolved: there is no network, or no DNS"
_LATE: Final = "it doesn't answer in time"
_UNTRUSTED: Final = "its TLS certificate is not trusted here"
_REFUSED: Final = "it refuses the connection, or there is no network"

_REASONS: Final = {
    **dict.fromkeys(("ProxyError", "ProxyConnectionError"), _PROXY),
    **dict.fromkeys(("NameResolutionError", "gaierror"), _NO_NAME),
    **dict.fromkeys(
        ("NewConnectionError", "EndpointConnectionError", "ConnectionRefusedError"), _REFUSED
    ),
    **dict.fromkeys(("SSLError", "SSLCertVerificationError"), _UNTRUSTED),
    **dict.fromkeys(("TimeoutError", "ConnectTimeoutError", "ReadTimeoutError"), _LATE),
}
"""The reasons by names of classes, which urllib3, botocore and Python share; the first counts."""


def network_reason(error: BaseException) -> str:
    """Return why a host is not reached; empty for an error of another kind."""
    names = {cause_type.__name__ for cause in _causes(error) for cause_type in type(cause).__mro__}
    return next((reason for name, reason in _REASONS.items() if name in names), "")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, and those that it wraps."""
    wrapped: object = error
    while isinstance(wrapped, BaseException):
        yield wrapped
        options = getattr(wrapped, "kwargs", {})
        wrapped = getattr(wrapped, "reason", None) or options.get("error")
