"""The global load balancers that GKE makes for Ingresses and Gateways, which cost by their rules.

Regional and internal ones also cost by their proxies, whose price is unknown.
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/ingress-xlb
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/gateway-api
"""

from typing import Any, Final

from gpuinfra.clouds.observing import gateways, ingress_classes
from gpuinfra.clouds.observing.values import as_list, at, flag, text
from gpuinfra.model import Resource, Unknown

_INGRESSES: Final = frozenset(
    f"kubernetes:{group}:Ingress"
    for group in ("networking.k8s.io/v1", "networking.k8s.io/v1beta1", "extensions/v1beta1")
)
_INGRESS_CLASSES: Final = frozenset({None, "gce"})
_GATEWAY_CLASSES: Final = frozenset({"gke-l7-global-external-managed", "gke-l7-gxlb"})
_ALLOWS_HTTP: Final = "kubernetes.io/ingress.allow-http"
_CERTIFICATES: Final = (
    "ingress.gcp.kubernetes.io/pre-shared-cert",
    "networking.gke.io/managed-certificates",
    "networking.gke.io/certmap",
)


def forwarding_rules(resource: Resource) -> int | None:
    """Return how many forwarding rules a global balancer has; None for any other object."""
    if resource.type in _INGRESSES:
        return _rules_of_ingress(resource.inputs)
    if not gateways.is_gateway(resource):
        return None
    spec = resource.inputs.get("spec")
    listeners = at(spec, "listeners")
    if text(at(spec, "gatewayClassName")) not in _GATEWAY_CLASSES:
        return None
    return None if isinstance(listeners, Unknown) else max(1, len(as_list(listeners)))


def _rules_of_ingress(ingress: Any) -> int | None:
    """Return a rule for HTTP, unless it is switched off, and one for HTTPS with a certificate."""
    annotations = at(ingress, "metadata", "annotations")
    class_ = ingress_classes.class_of(ingress)
    if isinstance(annotations, Unknown) or class_ not in _INGRESS_CLASSES:
        return None
    plain = flag(at(annotations, _ALLOWS_HTTP)) is not False
    certified = any(at(annotations, key) is not None for key in _CERTIFICATES)
    return max(1, plain + (certified or bool(at(ingress, "spec", "tls"))))
