"""Services that accept connections from every project, or from the whole internet."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.grants import GrantFault, with_grants
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.values import all_of, as_list, at, equals, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_PREFERENCE: Final = "connectionPreference"
_ACCEPTS_ALL: Final = "ACCEPT_AUTOMATIC"
_ALLOWS: Final = {
    resource_types.SERVICE_ATTACHMENT: "connect to the resources behind the service attachment",
    resource_types.NETWORK_ATTACHMENT: "connect machines of their own to the subnet",
}
"""What every project of every organization may do that knows an attachment's name.

https://docs.cloud.google.com/python/docs/reference/compute/latest/google.cloud.compute_v1.types.ServiceAttachment.ConnectionPreference
https://docs.cloud.google.com/vpc/docs/about-network-attachments (not re-read: unverified)
"""

_SFTP: Final = "port 22 (SFTP) is open to the whole internet"


def with_public_access(resource: Resource, kind: str, rows: Rows) -> Rows:
    """Return a resource's rows with the grants that let everyone connect to it."""
    return _READERS[kind](resource, rows)


def _with_connection_grants(resource: Resource, rows: Rows) -> Rows:
    return with_grants("gcp", resource, rows, _faults(resource))


def _faults(resource: Resource) -> Iterator[GrantFault]:
    preference = text(resource.inputs.get(_PREFERENCE))
    if isinstance(preference, Unknown):
        yield UNKNOWN
    elif preference == _ACCEPTS_ALL:
        yield f"lets everyone {_ALLOWS[resource.type]}"


def _server(resource: Resource, rows: Rows) -> Rows:
    """Return the rows of an SFTP server with its port, where the internet reaches it.

    https://docs.cloud.google.com/cloud-ftp/create-external-sftp-server
    """
    kind = text(resource.inputs.get("accessType"))
    blocks = as_list(at(resource.inputs.get("externalConfig"), "allowedCidrBlocks"))
    external: Known = equals(kind, "EXTERNAL")
    is_open = all_of((external, reaches_world(blocks)))
    ports = (_SFTP,) if is_open is True else ()
    return replace(rows, open_ports=tuple(open_port_row("gcp", resource, is_open, ports)))


_READERS: Final[dict[str, Callable[[Resource, Rows], Rows]]] = {
    resource_types.SERVICE_ATTACHMENT: _with_connection_grants,
    resource_types.NETWORK_ATTACHMENT: _with_connection_grants,
    resource_types.FTP_SERVER: _server,
}
