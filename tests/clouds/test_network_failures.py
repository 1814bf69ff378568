"""Why a host is not reached, from the errors of the libraries that requests go through."""

import socket
import ssl
import urllib.error

import botocore.exceptions as sdk
import pytest
import urllib3.exceptions as web

from gpuinfra.clouds.network_failures import network_reason

NO_NAME = web.NameResolutionError("h", None, socket.gaierror(-2, "Name or service not known"))
REFUSED = web.NewConnectionError(None, "Connection refused")
LATE = web.ConnectTimeoutError("late")


def retried(error: Exception) -> web.MaxRetryError:
    return web.MaxRetryError(None, "/", error)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (retried(NO_NAME), "its name can't be resolved"),
        (retried(REFUSED), "it refuses the connection"),
        (retried(LATE), "it doesn't answer in time"),
        (retried(web.ProxyError("no", REFUSED)), "the proxy can't be reached"),
        (retried(web.SSLError("self-signed")), "its TLS certificate is not trusted"),
        (sdk.EndpointConnectionError(endpoint_url="u", error=NO_NAME), "its name can't be"),
        (sdk.EndpointConnectionError(endpoint_url="u"), "it refuses the connection"),
        (sdk.ConnectTimeoutError(endpoint_url="u", error=LATE), "it doesn't answer in time"),
        (sdk.ProxyConnectionError(proxy_url="u", error=REFUSED), "the proxy can't be reached"),
        (urllib.error.URLError(socket.gaierror(-2, "unknown")), "its name can't be resolved"),
        (urllib.error.URLError(ConnectionRefusedError()), "it refuses the connection"),
        (urllib.error.URLError(ssl.SSLCertVerificationError()), "its TLS certificate is not"),
    ],
)
def test_a_network_failure_is_named(error: Exception, words: str) -> None:
    assert network_reason(error).startswith(words)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no JSON"),
        web.ProtocolError("broken off"),
        sdk.NoCredentialsError(),
        urllib.error.URLError("unknown url type"),
    ],
)
def test_another_failure_has_no_reason_of_the_network(error: Exception) -> None:
    assert network_reason(error) == ""
