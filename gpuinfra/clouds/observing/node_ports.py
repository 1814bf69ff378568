"""The control ports of pods that Services open on all nodes, where a firewall lets everyone in."""

from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.observing import served_objects
from gpuinfra.clouds.observing.cluster_services import clouds_of
from gpuinfra.clouds.observing.control_ports import SOURCES, open_port_text
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import all_of, as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_ON_NODES: Final = frozenset({"NodePort", "LoadBalancer"})
_RANGE: Final = (30000, 32767)
"""From which a port is taken where none is stated:
https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport"""

_Reached = Callable[[int], Known]


def open_ports(resource: Resource, index: Index, cloud: str, node_reach: _Reached) -> Rows:
    """Return the control ports that a Service opens on nodes, behind an open firewall.

    Whether a node has a public address is not asked, as for a standalone firewall.
    """
    served = tuple(served_objects.served_by(resource))
    if not served or clouds_of(resource, index) != (cloud,):
        return Rows()
    port_facts = [
        row for service in served for row in _exposed_ports(resource, service, index, node_reach)
    ]
    return Rows(open_ports=tuple(exposed_port_rows(cloud, resource, port_facts)))


def _exposed_ports(
    resource: Resource, service_object: ServedObject, index: Index, node_reach: _Reached
) -> Iterator[ExposedPort]:
    if text(at(service_object.spec, "type")) not in _ON_NODES or service_object.partial:
        return
    for entry in as_list(at(service_object.spec, "ports")):
        if (text(at(entry, "protocol")) or "TCP") != "TCP":
            continue
        node = whole_number(at(entry, "nodePort"))
        for number in served_objects.target_ports(entry, service_object, index):
            if isinstance(number, int) and number in SOURCES:
                node_text = "" if node is None else f", at {node}"
                port_text = open_port_text(number, resource.name, f" on its nodes{node_text}")
                yield _lets_in(node, node_reach), port_text


def _lets_in(node: int | Unknown | None, node_reach: _Reached) -> Known:
    """Return whether everyone reaches a port of nodes, or each one of which it may be."""
    if isinstance(node, int):
        return node_reach(node)
    whole_range = all_of(map(node_reach, _RANGE))
    return UNKNOWN if isinstance(node, Unknown) and whole_range is True else whole_range
