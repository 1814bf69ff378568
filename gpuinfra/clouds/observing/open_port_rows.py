"""Rows of firewalls that may let the internet log in."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.observing.values import any_of
from gpuinfra.model import Known, OpenPorts, Resource


def open_port_row(
    cloud: str, resource: Resource, opens: Known, ports: Iterable[str] = ()
) -> Iterator[OpenPorts]:
    """Yield a firewall, or a rule of one, that may be open to logins; none if it is closed.

    Args:
        cloud: the cloud of the firewall.
        resource: the firewall, or a standalone rule.
        opens: whether it opens a login port to the internet.
        ports: which ones, in words.
    """
    if opens is not False:
        yield OpenPorts(
            name=resource.name, subject=resource.urn, cloud=cloud, open=opens, ports=tuple(ports)
        )


def found_port_rows(
    cloud: str, resource: Resource, port_facts: Iterable[tuple[Known, str]]
) -> Iterator[OpenPorts]:
    """Yield what may open control ports: each with whether it opens it, and the words for it."""
    ports = tuple(port_facts)
    words = dict.fromkeys(words for fact, words in ports if fact is True)
    yield from open_port_row(cloud, resource, any_of(fact for fact, _ in ports), words)
