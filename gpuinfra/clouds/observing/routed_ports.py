"""The control ports of pods to which Ingresses and Gateways lead requests of the internet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing import (
    cluster_listeners,
    eks_actions,
    gateways,
    routed_logins,
    served_objects,
)
from gpuinfra.clouds.observing.cluster_services import clouds_of
from gpuinfra.clouds.observing.control_ports import PORTS, UDP_PORTS, forwarded_port_text
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import LetsIn
from gpuinfra.clouds.observing.namespaces import may_be_in
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.routed_logins import Backend
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import all_of, as_list, at, text, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_SERVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "kubernetes:core/v1:Service": (),
    "kubernetes:networking.gke.io/v1:MultiClusterService": ("template", "spec"),
    "kubernetes:networking.gke.io/v1beta1:MultiClusterService": ("template", "spec"),
}
"""What backends name, with the place of a Service's own fields in it."""

_NUMBERS: Final[Mapping[str, Mapping[Any, int]]] = {
    "TCP": {port: port for port in PORTS},
    "UDP": {int(port): port for port in UDP_PORTS},
}
"""The control ports of a protocol, by their number."""

_EXTENSION: Final = "ExtensionRef"
"""A filter of a controller's own, which may ask for a login:
https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/listenerruleconfig/"""

_ControlPort = tuple[Known, Any, int | Unknown]
"""Whether a backend surely leads to a control port, what has it, and its number."""
_Targets = Callable[[Any], Iterable[_ControlPort]]
_OfCloud = tuple[str, _Targets, LetsIn]


def open_ports(resource: Resource, index: Index, of_cloud: _OfCloud) -> Rows:
    """Return the control ports to which a public Ingress or Gateway leads everyone.

    As with a target group of a declared balancer, the port that a pod listens on tells. After the
    cloud come what yields the ports of such a group, by its name or ARN, and how it judges
    firewalls.
    """
    cloud = of_cloud[0]
    if not cluster_listeners.may_have_frontends(resource) or clouds_of(resource, index) != (
        cloud,
    ):
        return Rows()
    port_facts = _exposed_ports(resource, index, of_cloud)
    return Rows(open_ports=tuple(exposed_port_rows(cloud, resource, port_facts)))


def _exposed_ports(resource: Resource, index: Index, of_cloud: _OfCloud) -> Iterator[ExposedPort]:
    cloud, targets, lets_in = of_cloud
    frontends = cluster_listeners.frontends_of(resource, index, cloud, lets_in)
    for part, (public, encrypted, _) in frontends:
        for backend in (*_of_ingress(part), *_of_routes(part, index)):
            for fact, name, number in _control_ports(backend, index, targets):
                lets_anyone = routed_logins.lets_anyone_on(backend, name, encrypted, index)
                port_text = (
                    forwarded_port_text(number, name, resource.name)
                    if isinstance(number, int)
                    else ""
                )
                yield all_of((public, backend.leads_there, fact, lets_anyone)), port_text


def _of_ingress(holder_part: Any) -> Iterator[Backend]:
    """Yield the backends of an Ingress, those of its actions among them."""
    for backend in _named_backends(holder_part):
        name = _name(backend)
        if _port(backend) != eks_actions.BY_ACTION:
            yield Backend(True, holder_part, name, backend)
            continue
        for leads_there, target in eks_actions.forwarded(
            at(holder_part, "metadata", "annotations"), name
        ):
            yield Backend(leads_there, holder_part, name, target)


def _named_backends(holder_part: Any) -> Iterator[Any]:
    """Yield what the rules of an Ingress name, or of one of several clusters."""
    for spec in (at(holder_part, "spec"), at(holder_part, "spec", "template", "spec")):
        for key in ("defaultBackend", "backend"):
            yield at(spec, key)
        for rule in as_list(at(spec, "rules")):
            for path in as_list(at(rule, "http", "paths")):
                yield at(path, "backend")


