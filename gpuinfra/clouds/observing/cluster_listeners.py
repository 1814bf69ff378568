"""Listeners that a cloud makes for Kubernetes: of Ingresses, and of Services that speak HTTP."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.observing import (
    aks_ingresses,
    balancer_access,
    eks_ingresses,
    gateways,
    gke_ingresses,
    served_objects,
)
from gpuinfra.clouds.observing.cluster_services import CLUSTERS, clouds_of, is_balanced
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import Frontend, LetsIn, ObjectContext, PartFrontend
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import all_of, as_list, at, whole_number
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown

_GROUPS: Final = (
    r"gateway\.networking\.k8s\.io|gateway\.k8s\.aws"
    r"|networking\.k8s\.io|extensions|networking\.gke\.io|elbv2\.k8s\.aws|eks\.amazonaws\.com"
    r"|approuting\.kubernetes\.azure\.com"
)
_KIND: Final = re.compile(
    rf"kubernetes:(?:{_GROUPS})/\w+:"
    r"(?:(?P<kind>(?:MultiCluster)?Ingress|Gateway|ListenerSet)(?:List)?"
    r"|(?:(?:MultiCluster)?Ingress|IngressClass|IngressClassParams|FrontendConfig"
    r"|NginxIngressController|Gateway|GatewayClass|(?:HTTP|GRPC|TLS|TCP|UDP)Route|ListenerSet"
    r"|GCPGatewayPolicy"
    r"|LoadBalancerConfiguration)(?P<patch>Patch))"
)
"""What a load balancer is made for, and patches of what its settings are read from."""

_ANNOTATION: Final = re.compile(
    r"(?:kubernetes\.io/ingress|ingressclass\.kubernetes\.io|ingress\.gcp\.kubernetes\.io"
    r"|networking\.gke\.io|(?:alb|appgw|nginx)\.ingress\.kubernetes\.io)[./]"
)
_PLAIN_PROTOCOLS: Final = frozenset({"http", "kubernetes.io/h2c", "kubernetes.io/ws"})
"""Protocols of a Service's port that are plain text:
https://kubernetes.io/docs/concepts/services-networking/service/#application-protocol"""

_HTTP: Final = 80
_UNTOLD: Final[Frontend] = (UNKNOWN, UNKNOWN, None)
"""What a patch makes of an object that is declared elsewhere."""


def listeners(resource: Resource, index: Index, cloud: str, lets_in: LetsIn) -> Rows:
    """Return the frontends of an object in a cluster; none where its cloud is not known."""
    objects = tuple(served_objects.served_by(resource))
    if not (objects or may_have_frontends(resource)) or clouds_of(resource, index) != (cloud,):
        return Rows()
    frontends = [
        frontend for each in objects if (frontend := _service_listener(each, cloud)) is not None
    ]
    other_frontends = (frontend for _, frontend in frontends_of(resource, index, cloud, lets_in))
    frontends += [frontend for frontend in other_frontends if frontend[1] is not None]
    return Rows(listeners=tuple(_row(cloud, resource, frontend) for frontend in frontends))


def may_have_frontends(resource: Resource) -> bool:
    """Return whether a cloud may make a load balancer for a kind of object."""
    return _KIND.fullmatch(resource.type) is not None


def frontends_of(
    resource: Resource, index: Index, cloud: str, lets_in: LetsIn
) -> Iterator[PartFrontend]:
    """Yield the balancers that a cloud makes for an object, each with the part it is made for."""
    kind = _KIND.fullmatch(resource.type)
    read = _LISTENER_READERS.get((cloud, kind["kind"])) if kind else None
    if kind and kind["patch"]:
        if _sets_more_than_labels(resource.inputs):
            yield resource.inputs, _UNTOLD
    elif read is not None:
        declared_object = ObjectContext(resource=resource, lets_anyone_in=lets_in)
        for item in as_list(resource.inputs.get("items")) or (resource.inputs,):
            yield from read(item, declared_object, index)


def _sets_more_than_labels(patch: Any) -> bool:
    annotations = at(patch, "metadata", "annotations")
    keys = annotations if isinstance(annotations, Mapping) else ()
    may_set_more = isinstance(annotations, Unknown) or at(patch, "spec") is not None
    return may_set_more or any(_ANNOTATION.match(str(key)) for key in keys)


def _row(cloud: str, resource: Resource, frontend: Frontend) -> Listener:
    public, encrypted, modern = frontend
    known_encryption: Known = UNKNOWN if encrypted is None else encrypted
    return listener_row(cloud, resource, public=public, encrypted=known_encryption, modern=modern)


def _service_listener(service_object: served_objects.ServedObject, cloud: str) -> Frontend | None:
    """Return the public load balancer of a Service that declares a plain HTTP port.

    Port 80 is HTTP's, in plain text unless the pods do otherwise. A patch of a Service may be of
    one that is neither.
    """
    ports = as_list(at(service_object.spec, "ports"))
    protocols = [at(entry, "appProtocol") for entry in ports]
    open_ = balancer_access.is_open(service_object.spec, service_object.annotations, (cloud,))
    is_plain = any(
        isinstance(protocol, str) and protocol.lower() in _PLAIN_PROTOCOLS
        for protocol in protocols
    )
    is_public = all_of((is_balanced(service_object), open_))
    if is_public is True and not (is_plain or service_object.partial):
        return (True, UNKNOWN, UNKNOWN) if any(map(_may_be_plain, ports)) else None
    if (
        not is_plain
        or is_public is False
        or (is_public is not True and not service_object.partial)
    ):
        return None
    return UNKNOWN if service_object.partial else True, False, None


def _may_be_plain(port: Any) -> bool:
    """Return whether a port is that of HTTP, and no protocol is stated for it."""
    return at(port, "appProtocol") is None and whole_number(at(port, "port")) == _HTTP


_LISTENER_READERS: Final[
    Mapping[tuple[str, str], Callable[[Any, ObjectContext, Index], Iterator[PartFrontend]]]
] = {
    ("aws", "Ingress"): eks_ingresses.frontends,
    ("azure", "Ingress"): aks_ingresses.frontends,
    ("gcp", "Ingress"): gke_ingresses.frontends,
    ("gcp", "MultiClusterIngress"): gke_ingresses.of_several_clusters,
    **{(cloud, "Gateway"): partial(gateways.frontends, cloud=cloud) for cloud in CLUSTERS},
    **{
        (cloud, "ListenerSet"): partial(gateways.frontends_of_set, cloud=cloud)
        for cloud in CLUSTERS
    },
}
