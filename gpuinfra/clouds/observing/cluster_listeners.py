"""Listeners that a cloud makes for Kubernetes: of Ingresses, and of Services that speak HTTP."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing import (
    balancer_access,
    ingress_classes,
    served_objects,
    ssl_policies,
)
from gpuinfra.clouds.observing.cluster_services import CLUSTERS, clouds_of, is_balanced
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ranges import reaches_world
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import all_of, as_list, at, flag, read_json, text
from gpuinfra.model import UNKNOWN, Known, Listener, Resource, Rows, Unknown

_INGRESS: Final = re.compile(r"kubernetes:(?:networking\.k8s\.io|extensions)/\w+:Ingress(?:List)?")
_CLASS: Final = "kubernetes.io/ingress.class"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_FRONT: Final = "kubernetes:networking.gke.io/v1beta1:FrontendConfig"
_NAMES_FRONT: Final = "networking.gke.io/v1beta1.FrontendConfig"
_EXTERNAL: Final = frozenset({"gce", "gce-regional-external"})
"""The classes of external balancers of GKE, as its controller spells them:
https://github.com/kubernetes/ingress-gce/blob/master/pkg/annotations/ingress.go"""

_ALLOWS_HTTP: Final = "kubernetes.io/ingress.allow-http"
_ALB: Final = ingress_classes.PREFIX
_MODERN: Final = re.compile(r"ELBSecurityPolicy-(?:TLS13-1-[23](?!\d)|TLS-1-2|FS-1-2)")
"""The policies that refuse TLS below 1.2; the default, ELBSecurityPolicy-2016-08, does not:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html"""

_PLAIN: Final = frozenset({"http", "kubernetes.io/h2c", "kubernetes.io/ws"})
"""Protocols of a Service's port that are plain text:
https://kubernetes.io/docs/concepts/services-networking/service/#application-protocol"""

_Front = tuple[Known, Known, Known | None]
"""Whether the internet reaches a front, whether it speaks TLS alone, and only 1.2 or newer."""


def listeners(resource: Resource, index: Index, cloud: str) -> Rows:
    """Return the fronts of an object in a cluster; none where its cloud is not known."""
    is_ingress = _INGRESS.fullmatch(resource.type)
    served = () if is_ingress else tuple(served_objects.served_by(resource))
    if not (is_ingress or served) or clouds_of(resource, index) != (cloud,):
        return Rows()
    fronts = [front for each in served if (front := _of_service(each, cloud)) is not None]
    if is_ingress and cloud in _READ:
        for each in as_list(resource.inputs.get("items")) or (resource.inputs,):
            fronts += _READ[cloud](each, _class_of(each), index)
    return Rows(listeners=tuple(_row(cloud, resource, front) for front in fronts))


def _row(cloud: str, resource: Resource, front: _Front) -> Listener:
    public, encrypted, modern = front
    return listener_row(cloud, resource, public=public, encrypted=encrypted, modern=modern)


def _of_service(served: served_objects.Served, cloud: str) -> _Front | None:
    """Return a balanced Service that says of a port that it is plain HTTP, open to everyone."""
    spoken = [at(entry, "appProtocol") for entry in as_list(at(served.spec, "ports"))]
    open_ = balancer_access.is_open(served.spec, served.annotations, (cloud,))
    is_plain = any(isinstance(each, str) and each.lower() in _PLAIN for each in spoken)
    if not is_plain or all_of((is_balanced(served), open_)) is not True or served.partial:
        return None
    return True, False, None


def _class_of(ingress: Any) -> str | Unknown | None:
    stated = text(at(ingress, "metadata", "annotations", _CLASS))
    return stated if stated is not None else text(at(ingress, "spec", "ingressClassName"))


def _on_gke(ingress: Any, class_: str | Unknown | None, index: Index) -> Iterator[_Front]:
    """Yield the external balancer that GKE makes for an Ingress of a class of its own.

    The global one is the default, but another controller of the stack may have made its own class
    that. It serves HTTP as well unless that is switched off, or redirected by a FrontendConfig.
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/ingress-configuration
    """
    if class_ not in {None, *_EXTERNAL, UNKNOWN}:
        return
    others = bool(index.of_kind(ingress_classes.CLASSES) or index.of_kind(_RELEASE))
    public = UNKNOWN if isinstance(class_, Unknown) or (class_ is None and others) else True
    annotations = at(ingress, "metadata", "annotations")
    front = _front_of(at(annotations, _NAMES_FRONT), index)
    config = front.inputs.get("spec") if isinstance(front, Resource) else front
    encrypted = _tls_on_gke(flag(at(annotations, _ALLOWS_HTTP)), config)
    modern: Known | None = None if encrypted is False else UNKNOWN
    if encrypted is True:
        modern = _modern_on_gke(front, index)
    yield public, encrypted, modern


def _modern_on_gke(front: Resource | Unknown | None, index: Index) -> Known:
    """Return whether the SSL policy that a front names, in its cluster's project, refuses old TLS.

    Of several clusters that may be its own, each has to say so.
    """
    if not isinstance(front, Resource):
        return UNKNOWN if isinstance(front, Unknown) else False
    policy = at(front.inputs.get("spec"), "sslPolicy")
    if policy is None:
        return False
    near = [
        replace(front, account=each.account, credentials=each.credentials)
        for each in index.of_kind(CLUSTERS["gcp"])
    ]
    return all_of(
        index.targets(each, "spec", ssl_policies.POLICY, policy).some(ssl_policies.refuses_old)
        for each in near or (front,)
    )


def _tls_on_gke(allows: bool | Unknown | None, config: Any) -> Known:
    if allows is False:
        return True
    redirects = flag(at(config, "redirectToHttps", "enabled"))
    if redirects is True or isinstance(allows, Unknown):
        return redirects is True or UNKNOWN
    return UNKNOWN if isinstance(redirects, Unknown) else False


def _front_of(name: Any, index: Index) -> Resource | Unknown | None:
    """Return the FrontendConfig that an Ingress names; UNKNOWN for one of elsewhere."""
    if name is None:
        return None
    own = (each for each in index.of_kind(_FRONT) if at(each.inputs, "metadata", "name") == name)
    return next(own, UNKNOWN)


def _on_eks(ingress: Any, class_: str | Unknown | None, index: Index) -> Iterator[_Front]:
    """Yield the balancer that the AWS Load Balancer Controller makes, internal by default.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/
    """
    served, prescribed = ingress_classes.of_eks(class_, index)
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
        modern = policy is not None and _MODERN.match(policy) is not None
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


_READ: Final[Mapping[str, Callable[[Any, str | Unknown | None, Index], Iterator[_Front]]]] = {
    "aws": _on_eks,
    "gcp": _on_gke,
}
"""Ingresses of AKS are served by controllers that have a Service of their own."""
