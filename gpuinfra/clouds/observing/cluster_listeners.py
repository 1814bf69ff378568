"""Listeners that a cloud makes for Kubernetes: of Ingresses, and of Services that speak HTTP."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.observing import (
    aks_ingresses,
    balancer_access,
    gateways,
    gke_ingresses,
    ingress_classes,
    served_objects,
)
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.cluster_services import CLUSTERS, clouds_of, is_balanced
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import MODERN, Front
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import all_of, as_list, at, read_json, text
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown

_GROUPS: Final = (
    r"gateway\.networking\.k8s\.io|gateway\.k8s\.aws"
    r"|networking\.k8s\.io|extensions|networking\.gke\.io|elbv2\.k8s\.aws|eks\.amazonaws\.com"
    r"|approuting\.kubernetes\.azure\.com"
)
_KIND: Final = re.compile(
    rf"kubernetes:(?:{_GROUPS})/\w+:"
    r"(?:(?P<kind>(?:MultiCluster)?Ingress|Gateway)(?:List)?"
    r"|(?:(?:MultiCluster)?Ingress|IngressClass|IngressClassParams|FrontendConfig"
    r"|NginxIngressController|Gateway|GatewayClass|HTTPRoute|GCPGatewayPolicy"
    r"|LoadBalancerConfiguration)(?P<patch>Patch))"
)
"""What a load balancer is made for, and patches of what its settings are read from."""

_ANNOTATION: Final = re.compile(
    r"(?:kubernetes\.io/ingress|ingressclass\.kubernetes\.io|ingress\.gcp\.kubernetes\.io"
    r"|networking\.gke\.io|(?:alb|appgw|nginx)\.ingress\.kubernetes\.io)[./]"
)
_CLASS: Final = "kubernetes.io/ingress.class"
_ALB: Final = ingress_classes.PREFIX
_PLAIN_PROTOCOLS: Final = frozenset({"http", "kubernetes.io/h2c", "kubernetes.io/ws"})
"""Protocols of a Service's port that are plain text:
https://kubernetes.io/docs/concepts/services-networking/service/#application-protocol"""

_UNTOLD: Final[Front] = (UNKNOWN, UNKNOWN, None)
"""What a patch makes of an object that is declared elsewhere."""


def listeners(resource: Resource, index: Index, cloud: str) -> Rows:
    """Return the fronts of an object in a cluster; none where its cloud is not known."""
    served = tuple(served_objects.served_by(resource))
    if not (served or is_front(resource)) or clouds_of(resource, index) != (cloud,):
        return Rows()
    found = [front for each in served if (front := _service_listener(each, cloud)) is not None]
    found += [front for _, front in fronts_of(resource, index, cloud)]
    return Rows(listeners=tuple(_row(cloud, resource, front) for front in found))


def is_front(resource: Resource) -> bool:
    """Return whether a cloud may make a load balancer for a kind of object."""
    return _KIND.fullmatch(resource.type) is not None


def fronts_of(resource: Resource, index: Index, cloud: str) -> Iterator[tuple[Any, Front]]:
    """Yield the balancers that a cloud makes for an object, each with the part it is made for."""
    kind = _KIND.fullmatch(resource.type)
    read = _LISTENER_READERS.get((cloud, kind["kind"])) if kind else None
    if kind and kind["patch"]:
        if _sets_more_than_labels(resource.inputs):
            yield resource.inputs, _UNTOLD
    elif read is not None:
        for each in as_list(resource.inputs.get("items")) or (resource.inputs,):
            yield from ((each, front) for front in read(each, _class_of(each), index))


def _sets_more_than_labels(patch: Any) -> bool:
    annotations = at(patch, "metadata", "annotations")
    keys = annotations if isinstance(annotations, Mapping) else ()
    hidden = isinstance(annotations, Unknown) or at(patch, "spec") is not None
    return hidden or any(_ANNOTATION.match(str(key)) for key in keys)


