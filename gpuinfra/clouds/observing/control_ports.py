"""The ports that let a client log in, run code, or read a machine's data."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from gpuinfra.clouds.observing.values import whole_number
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import Known
from gpuinfra.units.message_merging import first_in_words

_TABLE: Final = Path(__file__).parents[1] / "control_ports.json"
_ROWS: Final = tuple(rows_of(json.loads(_TABLE.read_bytes())))


def _sources(protocol: str) -> dict[int, tuple[str, str]]:
    return {
        row["port"]: (row["service"], row["source"])
        for row in _ROWS
        if row["protocol"] == protocol
    }


SOURCES: Final = _sources("tcp")
"""What listens on each TCP port by default, and where that is written."""

_RAW: Final = {row["port"] for row in _ROWS if row["http"] is False}

HTTP_SOURCES: Final = {port: row for port, row in SOURCES.items() if port not in _RAW}
"""The TCP ports that a service can open although it forwards HTTP requests alone. Port 9000
behind it is an ordinary web port: it forwards no connection in ClickHouse's own protocol."""

UDP_SOURCES: Final = _sources("udp")
"""The same of UDP: what reads or changes data without a login, and what floods others by it."""


class UdpPort(int):
    """A UDP port; all others are TCP."""


PORTS: Final = tuple(SOURCES)
UDP_PORTS: Final = tuple(map(UdpPort, UDP_SOURCES))
EVERY: Final = (*PORTS, *UDP_PORTS)


def protocol_of(port: int) -> Literal["tcp", "udp"]:
    """Return the protocol of a port."""
    return "udp" if isinstance(port, UdpPort) else "tcp"


def control_ports_in(
    values: Iterable[Any], sources: Mapping[int, tuple[str, str]] = SOURCES
) -> list[int]:
    """Return the control ports among values as inputs state them, each once and in order."""
    numbers = map(whole_number, values)
    return sorted({number for number in numbers if isinstance(number, int) and number in sources})


def open_port_text(port: int, target: Any, way: str = "", relation: str = "of") -> str:
    """Return the words for a port `of` or `behind` something that everyone reaches, by a way."""
    protocol = protocol_of(port)
    service, _ = (UDP_SOURCES if protocol == "udp" else SOURCES)[port]
    opened_text = f"{protocol.upper()} {port} ({service}) {relation} {target}"
    return f"{opened_text} is open to the internet{way}"


def forwarded_port_text(port: int, target: Any, frontend: str, relation: str = "of") -> str:
    """Return the words for a port `of` or `behind` something that a frontend opens to everyone."""
    return open_port_text(port, target, f" through {frontend}", relation)


_MOST_NAMED: Final = 3


def open_port_words(
    firewall: str, source: str, lets_port: Callable[[int], Known]
) -> Iterator[str]:
    """Yield a description of the ports that a firewall opens: `TCP 22 (SSH) of ssh is open to …`.

    Args:
        firewall: its name.
        source: to whom it opens them.
        lets_port: whether it opens a port.
    """
    ports = [port for port in PORTS if lets_port(port) is True]
    if len(ports) == len(PORTS):
        yield f"every TCP port of {firewall} is open to {source}"
        return
    udp = [port for port in UDP_PORTS if int(port) not in ports and lets_port(port) is True]
    for protocol, sources, opened_ports in (("TCP", SOURCES, ports), ("UDP", UDP_SOURCES, udp)):
        if opened_ports:
            names = [f"{port} ({sources[port][0]})" for port in opened_ports]
            verb = "is" if len(opened_ports) == 1 else "are"
            listed = first_in_words(names, _MOST_NAMED)
            yield f"{protocol} {listed} of {firewall} {verb} open to {source}"
