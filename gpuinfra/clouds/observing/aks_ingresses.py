"""Ingresses that add-ons of AKS serve: by an application gateway, or by a managed NGINX."""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote

from gpuinfra.clouds.observing import balancer_access, ingress_classes
from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import Frontend, PartFrontend
from gpuinfra.clouds.observing.served_objects import RELEASE
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    flag,
    is_on,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_GATEWAY: Final = frozenset({"azure/application-gateway", "azure-application-gateway"})
_GATEWAY_CHART: Final = "ingress-azure"
_AGIC: Final = "appgw.ingress.kubernetes.io/"
_NGINX: Final = "nginx.ingress.kubernetes.io/"
_MANAGED: Final = "webapprouting.kubernetes.azure.com"
_OWN_CONTROLLER_OF: Final = f"{_MANAGED}/"
_FURTHER_CONTROLLER: Final = "approuting.kubernetes.azure.com/"
"""How a class names the controller that the add-on makes by itself, and one of an object, whose
name follows: https://github.com/Azure/aks-app-routing-operator, ToNginxIngressConfig
(2026-11-28)."""
CONTROLLERS: Final = "kubernetes:approuting.kubernetes.azure.com/v1alpha1:NginxIngressController"
OWN_CONTROLLER: Final = "default"
_CONTAINERS: Final = "azure-alb-external"


def frontends(ingress: Any, _: object, index: Index) -> Iterator[PartFrontend]:
    """Yield the endpoint of an Ingress of a class that an add-on serves.

    Other controllers have a Service of their own, which is public or not.
    """
    class_ = ingress_classes.class_of(ingress)
    if isinstance(class_, Unknown):
        if _may_have_controller(index):
            yield ingress, (UNKNOWN, _serves_tls(ingress), None)
        return
    controller = ingress_classes.controller_of(class_, index)
    if class_ in _GATEWAY or controller in _GATEWAY:
        yield ingress, _of_gateway(ingress, index)
    elif class_ == _CONTAINERS and _serves_tls(ingress) is False:
        # Application Gateway for Containers takes no TLS below 1.2 (*unverified*).
        yield ingress, (True, False, None)
    else:
        public = _reaches_nginx(class_, controller, index)
        if public is not False:
            encrypted = _nginx_encrypts(ingress)
            # NGINX accepts TLS 1.2 and 1.3 by default (*unverified*), and AKS does not let users
            # edit its ConfigMap: https://learn.microsoft.com/azure/aks/app-routing
            yield ingress, (public, encrypted, None if encrypted is False else True)


def has_no_controller(resource: Resource, index: Index) -> bool:
    """Return whether an Ingress names no class, and no add-on of a cluster can serve it.

    Without a controller it has no effect, and one in pods has a Service of its own.
    https://kubernetes.io/docs/concepts/services-networking/ingress/#prerequisites
    """
    if resource.type not in ingress_classes.INGRESSES:
        return False
    return ingress_classes.class_of(resource.inputs) is None and not _may_have_controller(index)


def _may_have_controller(index: Index) -> bool:
    """Return whether an add-on of a cluster of the stack serves Ingresses, or may do so."""
    return any(
        any_of((_has_gateway(cluster), routes(cluster))) is not False
        for cluster in _clusters(index)
    )


def _has_gateway(cluster: Resource) -> Known:
    add_ons = cluster.inputs.get("addonProfiles")
    return any_of(
        is_on(at(add_ons, key, "enabled"))
        for key in ("ingressApplicationGateway", "IngressApplicationGateway")
    )


def routes(cluster: Resource) -> Known:
    """Return whether the add-on of application routing is on."""
    return is_on(at(cluster.inputs.get("ingressProfile"), "webAppRouting", "enabled"))


def _of_gateway(ingress: Any, index: Index) -> Frontend:
    """Return the listeners that the ingress controller makes in an application gateway.

    It makes one for HTTP only where there is no certificate, or to redirect; they are private if
    the Ingress or the controller's settings say so, for which the add-on has none.
    https://learn.microsoft.com/azure/application-gateway/ingress-controller-annotations
    https://github.com/Azure/application-gateway-kubernetes-ingress pkg/appgw/ingress_rules.go
    (2026-11-27)
    A gateway takes no TLS below 1.2 since August 2025:
    https://learn.microsoft.com/azure/application-gateway/application-gateway-tls-version-retirement
    """
    annotations = at(ingress, "metadata", "annotations")
    certificate = at(annotations, f"{_AGIC}appgw-ssl-certificate")
    encrypted = any_of(
        (_serves_tls(ingress), UNKNOWN if certificate is UNKNOWN else certificate is not None)
    )
    private = is_on(at(annotations, f"{_AGIC}use-private-ip"))
    public = all_of((opposite(private), _reaches_gateway(index)))
    return public, encrypted, None if encrypted is False else True


