"""Databases that everyone reaches; only those with a price have a row."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.open_ports import open_ports_of
from gpuinfra.clouds.observing.ranges import reaches_world
from gpuinfra.clouds.observing.values import all_of, as_list, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_DATABASE: Final = "its data port is open to the whole internet"


@record(kw_only=False)
class _PublicAccess:
    """The inputs of a database's public address, its default, and the allowed ranges."""

    config: tuple[str, ...]
    public: str
    by_default: bool
    networks: str
    range: str


DATABASES: Final[Mapping[str, _PublicAccess]] = {
    "gcp:sql/databaseInstance:DatabaseInstance": _PublicAccess(
        ("settings", "ipConfiguration"), "ipv4Enabled", True, "authorizedNetworks", "value"
    ),
    "gcp:alloydb/instance:Instance": _PublicAccess(
        ("networkConfig",), "enablePublicIp", False, "authorizedExternalNetworks", "cidrRange"
    ),
}
"""https://docs.cloud.google.com/sql/docs/postgres/authorize-networks
https://docs.cloud.google.com/alloydb/docs/connect-public-ip
(inputs: pulumi-gcp 10.2.0, read 2026-11-26; the pages not re-read: unverified)"""


def with_open_databases(resource: Resource, rows: Rows) -> Rows:
    """Return the rows of a database with its data port, where the internet reaches it."""
    opens = _opens(resource.inputs, DATABASES[resource.type])
    ports = (_DATABASE,) if opens is True else ()
    return replace(rows, open_ports=tuple(open_ports_of("gcp", resource, opens, ports)))


def _opens(inputs: Mapping[str, Any], door: _PublicAccess) -> Known:
    config = at(inputs, *door.config)
    public = flag(at(config, door.public))
    networks = as_list(at(config, door.networks))
    if isinstance(config, Unknown):
        return UNKNOWN
    has_address: Known = door.by_default if public is None else public
    return all_of((has_address, reaches_world(at(each, door.range) for each in networks)))
