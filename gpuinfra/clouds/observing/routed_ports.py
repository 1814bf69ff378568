"""The control ports of pods to which Ingresses and Gateways lead requests of the internet."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing import cluster_listeners, gateways, routed_logins, served_objects
from gpuinfra.clouds.observing.cluster_services import clouds_of
from gpuinfra.clouds.observing.control_ports import SOURCES
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.open_port_rows import open_port_row
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_SERVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "kubernetes:core/v1:Service": (),
    "kubernetes:networking.gke.io/v1:MultiClusterService": ("template", "spec"),
    "kubernetes:networking.gke.io/v1beta1:MultiClusterService": ("template", "spec"),
}
"""What backends name, with the place of a Service's own fields in it."""

_OPEN_PORT_MESSAGE: Final = "TCP {} ({}) of {} is open to the internet through {}"
_Found = tuple[Known, str]


def open_ports(resource: Resource, index: Index, cloud: str) -> Rows:
    """Return the control ports to which a public Ingress or Gateway leads everyone.

    As with a target group of a declared balancer, the port that a pod listens on tells.
    """
    if not cluster_listeners.is_front(resource) or clouds_of(resource, index) != (cloud,):
        return Rows()
    found = list(_found(resource, index, cloud))
    words = tuple(dict.fromkeys(words for fact, words in found if fact is True))
    opens = any_of(fact for fact, _ in found)
    return Rows(open_ports=tuple(open_port_row(cloud, resource, opens, words)))


def _found(resource: Resource, index: Index, cloud: str) -> Iterator[_Found]:
    for part, (public, *_) in cluster_listeners.fronts_of(resource, index, cloud):
        for surely, holder, backend in (*_of_ingress(part), *_of_routes(part, index)):
            name = _name(backend)
            for fact, number in _control_ports(name, _port(backend), index):
                asks = routed_logins.lets_anyone_on(holder, name, index)
                service = SOURCES[number][0] if isinstance(number, int) else ""
                words = _OPEN_PORT_MESSAGE.format(number, service, name, resource.name)
                yield all_of((public, surely, fact, asks)), words


def _of_ingress(part: Any) -> Iterator[tuple[Known, Any, Any]]:
    """Yield the backends of an Ingress, or of one of several clusters."""
    for spec in (at(part, "spec"), at(part, "spec", "template", "spec")):
        for key in ("defaultBackend", "backend"):
            yield True, part, at(spec, key)
        for rule in as_list(at(spec, "rules")):
            for path in as_list(at(rule, "http", "paths")):
                yield True, part, at(path, "backend")


def _of_routes(part: Any, index: Index) -> Iterator[tuple[Known, Any, Any]]:
    """Yield the backends of a Gateway's routes."""
    if at(part, "spec", "gatewayClassName") is None:
        return
    for surely, (route, _) in gateways.routes(part, index):
        for rule in as_list(at(route.inputs.get("spec"), "rules")):
            for backend in as_list(at(rule, "backendRefs")):
                yield surely, route.inputs, backend


def _name(backend: Any) -> Any:
    named = (at(backend, "service", "name"), at(backend, "serviceName"), at(backend, "name"))
    return next((each for each in named if each is not None), None)


def _port(backend: Any) -> Any:
    """Return the number or the name of a Service's port."""
    stated = (
        *(at(backend, "service", "port", key) for key in ("number", "name")),
        *(at(backend, key) for key in ("servicePort", "port")),
    )
    return next((each for each in stated if each is not None), None)


def _control_ports(name: Any, port: Any, index: Index) -> Iterator[tuple[Known, int | Unknown]]:
    """Yield the control ports behind a Service's port, and those that may be.

    Of a Service of elsewhere it is not known to which port of its pods it leads.
    """
    served = [*_services(name, index)]
    for each in served:
        for entry in as_list(at(each.spec, "ports")):
            if isinstance(port, Unknown) or _is_port(entry, port):
                for target in served_objects.target_ports(entry, each, index):
                    if isinstance(target, Unknown) or target in SOURCES:
                        yield UNKNOWN if UNKNOWN in (name, port, target) else True, target
    number = whole_number(port)
    if not served and isinstance(number, int) and number in SOURCES:
        yield UNKNOWN, number


def _is_port(entry: Any, port: Any) -> bool:
    """Return whether a backend means a port of a Service, by its name or by its number."""
    return port in (None, at(entry, "name")) or (
        whole_number(port) == whole_number(at(entry, "port")) is not UNKNOWN
    )


def _services(name: Any, index: Index) -> Iterator[ServedObject]:
    """Yield the Services of a name in the stack; each of them for a name that is not known yet."""
    for kind, place in _SERVICES.items():
        for each in index.of_kind(kind):
            if name in (at(each.inputs, "metadata", "name"), UNKNOWN):
                yield ServedObject(at(each.inputs.get("spec"), *place), None)