def _of_routes(holder_part: Any, index: Index) -> Iterator[Backend]:
    """Yield the backends of the routes of a Gateway's listeners."""
    guarded = gateways.may_filter(holder_part, index)
    for leads_there, (route, _) in gateways.routes(holder_part, index):
        for rule in as_list(at(route.inputs.get("spec"), "rules")):
            is_filtered = any(
                at(each, "type") == _EXTENSION for each in as_list(at(rule, "filters"))
            )
            for backend in as_list(at(rule, "backendRefs")):
                if isinstance(backend, Mapping) and backend.get("kind") != "Gateway":
                    fact = UNKNOWN if is_filtered or guarded else leads_there
                    protocol = "UDP" if route.type.endswith("UDPRoute") else "TCP"
                    target = {**backend, "protocol": protocol}
                    yield Backend(fact, route.inputs, _name(backend), target)


def _name(backend: Any) -> Any:
    name_values = (at(backend, "service", "name"), at(backend, "serviceName"), at(backend, "name"))
    return next((name_value for name_value in name_values if name_value is not None), None)


def _port(backend: Any) -> Any:
    """Return the number or the name of a Service's port."""
    stated = (
        *(at(backend, "service", "port", key) for key in ("number", "name")),
        *(at(backend, key) for key in ("servicePort", "port")),
    )
    return next((port_value for port_value in stated if port_value is not None), None)


def _control_ports(
    route_backend: Backend, index: Index, targets: _Targets
) -> Iterator[_ControlPort]:
    """Yield the control ports behind a Service's port, and those that may be.

    Of a Service of elsewhere it is not known to which port of its pods it leads.
    """
    backend = route_backend.target
    group = at(backend, "targetGroup")
    if group is not None:
        yield from targets(group)
    name, port = _name(backend), _port(backend)
    if name is None:
        return
    port_number = _NUMBERS["UDP" if at(backend, "protocol") == "UDP" else "TCP"]
    services = [*_services(name, route_backend.namespace, index)]
    for service in services:
        for target in _targets_of(service, backend, index):
            if isinstance(target, Unknown) or target in port_number:
                fact: Known = UNKNOWN if UNKNOWN in (name, port, target) else True
                yield fact, name, port_number.get(target, target)
    number = whole_number(port)
    if not services and number in port_number:
        yield UNKNOWN, name, port_number[number]


def pod_ports(backend: Any, index: Index) -> Iterator[int | Unknown]:
    """Yield the ports of the stack's pods behind the port of a Service that a backend means."""
    for service in _services(_name(backend), None, index):
        yield from _targets_of(service, backend, index)


def _targets_of(service: ServedObject, backend: Any, index: Index) -> Iterator[int | Unknown]:
    """Yield the ports of the pods behind the port of a Service that a backend means."""
    port, protocol = _port(backend), at(backend, "protocol") or "TCP"
    for entry in as_list(at(service.spec, "ports")):
        is_protocol = text(at(entry, "protocol")) in {None, protocol, UNKNOWN}
        if is_protocol and (isinstance(port, Unknown) or _is_port(entry, port)):
            yield from served_objects.target_ports(entry, service, index)


def _is_port(entry: Any, port: Any) -> bool:
    """Return whether a backend means a port of a Service, by its name or by its number."""
    return port in (None, at(entry, "name")) or (
        whole_number(port) == whole_number(at(entry, "port")) is not UNKNOWN
    )


def _services(name: Any, namespace: Any, index: Index) -> Iterator[ServedObject]:
    """Yield the Services of a name that may be in a namespace; each for an unknown name."""
    for kind, namespace_path in _SERVICES.items():
        for service in index.of_kind(kind):
            is_of_name = name in (at(service.inputs, "metadata", "name"), UNKNOWN)
            if is_of_name and may_be_in(namespace, service.inputs):
                yield ServedObject(at(service.inputs.get("spec"), *namespace_path), None)
