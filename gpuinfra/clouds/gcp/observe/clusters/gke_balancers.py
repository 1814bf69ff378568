"""The load balancers that GKE makes for Ingresses and Gateways, which cost by their rules.

Regional and internal ones also cost by their proxies, whose price is unknown.
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/ingress-xlb
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/gateway-api
https://cloud.google.com/load-balancing/pricing (not re-read: unverified)
"""

from typing import Any, Final

from gpuinfra.clouds.observing import gateways, gke_classes, ingress_classes
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.model import Resource, Unknown
from gpuinfra.records import record

_CERTIFICATES: Final = (
    "ingress.gcp.kubernetes.io/pre-shared-cert",
    "networking.gke.io/managed-certificates",
    "networking.gke.io/certmap",
)


@record
class GkeBalancer:
    """A load balancer: its forwarding rules, and whether its proxies are billed besides."""

    rules: int
    by_proxies: bool


def balancer_of(resource: Resource, index: Index) -> GkeBalancer | None:
    """Return the balancer of an Ingress or a Gateway; None for another object or class."""
    if resource.type in ingress_classes.INGRESSES:
        class_ = gke_classes.of_ingress(resource.inputs, index)
        rules = _rules_of_ingress(resource)
    elif gateways.is_gateway(resource):
        listeners = at(resource.inputs.get("spec"), "listeners")
        class_ = gke_classes.of_gateway(resource.inputs)
        rules = None if isinstance(listeners, Unknown) else max(1, len(as_list(listeners)))
    else:
        return None
    if rules is None or isinstance(class_, Unknown) or class_ is None:
        return None
    if class_.served is False:
        return GkeBalancer(rules=0, by_proxies=False)
    return GkeBalancer(rules=rules, by_proxies=class_.by_proxies)


def _rules_of_ingress(resource: Resource) -> int | None:
    """Return a rule for HTTP, unless it is switched off, and one for HTTPS with a certificate."""
    ingress: Any = resource.inputs
    annotations = at(ingress, "metadata", "annotations")
    if isinstance(annotations, Unknown):
        return None
    allows_http = flag(at(annotations, ingress_classes.ALLOWS_HTTP)) is not False
    has_certificate = any(at(annotations, key) is not None for key in _CERTIFICATES)
    return max(1, allows_http + (has_certificate or bool(at(ingress, "spec", "tls"))))
