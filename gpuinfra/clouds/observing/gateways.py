"""Gateways of Kubernetes for which a cloud makes a load balancer, and their listeners.

https://gateway-api.sigs.k8s.io/reference/spec/ (*unverified*: fields and their defaults)
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing import (
    balancer_access,
    eks_accelerators,
    eks_gateways,
    gke_classes,
    gke_ingresses,
)
from gpuinfra.clouds.observing.eks_gateways import GatewayBalancer, Modern, controller_of
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import PartFrontend
from gpuinfra.clouds.observing.namespaces import may_be_in, namespace_of
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_GROUP: Final = "kubernetes:gateway.networking.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1")
_OF_HTTP: Final = ("HTTPRoute", "GRPCRoute")
_ROUTES: Final = tuple(
    f"{_GROUP}/{version}:{kind}"
    for version in (*_VERSIONS, "v1alpha2", "v1alpha3")
    for kind in (*_OF_HTTP, "TLSRoute", "TCPRoute", "UDPRoute")
)
_GATEWAY: Final = "Gateway"
_GATEWAYS: Final = tuple(f"{_GROUP}/{version}:{_GATEWAY}" for version in _VERSIONS)
_CLASSES: Final = tuple(f"{_GROUP}/{version}:GatewayClass" for version in _VERSIONS)
_POLICY: Final = "kubernetes:networking.gke.io/v1:GCPGatewayPolicy"

_CONTAINERS: Final = "azure-alb-external"
_OF_CONTAINERS: Final = "alb.networking.azure.io/alb-controller"
_ROUTING: Final = "approuting-istio"
"""https://learn.microsoft.com/azure/application-gateway/for-containers/overview and
https://learn.microsoft.com/azure/aks/app-routing-gateway-api; neither takes TLS below 1.2 without
settings (*unverified*)"""

_PASSED_ON: Final = frozenset({"TCP", "UDP"})


def frontends(gateway: Any, _: object, index: Index, cloud: str) -> Iterator[PartFrontend]:
    """Yield the listeners of a Gateway for which a cloud makes a public balancer."""
    yield from _listeners(gateway, _READ[cloud](gateway, index), index, cloud)


def frontends_of_set(
    listeners: Any, _: object, index: Index, cloud: str
) -> Iterator[PartFrontend]:
    """Yield the listeners that a set adds to a Gateway, which has to allow that.

    https://gateway-api.sigs.k8s.io/geps/gep-1713/
    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/listenersets/
    """
    name = at(listeners, "spec", "parentRef", "name")
    parent_gateways = [
        parent.inputs
        for kind in _GATEWAYS
        for parent in index.of_kind(kind)
        if at(parent.inputs, "metadata", "name") in (name, UNKNOWN)
    ]
    if not parent_gateways:
        unseen = GatewayBalancer(public=UNKNOWN, modern=lambda *_: UNKNOWN)
        yield from _listeners(listeners, unseen, index, cloud)
    for gateway in parent_gateways:
        allows = text(at(gateway, "spec", "allowedListeners", "namespaces", "from"))
        frontends = _READ[cloud](gateway, index)
        allowed = UNKNOWN if isinstance(allows, Unknown) else allows not in {None, "None"}
        public = all_of((allowed, frontends.public))
        yield from _listeners(listeners, replace(frontends, public=public), index, cloud)


def _listeners(
    holder: Any, balancer: GatewayBalancer, index: Index, cloud: str
) -> Iterator[PartFrontend]:
    """Yield the listeners that the internet may reach, each with the part that has it alone."""
    for listener in as_list(at(holder, "spec", "listeners")):
        path_checks = (
            _is_chained(holder, listener, index, cloud),
            _is_accelerated(holder, listener, index),
        )
        is_reached = any_of((balancer.public, all_of((balancer.lets_in, any_of(path_checks)))))
        if is_reached is not False:
            spec = at(holder, "spec")
            is_spec_known = isinstance(spec, Mapping)
            part = (
                {**holder, "spec": {**spec, "listeners": [listener]}} if is_spec_known else holder
            )
            yield part, (is_reached, *_tls(holder, listener, balancer.modern, index))


def _tls(
    holder: Any, listener: Any, modern: Modern, index: Index
) -> tuple[Known | None, Known | None]:
    """Return whether a listener speaks TLS, and 1.2 or newer; None for one that passes on."""
    protocol = text(at(listener, "protocol"))
    if isinstance(protocol, Unknown):
        return UNKNOWN, UNKNOWN
    if protocol == "HTTP":
        return _redirects(holder, listener, index), None
    if protocol in _PASSED_ON:
        return None, None
    return True, modern(str(protocol), at(listener, "port"))


def _is_chained(gateway: Any, listener: Any, index: Index, cloud: str) -> Known:
    """Return whether the route of a public Gateway leads to the listener of another one.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/gateway_chaining/
    """
    if at(gateway, "spec", "gatewayClassName") is None:
        return False
    name, port = at(gateway, "metadata", "name"), whole_number(at(listener, "port"))
    return any_of(
        all_of((_READ[cloud](outer.inputs, index).public, is_attached))
        for outer, is_attached, backend in index.memo("chained Gateways", lambda: _chains(index))
        if at(backend, "name") == name and whole_number(at(backend, "port")) in (port, UNKNOWN)
    )


def _chains(index: Index) -> list[tuple[Resource, Known, Any]]:
    """Return the Gateways whose routes lead to others, each with a backend that is another one."""
    return [
        (outer, is_attached, backend)
        for kind in _GATEWAYS
        for outer in index.of_kind(kind)
        for is_attached, (route, _) in routes(outer.inputs, index)
        for rule in as_list(at(route.inputs.get("spec"), "rules"))
        for backend in as_list(at(rule, "backendRefs"))
        if at(backend, "kind") == _GATEWAY
    ]


def _is_accelerated(gateway: Any, listener: Any, index: Index) -> Known:
    if at(gateway, "spec", "gatewayClassName") is None:
        return False
    name, port = at(gateway, "metadata", "name"), whole_number(at(listener, "port"))
    return eks_accelerators.reaches(_GATEWAY, name, port, index)


def may_filter(gateway: Any, index: Index) -> bool:
    """Return whether the balancer of a Gateway on AWS may turn some requests away."""
    return eks_gateways.may_filter(gateway, class_of(gateway, index), index)


def routes(holder: Any, index: Index) -> Iterator[tuple[Known, Any]]:
    """Yield the routes of the stack that may be of a Gateway, or of a set of listeners.

    Each comes with the reference to it, which is of one of its listeners or of all.
    """
    name = at(holder, "metadata", "name")
    has_class = at(holder, "spec", "gatewayClassName") is not None
    listeners = as_list(at(holder, "spec", "listeners"))
    for kind in _ROUTES:
        for route in index.of_kind(kind):
            for parent in as_list(at(route.inputs.get("spec"), "parentRefs")):
                stated = at(parent, "name")
                namespace = at(parent, "namespace")
                namespace = namespace_of(route.inputs) if namespace is None else namespace
                is_reference_unknown = isinstance(stated, Unknown) or not isinstance(name, str)
                is_gateway = (at(parent, "kind") or _GATEWAY) == _GATEWAY
                may_refer = is_gateway == has_class and may_be_in(namespace, holder)
                is_attached = (is_reference_unknown or stated == name) and may_refer
                if is_attached and any(_is_of(parent, listener) for listener in listeners):
                    yield UNKNOWN if is_reference_unknown else True, (route, parent)


def _redirects(gateway: Any, listener: Any, index: Index) -> Known:
    """Return whether all routes of a listener redirect to TLS; UNKNOWN without any here."""
    facts = [
        _sends_away(route) if is_attached is True else UNKNOWN
        for is_attached, (route, parent) in routes(gateway, index)
        if _is_of(parent, listener) and route.type.endswith(_OF_HTTP)
    ]
    return all_of(facts) if facts else UNKNOWN


def _is_of(parent: Any, listener: Any) -> bool:
    section, port, name = at(parent, "sectionName"), at(parent, "port"), at(listener, "name")
    return (section in (None, name, UNKNOWN) or name is UNKNOWN) and (
        port is None or whole_number(port) == whole_number(at(listener, "port"))
    )


def _sends_away(route: Resource) -> Known:
    """Return whether every rule of a route redirects to HTTPS."""
    rules = as_list(at(route.inputs.get("spec"), "rules"))
    return all_of(
        any_of(
            equals(at(each, "requestRedirect", "scheme"), "https")
            for each in as_list(at(rule, "filters"))
        )
        for rule in rules or (None,)
    )


def _on_gke(gateway: Any, index: Index) -> GatewayBalancer:
    """Return whether GKE makes an external balancer, which the class says.

    Its listeners take old TLS, unless a policy of the Gateway names one for SSL.
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/secure-gateway
    """
    class_, name = gke_classes.of_gateway(gateway), at(gateway, "metadata", "name")
    public: Known = (
        UNKNOWN if isinstance(class_, Unknown) else class_ is not None and class_.external
    )
    facts = [
        gke_ingresses.refuses_old(policy, at(policy.inputs, "spec", "default", "sslPolicy"), index)
        for policy in index.of_kind(_POLICY)
        if at(policy.inputs, "spec", "targetRef", "name") in (name, UNKNOWN)
    ]
    return GatewayBalancer(public=public, modern=lambda *_: any_of(facts))


def _on_eks(gateway: Any, index: Index) -> GatewayBalancer:
    return eks_gateways.balancer_of(gateway, class_of(gateway, index), index)


def is_gateway(resource: Resource) -> bool:
    """Return whether a resource is a Gateway."""
    return resource.type in _GATEWAYS


def class_of(gateway: Any, index: Index) -> Resource | None:
    """Return the class of a Gateway; None for one that is not in the stack."""
    name = at(gateway, "spec", "gatewayClassName")
    classes = [gateway_class for kind in _CLASSES for gateway_class in index.of_kind(kind)]
    return next(
        (
            gateway_class
            for gateway_class in classes
            if at(gateway_class.inputs, "metadata", "name") == name
        ),
        None,
    )


def _on_aks(gateway: Any, index: Index) -> GatewayBalancer:
    """Return whether a controller of Azure makes a public balancer.

    Application Gateway for Containers does, and so does app routing unless it is told otherwise.
    """
    class_ = text(at(gateway, "spec", "gatewayClassName"))
    public: Known = UNKNOWN
    if class_ == _ROUTING:
        annotations = at(gateway, "spec", "infrastructure", "annotations")
        public = balancer_access.is_open({}, annotations, ("azure",))
    elif not isinstance(class_, Unknown):
        is_for_containers = equals(controller_of(class_of(gateway, index)), _OF_CONTAINERS)
        public = any_of((class_ == _CONTAINERS, is_for_containers))
    return GatewayBalancer(public=public, modern=lambda *_: True)


_READ: Final[Mapping[str, Callable[[Any, Index], GatewayBalancer]]] = {
    "aws": _on_eks,
    "gcp": _on_gke,
    "azure": _on_aks,
}
