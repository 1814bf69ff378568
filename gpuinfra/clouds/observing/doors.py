"""Firewalls as rows of their own: those that may let the internet log in."""

from collections.abc import Iterator

from gpuinfra.model import Door, Known, Resource


def doors_of(cloud: str, resource: Resource, opens: Known) -> Iterator[Door]:
    """Return a firewall, or a rule of one, where login may be open; a closed one says nothing.

    Args:
        cloud: whose it is.
        resource: the firewall, or a rule that stands alone.
        opens: whether it lets anyone on the internet try to log in.
    """
    if opens is not False:
        yield Door(name=resource.name, subject=resource.urn, cloud=cloud, open=opens)
