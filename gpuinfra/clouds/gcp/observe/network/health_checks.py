"""The probes of a health check, and the settings that Google refuses."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.values import at, text, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

_KINDS: Final[Mapping[str, int | None]] = {
    "httpHealthCheck": 80,
    "httpsHealthCheck": 443,
    "http2HealthCheck": 443,
    "tcpHealthCheck": 80,
    "sslHealthCheck": 443,
    "grpcHealthCheck": None,
    "grpcTlsHealthCheck": None,
}
"""The ways to ask, one of which a check has, with the port where none is named:
https://docs.cloud.google.com/compute/docs/reference/rest/v1/healthChecks"""

_SECONDS: Final = 5
"""The default interval between checks, and the default timeout of one: the same page."""


@record(kw_only=False)
class HealthCheck:
    """A health check: the TCP port that it probes (None where it is unknown), and its faults."""

    name: str
    port: int | None
    faults: tuple[str, ...]
    words: str


def check_of(resource: Resource) -> HealthCheck:
    """Return the probe and the faults of a health check."""
    ways = {key: resource.inputs.get(key) for key in _KINDS}
    probes = {key: value for key, value in ways.items() if value is not None}
    faults = tuple(_faults(resource, probes))
    if len(probes) != 1:
        return HealthCheck(resource.name, None, faults, "")
    ((kind, probe),) = probes.items()
    probe = probe[0] if isinstance(probe, list) and probe else probe
    port = _port(kind, probe)
    return HealthCheck(resource.name, port, faults, _probe_text(kind, probe, port))


def _faults(resource: Resource, probes: Mapping[str, Any]) -> Iterator[str]:
    if len(probes) != 1:
        yield (
            f"the health check {resource.name} has {len(probes)} kinds of probe: it must have "
            "exactly one"
        )
    interval, timeout = (
        _seconds(resource.inputs.get(key)) for key in ("checkIntervalSec", "timeoutSec")
    )
    if isinstance(interval, int) and isinstance(timeout, int) and timeout > interval:
        yield (
            f"the timeout of the health check {resource.name} ({timeout} s) is longer than its "
            f"interval ({interval} s)"
        )


def _seconds(value: Any) -> int | Unknown:
    seconds = whole_number(value)
    return _SECONDS if seconds is None else seconds


def _port(kind: str, probe: Any) -> int | None:
    """Return the probed port; None where it is not written down."""
    if isinstance(probe, Unknown) or at(probe, "portSpecification") in (
        "USE_SERVING_PORT",
        UNKNOWN,
    ):
        return None
    port = whole_number(at(probe, "port"))
    if port is None and at(probe, "portName") is None:
        return _KINDS[kind]
    return port if isinstance(port, int) else None


def _probe_text(kind: str, probe: Any, port: int | None) -> str:
    if port is None:
        return ""
    path = text(at(probe, "requestPath")) or "/"
    protocol = kind.removesuffix("HealthCheck").upper()
    path_text = f" {path}" if protocol.startswith("HTTP") and isinstance(path, str) else ""
    return f"healthy where {protocol}{path_text} answers on TCP {port}"
