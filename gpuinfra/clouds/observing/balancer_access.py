"""Checks whether the load balancer that a cloud creates for a Service is open to the internet."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Unknown

_KUBERNETES: Final = "service.beta.kubernetes.io/"
_RANGES: Final = f"{_KUBERNETES}load-balancer-source-ranges"
"""Holds where `loadBalancerSourceRanges` is empty: https://github.com/kubernetes/kubernetes/blob/
master/staging/src/k8s.io/cloud-provider/service/helpers/helper.go (*unverified*)"""

_INTERNAL_ON_GKE: Final = (
    "networking.gke.io/load-balancer-type",
    "cloud.google.com/load-balancer-type",
)
_CLASSES_OF_GKE: Final = {
    f"networking.gke.io/l4-regional-{name}{legacy}": name == "external"
    for name in ("external", "internal")
    for legacy in ("", "-legacy")
}
"""https://github.com/kubernetes/ingress-gce pkg/annotations, pkg/utils/common"""
_INTERNAL_ON_AKS: Final = f"{_KUBERNETES}azure-load-balancer-internal"
_ALLOWED_ON_AKS: Final = f"{_KUBERNETES}azure-allowed-ip-ranges"
_TAGS_ON_AKS: Final = f"{_KUBERNETES}azure-allowed-service-tags"
_TAGS_OF_ANYONE: Final = ("Internet", "AzureCloud")
"""Service tags with the addresses of everyone, or of what anyone may rent."""

_INTERNAL_ON_EKS: Final = f"{_KUBERNETES}aws-load-balancer-internal"
_SCHEME: Final = f"{_KUBERNETES}aws-load-balancer-scheme"
_TYPE: Final = f"{_KUBERNETES}aws-load-balancer-type"
_FACING: Final = "internet-facing"
_CONTROLLER_TYPES: Final = ("external", "nlb-ip")
_CLASSES_OF_EKS: Final = frozenset({"service.k8s.aws/nlb", "eks.amazonaws.com/nlb"})
_OTHER_FIREWALLS: Final = tuple(
    f"{_KUBERNETES}aws-load-balancer-{name}"
    for name in ("security-groups", "security-group-prefix-lists")
)


def is_open(spec: Any, annotations: Any, clouds: Collection[str]) -> Known:
    """Return whether the internet reaches a balanced Service, which is in one of the clouds."""
    facts = {_is_open(spec, annotations, cloud) for cloud in clouds}
    return facts.pop() if len(facts) == 1 else UNKNOWN


def is_public(spec: Any, annotations: Any, cloud: str) -> Known:
    """Return whether the load balancer of a Service has public addresses."""
    class_ = text(at(spec, "loadBalancerClass"))
    if isinstance(annotations, Unknown) or isinstance(class_, Unknown):
        return UNKNOWN
    return _PUBLIC[cloud](annotations, class_)


def _is_open(spec: Any, annotations: Any, cloud: str) -> Known:
    public = is_public(spec, annotations, cloud)
    if isinstance(annotations, Unknown):
        return UNKNOWN
    return all_of((public, _lets_anyone_in(spec, annotations, cloud)))


def _is_public_on_gke(annotations: Any, class_: str | None) -> Known:
    """Return whether GKE makes an external balancer, which is its default.

    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/service-load-balancer-parameters
    No other spelling is internal (GetLoadBalancerAnnotationType of kubernetes/ingress-gce).
    """
    if class_ is not None:
        return _CLASSES_OF_GKE.get(class_, UNKNOWN)
    stated = (text(at(annotations, key)) for key in _INTERNAL_ON_GKE)
    kind = next((annotation for annotation in stated if annotation is not None), "")
    return UNKNOWN if isinstance(kind, Unknown) else kind not in {"Internal", "internal"}


def _is_public_on_aks(annotations: Any, class_: str | None) -> Known:
    """Return whether AKS makes a public balancer, which is its default.

    https://learn.microsoft.com/azure/aks/internal-lb
    No other spelling is internal (requiresInternalLoadBalancer of cloud-provider-azure).
    """
    internal = text(at(annotations, _INTERNAL_ON_AKS))
    if class_ is not None or isinstance(internal, Unknown):
        return UNKNOWN
    return internal != "true"


def _is_public_on_eks(annotations: Any, class_: str | None) -> Known:
    """Return whether EKS makes an internet-facing balancer; it depends on who makes it.

    The cluster's own controller does by default, and the AWS Load Balancer Controller does not.
    Which one of them a Service without a class has is a setting of the cluster.
    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/nlb/
    """
    if class_ is not None and class_ not in _CLASSES_OF_EKS:
        return UNKNOWN
    scheme = text(at(annotations, _SCHEME))
    if scheme is not None:
        return UNKNOWN if isinstance(scheme, Unknown) else scheme == _FACING
    internal = text(at(annotations, _INTERNAL_ON_EKS))
    if internal is not None:
        return UNKNOWN if isinstance(internal, Unknown) else internal == "false"
    return False if class_ is not None or at(annotations, _TYPE) in _CONTROLLER_TYPES else UNKNOWN


def eks_controller_serves(spec: Any, annotations: Any) -> Known:
    """Return whether AWS's controller makes a Service's balancer, a network one.

    UNKNOWN for a class of another controller. The cluster's own one makes a network balancer, too,
    where the type says `nlb`:
    https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html
    """
    class_, kind = text(at(spec, "loadBalancerClass")), text(at(annotations, _TYPE))
    if class_ is not None:
        return True if class_ in _CLASSES_OF_EKS else UNKNOWN
    return UNKNOWN if isinstance(kind, Unknown) else kind in {"nlb", *_CONTROLLER_TYPES}


_PUBLIC: Final[Mapping[str, Callable[[Any, str | None], Known]]] = {
    "aws": _is_public_on_eks,
    "gcp": _is_public_on_gke,
    "azure": _is_public_on_aks,
}


def _lets_anyone_in(spec: Any, annotations: Any, cloud: str) -> Known:
    """Return whether a load balancer admits all client addresses, as by default.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/
    https://cloud-provider-azure.sigs.k8s.io/topics/loadbalancer/
    """
    ranges = at(spec, "loadBalancerSourceRanges")
    range_texts = as_list(ranges) or (*_split(at(annotations, _RANGES)),)
    tags: tuple[object, ...] = ()
    if cloud == "azure":
        range_texts = (*range_texts, *_split(at(annotations, _ALLOWED_ON_AKS)))
        tags = (*_split(at(annotations, _TAGS_ON_AKS)),)
    if cloud == "aws" and any(at(annotations, key) is not None for key in _OTHER_FIREWALLS):
        return UNKNOWN
    return (
        any_of((reaches_world(range_texts), *map(_admits_anyone, tags)))
        if range_texts or tags
        else True
    )


def _split(value: Any) -> Iterator[object]:
    """Yield the parts of a list in an annotation, UNKNOWN for one that is not known."""
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(",") if part.strip())
    elif value is not None:
        yield UNKNOWN


def _admits_anyone(tag: object) -> Known:
    return tag.partition(".")[0] in _TAGS_OF_ANYONE if isinstance(tag, str) else UNKNOWN
