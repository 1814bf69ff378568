"""The control ports that Services of Kubernetes open through the load balancers of their cloud."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing import balancer_access, served_objects
from gpuinfra.clouds.observing.cluster_of_objects import is_elsewhere
from gpuinfra.clouds.observing.control_ports import (
    SOURCES,
    UDP_SOURCES,
    open_port_words,
    protocol_of,
)
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Rows, Unknown

CLUSTERS: Final[Mapping[str, str]] = {
    "aws": "aws:eks/cluster:Cluster",
    "gcp": "gcp:container/cluster:Cluster",
    "azure": "azure-native:containerservice:ManagedCluster",
}
_LOAD_BALANCER_TYPE: Final = "LoadBalancer"
_SOURCES: Final = {"TCP": SOURCES, "UDP": UDP_SOURCES}
_Port = tuple[Known, str, int]
"""Whether a control port is surely one of a Service, its protocol and its number."""


def open_ports(resource: Resource, index: Index, cloud: str) -> Rows:
    """Return the control ports that an object in a cluster opens to the internet.

    Each object is in one cluster, so that only one of several clouds answers for it.
    """
    served = tuple(served_objects.served_by(resource))
    if not served:
        return Rows()
    clouds = clouds_of(resource, index)
    if clouds and cloud != clouds[0]:
        return Rows()
    return Rows(open_ports=tuple(_rows(resource, served, index, clouds)))


def _rows(
    resource: Resource, served: tuple[ServedObject, ...], index: Index, clouds: tuple[str, ...]
) -> Iterator[OpenPorts]:
    cloud = clouds[0] if clouds else next(iter(CLUSTERS))
    service_ports = [
        (_opens_control_port(service, ports, clouds), ports)
        for service in served
        if (ports := [*_ports(service, index)])
    ]
    opened_ports = {
        (protocol.lower(), number)
        for is_open, ports in service_ports
        for fact, protocol, number in ports
        if is_open is True and fact is True
    }
    port_text = open_port_words(
        resource.name, "the internet", lambda port: (protocol_of(port), int(port)) in opened_ports
    )
    yield from open_port_row(
        cloud, resource, any_of(is_open for is_open, _ in service_ports), port_text
    )


def _opens_control_port(
    service_object: ServedObject, ports: list[_Port], clouds: tuple[str, ...]
) -> Known:
    """Return whether the internet reaches a control port; unknown at most for a part of one."""
    has_control_port = any_of(fact for fact, _, _ in ports)
    public = balancer_access.is_open(
        service_object.spec, service_object.annotations, clouds or (*CLUSTERS,)
    )
    is_open = all_of((is_balanced(service_object), has_control_port, public))
    return UNKNOWN if is_open is True and service_object.partial else is_open


def is_balanced(service_object: ServedObject) -> Known:
    """Return whether a Service has a load balancer; UNKNOWN for a patch that doesn't state it."""
    kind = text(at(service_object.spec, "type"))
    return (
        UNKNOWN if kind is None and service_object.partial else equals(kind, _LOAD_BALANCER_TYPE)
    )


def _ports(service_object: ServedObject, index: Index) -> Iterator[_Port]:
    """Yield the control ports among those of a Service, and among those of its pods behind them.

    https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports
    """
    for entry in as_list(at(service_object.spec, "ports")):
        port_protocol = (
            "TCP" if isinstance(entry, Unknown) else text(at(entry, "protocol")) or "TCP"
        )
        protocol = "TCP" if isinstance(port_protocol, Unknown) else port_protocol
        for number in _numbers(entry, service_object, index):
            if isinstance(number, Unknown):
                yield UNKNOWN, protocol, 0
            elif number in _SOURCES.get(protocol, {}):
                yield UNKNOWN if isinstance(port_protocol, Unknown) else True, protocol, number


def _numbers(entry: Any, service_object: ServedObject, index: Index) -> Iterator[int | Unknown]:
    """Yield the numbers of a Service's port and of those that it leads to."""
    for key in ("port", "targetPort"):
        value = at(entry, key)
        if isinstance(value, str) and not value.isdigit():
            yield from served_objects.ports_called(value, service_object, index)
        elif value is not None:
            number = whole_number(value)
            yield UNKNOWN if number is None else number
    yield from served_objects.endpoint_ports(service_object, index)


def clouds_of(resource: Resource, index: Index) -> tuple[str, ...]:
    """Return the clouds whose cluster an object may be in; empty if none is stated.

    That is the cloud of the cluster that its provider reaches, or else the only one of the stack.
    """
    clouds_found = _clouds_with_its_cluster(resource, index)
    if clouds_found:
        return clouds_found
    present: tuple[str, ...] = index.memo("clouds of the stack", lambda: _clouds_in(index))
    has_clusters = any(index.of_kind(kind) for kind in CLUSTERS.values())
    return (*present, *(cloud for cloud in CLUSTERS if has_clusters and cloud not in present))


def is_in_cluster(resource: Resource, index: Index) -> bool:
    """Return whether an object may be in a cluster of the stack."""
    return bool(_clouds_with_its_cluster(resource, index))


def _clouds_with_its_cluster(resource: Resource, index: Index) -> tuple[str, ...]:
    return tuple(
        cloud
        for cloud, kind in CLUSTERS.items()
        if index.of_kind(kind) and not is_elsewhere(resource, index, kind)
    )


def _clouds_in(index: Index) -> tuple[str, ...]:
    from gpuinfra.clouds import cloud_of  # noqa: PLC0415  (it imports this package)

    present = {cloud_of(resource.type) for resource in index}
    return tuple(cloud for cloud in CLUSTERS if cloud in present)
