"""Gateways of Kubernetes for which a cloud makes a load balancer, and their listeners.

https://gateway-api.sigs.k8s.io/reference/spec/ (*unverified*: fields and their defaults)
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing import balancer_access, gke_ingresses
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import MODERN, Front
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
_ROUTES: Final = tuple(f"{_GROUP}/{version}:HTTPRoute" for version in ("v1", "v1beta1"))
_CLASSES: Final = tuple(f"{_GROUP}/{version}:GatewayClass" for version in ("v1", "v1beta1"))
_POLICY: Final = "kubernetes:networking.gke.io/v1:GCPGatewayPolicy"
_CONFIG: Final = "kubernetes:gateway.k8s.aws/v1beta1:LoadBalancerConfiguration"

_EXTERNAL_ON_GKE: Final = frozenset(
    f"gke-l7-{name}{several}"
    for name in ("global-external-managed", "regional-external-managed", "gxlb")
    for several in ("", "-mc")
)
"""https://docs.cloud.google.com/kubernetes-engine/docs/how-to/gatewayclass-capabilities (stored
copy, 2026-11-27)"""

_OF_EKS: Final = ("gateway.k8s.aws/alb", "gateway.k8s.aws/nlb")
"""https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/l7gateway/"""

_CONTAINERS: Final = "azure-alb-external"
_OF_CONTAINERS: Final = "alb.networking.azure.io/alb-controller"
_ROUTING: Final = "approuting-istio"
"""https://learn.microsoft.com/azure/application-gateway/for-containers/overview and
https://learn.microsoft.com/azure/aks/app-routing-gateway-api; neither takes TLS below 1.2 without
settings (*unverified*)"""

_PASSED_ON: Final = frozenset({"TCP", "UDP"})
_Modern = Callable[[str, Any], Known]
"""Whether a listener of a protocol, at a port, refuses old TLS."""


def fronts(gateway: Any, _: object, index: Index, cloud: str) -> Iterator[Front]:
    """Yield the listeners of a Gateway for which a cloud makes a public balancer."""
    public, modern = _READ[cloud](gateway, index)
    if public is False:
        return
    for listener in as_list(at(gateway, "spec", "listeners")):
        protocol = text(at(listener, "protocol"))
        if isinstance(protocol, Unknown):
            yield public, UNKNOWN, UNKNOWN
        elif protocol == "HTTP":
            yield public, _redirects(gateway, listener, index), None
        elif protocol not in _PASSED_ON:
            yield public, True, modern(str(protocol), at(listener, "port"))


def routes(gateway: Any, index: Index) -> Iterator[tuple[Known, Any]]:
    """Yield the routes of the stack that may be of a Gateway, each with the reference to it."""
    name = at(gateway, "metadata", "name")
    for kind in _ROUTES:
        for route in index.of_kind(kind):
            for parent in as_list(at(route.inputs.get("spec"), "parentRefs")):
                stated = at(parent, "name")
                hidden = isinstance(stated, Unknown) or not isinstance(name, str)
                if hidden or stated == name:
                    yield UNKNOWN if hidden else True, (route, parent)


def _redirects(gateway: Any, listener: Any, index: Index) -> Known:
    """Return whether all routes of a listener redirect to TLS; UNKNOWN without any here."""
    facts = [
        _sends_away(route) if surely is True else UNKNOWN
        for surely, (route, parent) in routes(gateway, index)
        if _is_of(parent, listener)
    ]
    return all_of(facts) if facts else UNKNOWN


def _is_of(parent: Any, listener: Any) -> bool:
    section, port = at(parent, "sectionName"), at(parent, "port")
    return section in (None, at(listener, "name"), UNKNOWN) and (
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


def _on_gke(gateway: Any, index: Index) -> tuple[Known, _Modern]:
    """Return whether GKE makes an external balancer, which the class says.

    Its listeners take old TLS, unless a policy of the Gateway names one for SSL.
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/secure-gateway
    """
    class_, name = text(at(gateway, "spec", "gatewayClassName")), at(gateway, "metadata", "name")
    public: Known = UNKNOWN if isinstance(class_, Unknown) else class_ in _EXTERNAL_ON_GKE
    facts = [
        gke_ingresses.refuses_old(each, at(each.inputs, "spec", "default", "sslPolicy"), index)
        for each in index.of_kind(_POLICY)
        if at(each.inputs, "spec", "targetRef", "name") in (name, UNKNOWN)
    ]
    return public, lambda *_: any_of(facts)


def _on_eks(gateway: Any, index: Index) -> tuple[Known, _Modern]:
    """Return whether the AWS Load Balancer Controller makes a public balancer; not by default.

    Its class and the Gateway may each name a configuration, of which the class's goes first.
    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/loadbalancerconfig/
    (read 2026-11-27)
    """
    class_ = _class_of(gateway, index)
    served = any_of(equals(_controller(class_), each) for each in _OF_EKS)
    own = at(gateway, "spec", "infrastructure", "parametersRef")
    of_class = at(class_.inputs.get("spec"), "parametersRef") if class_ else None
    configs = [_config(each, index) for each in (of_class, own) if each is not None]
    if configs and at(configs[0], "mergingMode") == "prefer-gateway":
        configs.reverse()
    if class_ is None and "gateway.k8s.aws" in str(at(own, "group")):
        served = True
    scheme, ranges = _first(configs, "scheme"), _first(configs, "sourceRanges")
    reached = all_of(
        (
            served,
            UNKNOWN if isinstance(scheme, Unknown) else scheme == "internet-facing",
            reaches_world(as_list(ranges)) if ranges is not None else True,
            True if _first(configs, "securityGroups") is None else UNKNOWN,
        )
    )
    return reached, lambda protocol, port: _is_modern(configs, f"{protocol}:{port}")


def _is_modern(configs: list[Any], listener: str) -> Known:
    own = [
        text(at(each, "sslPolicy"))
        for each in as_list(_first(configs, "listenerConfigurations"))
        if at(each, "protocolPort") in (listener, UNKNOWN)
    ]
    return any_of(
        UNKNOWN if isinstance(each, Unknown) else MODERN.match(str(each)) is not None
        for each in own
    )


def _config(reference: Any, index: Index) -> Any:
    """Return the settings of the balancer that are referred to; UNKNOWN for those of elsewhere."""
    name = at(reference, "name")
    own = [each for each in index.of_kind(_CONFIG) if at(each.inputs, "metadata", "name") == name]
    return own[-1].inputs.get("spec") if own else UNKNOWN


def _first(configs: list[Any], key: str) -> Any:
    return next(
        (each for each in (at(config, key) for config in configs) if each is not None), None
    )


def _class_of(gateway: Any, index: Index) -> Resource | None:
    name = at(gateway, "spec", "gatewayClassName")
    every = [each for kind in _CLASSES for each in index.of_kind(kind)]
    return next((each for each in every if at(each.inputs, "metadata", "name") == name), None)


def _controller(class_: Resource | None) -> Any:
    return at(class_.inputs.get("spec"), "controllerName") if class_ else None


def _on_aks(gateway: Any, index: Index) -> tuple[Known, _Modern]:
    """Return whether a controller of Azure makes a public balancer.

    Application Gateway for Containers does, and so does app routing unless it is told otherwise.
    """
    class_ = text(at(gateway, "spec", "gatewayClassName"))
    if isinstance(class_, Unknown):
        return UNKNOWN, _refuses
    if class_ == _ROUTING:
        annotations = at(gateway, "spec", "infrastructure", "annotations")
        return balancer_access.is_open({}, annotations, ("azure",)), _refuses
    own = equals(_controller(_class_of(gateway, index)), _OF_CONTAINERS)
    return any_of((class_ == _CONTAINERS, own)), _refuses


def _refuses(*_: object) -> Known:
    return True


_READ: Final[Mapping[str, Callable[[Any, Index], tuple[Known, _Modern]]]] = {
    "aws": _on_eks,
    "gcp": _on_gke,
    "azure": _on_aks,
}