def _reaches_gateway(index: Index) -> Known:
    """Return whether a controller of the stack uses the public address; UNKNOWN without one."""
    charts = [each for each in index.of_kind(RELEASE) if _chart(each) == _GATEWAY_CHART]
    if charts:
        values = (each.inputs.get("values") for each in charts)
        return any_of(opposite(flag(at(each, "appgw", "usePrivateIP"))) for each in values)
    added = any_of(_has_gateway(each) for each in _clusters(index))
    return added is True or UNKNOWN


def _chart(release: Resource) -> str:
    return str(release.inputs.get("chart")).rpartition("/")[2]


def _reaches_nginx(class_: str | None, controller: Known | str | None, index: Index) -> Known:
    """Return whether the internet reaches the managed NGINX of a class; False for another class.

    The add-on makes one of its own, which is public unless the cluster or its object says
    otherwise, and others for objects with a class. A class of the stack may name either.
    https://learn.microsoft.com/azure/aks/app-routing-nginx-configuration (2026-11-27)
    """
    if isinstance(controller, Unknown):
        return UNKNOWN if _may_have_controller(index) else False
    named = str(controller)
    if class_ == _MANAGED or named.startswith(_OWN_CONTROLLER_OF):
        clusters = [each for each in _clusters(index) if routes(each) is not False]
        return any_of(own_is_public(each, index) for each in clusters) if clusters else UNKNOWN
    objects = index.of_kind(CONTROLLERS)
    if named.startswith(_FURTHER_CONTROLLER):
        name = unquote(named.removeprefix(_FURTHER_CONTROLLER))
        own_controllers = [each for each in objects if at(each.inputs, "metadata", "name") == name]
        return is_public(own_controllers[-1]) if own_controllers else UNKNOWN
    classes = {text(at(each.inputs.get("spec"), "ingressClassName")): each for each in objects}
    return is_public(classes[class_]) if class_ in classes and class_ else False


def _clusters(index: Index) -> Sequence[Resource]:
    return index.of_kind(CLUSTERS["azure"])


def own_is_public(cluster: Resource, index: Index) -> Known:
    """Return whether the controller that application routing makes by itself is public."""
    profile = at(cluster.inputs.get("ingressProfile"), "webAppRouting")
    kind = text(at(profile, "nginx", "defaultIngressControllerType"))
    if isinstance(kind, Unknown):
        return UNKNOWN
    if kind is not None and kind.lower() in {"internal", "none"}:
        return False
    own_controllers = [
        controller
        for controller in index.of_kind(CONTROLLERS)
        if at(controller.inputs, "metadata", "name") == OWN_CONTROLLER
        and str(kind).lower() != "external"
    ]
    return is_public(own_controllers[-1]) if own_controllers else True


def is_public(controller: Resource) -> Known:
    """Return whether the internet reaches the balancer of a controller of NGINX."""
    annotations = at(controller.inputs.get("spec"), "loadBalancerAnnotations")
    return balancer_access.is_open({}, annotations, ("azure",))


def _nginx_encrypts(ingress: Any) -> Known:
    """Return whether plain requests are redirected, as they are by default where there is TLS.

    https://kubernetes.github.io/ingress-nginx/user-guide/tls/#server-side-https-enforcement-through-redirect
    (*unverified*)
    """
    annotations = at(ingress, "metadata", "annotations")
    if is_on(at(annotations, f"{_NGINX}force-ssl-redirect")) is True:
        return True
    redirects = flag(at(annotations, f"{_NGINX}ssl-redirect"))
    if redirects is False or isinstance(redirects, Unknown):
        return redirects
    return _serves_tls(ingress)


def _serves_tls(ingress: Any) -> Known:
    """Return whether an Ingress has TLS; UNKNOWN where that is for some of its hosts only."""
    tls = at(ingress, "spec", "tls")
    if isinstance(tls, Unknown):
        return UNKNOWN
    entries = as_list(tls)
    if not entries:
        return False
    hosts = [host for entry in entries for host in as_list(at(entry, "hosts"))]
    covers_all_hosts = any(not as_list(at(entry, "hosts")) for entry in entries)
    rules = [at(rule, "host") for rule in as_list(at(ingress, "spec", "rules"))]
    return True if covers_all_hosts or all(entry in hosts for entry in rules) else UNKNOWN