def _row(cloud: str, resource: Resource, front: Front) -> Listener:
    public, encrypted, modern = front
    return listener_row(cloud, resource, public=public, encrypted=encrypted, modern=modern)


def _service_listener(service_object: served_objects.ServedObject, cloud: str) -> Front | None:
    """Return the public load balancer of a Service that declares a plain HTTP port.

    A patch of one may be of a Service that is neither.
    """
    spoken = [at(entry, "appProtocol") for entry in as_list(at(service_object.spec, "ports"))]
    open_ = balancer_access.is_open(service_object.spec, service_object.annotations, (cloud,))
    is_plain = any(isinstance(each, str) and each.lower() in _PLAIN_PROTOCOLS for each in spoken)
    reached = all_of((is_balanced(service_object), open_))
    if not is_plain or reached is False or (reached is not True and not service_object.partial):
        return None
    return UNKNOWN if service_object.partial else True, False, None


def _class_of(ingress: Any) -> str | Unknown | None:
    stated = text(at(ingress, "metadata", "annotations", _CLASS))
    return stated if stated is not None else text(at(ingress, "spec", "ingressClassName"))


def _eks_balancers(ingress: Any, class_: str | Unknown | None, index: Index) -> Iterator[Front]:
    """Yield the balancer that the AWS Load Balancer Controller makes, internal by default.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/
    """
    served, prescribed = ingress_classes.eks_class(class_, index)
    annotations = at(ingress, "metadata", "annotations")
    if isinstance(annotations, Mapping) or annotations is None:
        annotations = {**(annotations or {}), **prescribed}
    scheme = text(at(annotations, f"{_ALB}scheme"))
    if served is False or scheme not in {"internet-facing", UNKNOWN}:
        return
    cidrs = at(annotations, f"{_ALB}inbound-cidrs")
    reached: Known = True
    if cidrs is not None:
        reached = reaches_world(cidrs.split(",") if isinstance(cidrs, str) else (cidrs,))
    encrypted = _tls_on_eks(annotations)
    policy = text(at(annotations, f"{_ALB}ssl-policy"))
    modern: Known | None = UNKNOWN if isinstance(policy, Unknown) else None
    if encrypted is not False and not isinstance(policy, Unknown):
        modern = policy is not None and MODERN.match(policy) is not None
    facing: Known = UNKNOWN if isinstance(scheme, Unknown) else True
    yield all_of((served, facing, reached)), encrypted, modern


def _tls_on_eks(annotations: Any) -> Known:
    """Return whether all listeners of an Ingress speak TLS, or redirect to it."""
    stated = at(annotations, f"{_ALB}listen-ports")
    if stated is None:
        plain: Known = at(annotations, f"{_ALB}certificate-arn") is None
    else:
        ports = as_list(read_json(stated) if isinstance(stated, str) else UNKNOWN)
        known = [each for each in ports if isinstance(each, Mapping)]
        plain = any("HTTP" in each for each in known) or (len(known) != len(ports) and UNKNOWN)
    if plain is not True:
        return UNKNOWN if plain is UNKNOWN else True
    if at(annotations, f"{_ALB}ssl-redirect") is not None:
        return True
    acts = isinstance(annotations, Mapping) and any(
        str(key).startswith(f"{_ALB}actions.") for key in annotations
    )
    return UNKNOWN if acts or isinstance(annotations, Unknown) else False


_LISTENER_READERS: Final[
    Mapping[tuple[str, str], Callable[[Any, str | Unknown | None, Index], Iterator[Front]]]
] = {
    ("aws", "Ingress"): _eks_balancers,
    ("azure", "Ingress"): aks_ingresses.fronts,
    ("gcp", "Ingress"): gke_ingresses.fronts,
    ("gcp", "MultiClusterIngress"): gke_ingresses.of_several_clusters,
    **{(cloud, "Gateway"): partial(gateways.fronts, cloud=cloud) for cloud in CLUSTERS},
}
