"""Machines and databases of services that have firewalls of their own: GameLift and Lightsail."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import traffic
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.values import as_list, at, flag, whole_number
from gpuinfra.model import UNKNOWN, OpenPorts, Resource, Unknown

FLEET: Final = "aws:gamelift/fleet:Fleet"
PORTS: Final = "aws:lightsail/instancePublicPorts:InstancePublicPorts"
INSTANCE: Final = "aws:lightsail/instance:Instance"
DATABASE: Final = "aws:lightsail/database:Database"

_WORLD: Final = "0.0.0.0/0"
_SSH_OPENING: Final = traffic.Opening("tcp", 22, 22, (_WORLD,), to_itself=False)
"""What a new instance lets in, until other ports are put in place of them: SSH, or RDP on Windows.
https://docs.aws.amazon.com/lightsail/latest/userguide/understanding-firewall-and-port-mappings-in-amazon-lightsail.html
(2026-11-27, not re-read: unverified)"""
_RDP_OPENING: Final = traffic.Opening("tcp", 3389, 3389, (_WORLD,), to_itself=False)
_UNKNOWN: Final = traffic.Opening(UNKNOWN, UNKNOWN, UNKNOWN, (UNKNOWN,), to_itself=False)
_CONSOLE: Final = "lightsail-connect"
"""The alias of the addresses of Lightsail's own console, which asks for a login of AWS:
https://docs.aws.amazon.com/lightsail/2016-11-28/api-reference/API_PortInfo.html
(2026-11-27, not re-read: unverified)"""
_DATA: Final = "publiclyAccessible is true, so its data port is open to the whole internet"


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the machines and databases that anyone on the internet reaches, or may reach."""
    for row in TABLES.rows("own_firewalls"):
        for resource in index.of_kind(row["type"]):
            yield from _rows(resource, [*_openings(resource, row)])
    for instance in index.of_kind(INSTANCE):
        ports = index.referrers(instance, PORTS, "instanceName")
        if not ports.certain:
            known_ports = _default(instance) if ports.complete else _UNKNOWN
            yield from _rows(instance, [known_ports])
    for database in index.of_kind(DATABASE):
        public = flag(database.inputs.get("publiclyAccessible"))
        is_open = False if public is None else public
        yield from open_port_row("aws", database, is_open, (_DATA,) if is_open is True else ())


def _default(instance: Resource) -> traffic.Opening:
    image = str(instance.inputs.get("blueprintId"))
    return _RDP_OPENING if image.lower().startswith("windows") else _SSH_OPENING


def _rows(resource: Resource, openings: list[traffic.Opening]) -> Iterator[OpenPorts]:
    opens_login = traffic.open_login(openings)
    yield from open_port_row(
        "aws", resource, opens_login, traffic.ports_of(resource.name, openings)
    )


def _openings(resource: Resource, row: Mapping[str, Any]) -> Iterator[traffic.Opening]:
    rules = resource.inputs.get(row["rules"])
    if isinstance(rules, Unknown):
        yield _UNKNOWN
    for rule in as_list(rules):
        if isinstance(rule, Unknown):
            yield _UNKNOWN
            continue
        addresses = [address for key in row["addresses"] for address in as_list(at(rule, key))]
        yield traffic.Opening(
            at(rule, row["protocol"]),
            whole_number(at(rule, row["first"])),
            whole_number(at(rule, row["last"])),
            tuple(_addresses(addresses)),
            to_itself=False,
        )


def _addresses(values: list[Any]) -> Iterator[Any]:
    yield from (address for address in values if address != _CONSOLE)
    if not values:
        yield _WORLD
