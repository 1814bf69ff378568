"""Rows of firewalls that may let the internet log in."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.observing.values import any_of
from gpuinfra.model import Known, OpenPorts, Resource

ExposedPort = tuple[Known, str]
"""Whether the internet reaches a control port, and the words for it."""


def open_port_row(
    cloud: str, resource: Resource, is_open: Known, ports: Iterable[str] = ()
) -> Iterator[OpenPorts]:
    """Yield a firewall, or a rule of one, that may be open to logins; none if it is closed.

    Args:
        cloud: the cloud of the firewall.
        resource: the firewall, or a standalone rule.
        is_open: whether it opens a login port to the internet.
        ports: which ones, in words: those that are open, or all that may be if none surely is.
    """
    if is_open is not False:
        yield OpenPorts(
            name=resource.name, subject=resource.urn, cloud=cloud, open=is_open, ports=tuple(ports)
        )


def exposed_port_rows(
    cloud: str, resource: Resource, port_facts: Iterable[ExposedPort]
) -> Iterator[OpenPorts]:
    """Yield the row of a resource that may expose control ports to the internet."""
    ports = tuple(port_facts)
    is_open = any_of(fact for fact, _ in ports)
    port_texts = dict.fromkeys(text for fact, text in ports if fact is is_open and text)
    yield from open_port_row(cloud, resource, is_open, port_texts)
