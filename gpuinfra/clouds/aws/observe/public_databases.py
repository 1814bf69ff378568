"""Databases with a public address whose security groups let everyone in to their port."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types, traffic
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.open_ports import open_ports_of
from gpuinfra.clouds.observing.values import all_of, any_of, at, flag, listed, whole
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_DATABASE: Final = "its data port is open to the whole internet"


def opened(index: Index) -> Iterator[OpenPorts]:
    """Yield the databases that anyone on the internet reaches, or may reach."""
    for row in TABLES.rows("public_databases"):
        for database in index.of(row["type"]):
            public = _is_public(database, row)
            opens = public if public is False else all_of((public, _lets_in(database, row, index)))
            words = (_DATABASE,) if opens is True else ()
            yield from open_ports_of("aws", database, opens, words)


def _is_public(database: Resource, row: Mapping[str, Any]) -> Known:
    value = at(database.inputs, *row["public"].split("."))
    if row["word"] is not None:
        return UNKNOWN if isinstance(value, Unknown) else str(value).lower() == row["word"]
    public = flag(value)
    return False if public is None else public


def _lets_in(database: Resource, row: Mapping[str, Any], index: Index) -> Known:
    """Return whether a database's groups let anyone in; UNKNOWN without any: the default one."""
    owners: tuple[Resource, ...] = (database,)
    if row["through"] is not None:
        prop, kind = row["through"]
        owners = index.targets(database, prop, kind).certain
    return any_of(_opens(owner, row, index) for owner in owners) if owners else UNKNOWN


def _opens(owner: Resource, row: Mapping[str, Any], index: Index) -> Known:
    path = row["groups"].split(".")
    named = at(owner.inputs, *path)
    if not listed(named):
        return UNKNOWN
    own = whole(owner.inputs.get(row["port"])) if row["port"] else None
    if isinstance(own, Unknown):
        return UNKNOWN
    ports = row["ports"] if own is None else (own,)
    walls = index.targets(owner, path[0], resource_types.SECURITY_GROUP, named)
    return walls.some(
        lambda wall: any_of(traffic.lets_world_in(wall, port, index) for port in ports)
    )
