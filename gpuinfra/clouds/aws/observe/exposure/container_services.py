"""Control ports of containers that a service of AWS serves at a public address by itself."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.control_ports import HTTP_SOURCES, control_ports_in, open_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.values import all_of, at, flag, is_present
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the services whose containers serve control ports to the internet."""
    for row in TABLES.rows("container_services"):
        for service in index.of_kind(row["type"]):
            yield from exposed_port_rows("aws", service, _ports(service, row, index))


def _ports(service: Resource, row: Mapping[str, Any], index: Index) -> Iterator[ExposedPort]:
    values = (at(service.inputs, *path.split(".")) for path in row["ports"])
    for port in control_ports_in(values, HTTP_SOURCES):
        yield _lets_anyone_in(service, row, index), open_port_text(port, service.name)


def _lets_anyone_in(service: Resource, row: Mapping[str, Any], index: Index) -> Known:
    """Return whether anyone reaches a service; UNKNOWN with a firewall or in subnets it names."""
    stated = None if row["public"] is None else flag(at(service.inputs, *row["public"].split(".")))
    in_subnets = row["network"] is not None and is_present(service.inputs.get(row["network"]))
    is_filtered = bool(
        index.referrers(service, resource_types.FIREWALL_ASSOCIATION, "resourceArn").certain
    )
    unfiltered: Known = UNKNOWN if in_subnets is not False or is_filtered else True
    return all_of((True if stated is None else stated, unfiltered))
