"""The classes for which GKE makes a load balancer, by `balancer_classes.json`."""

from dataclasses import replace
from functools import cache
from typing import Any

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing import ingress_classes
from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.served_objects import RELEASE
from gpuinfra.clouds.observing.values import all_of, at, flag, opposite, text
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Known, Unknown
from gpuinfra.records import record


@record
class BalancerClass:
    """What GKE makes for a class: an external balancer or not, and whether its proxies cost.

    `served` says whether GKE serves the object: not where its add-on is switched off, and perhaps
    not where another controller of the stack may do it.
    """

    external: bool
    by_proxies: bool
    served: Known = True


@cache
def _classes(kind: str) -> dict[str, BalancerClass]:
    return {
        row["class"]: BalancerClass(external=row["external"], by_proxies=row["by_proxies"])
        for row in rows_of(digests.table(ingress_classes.TABLE))
        if row["kind"] == kind
    }


def of_ingress(ingress: Any, index: Index) -> BalancerClass | Unknown | None:
    """Return the class of an Ingress; UNKNOWN while it is, None for one that is not of GKE.

    A chart may have made another class the default one. GKE reads its classes in the annotation,
    and leaves an Ingress with only `ingressClassName` to other controllers, whatever that names.
    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/ingress
    """
    name = ingress_classes.class_of(ingress)
    if isinstance(name, Unknown):
        return UNKNOWN
    class_ = _classes("Ingress").get(name or "")
    if class_ is None:
        return None
    if not ingress_classes.has_annotation(ingress) and at(ingress, "spec", "ingressClassName"):
        return replace(class_, served=False)
    may_be_other_class = not name and (
        index.of_kind(RELEASE) or ingress_classes.may_have_default(index)
    )
    serves = UNKNOWN if may_be_other_class else True
    return replace(class_, served=all_of((_has_controller(index), serves)))


def of_gateway(gateway: Any) -> BalancerClass | Unknown | None:
    """Return the class of a Gateway; UNKNOWN while it is, None for one that is not of GKE."""
    name = text(at(gateway, "spec", "gatewayClassName"))
    return name if isinstance(name, Unknown) else _classes("Gateway").get(name or "")


def _has_controller(index: Index) -> Known:
    """Return whether the clusters of the stack have GKE's controller; UNKNOWN if only some do."""
    clusters = index.of_kind(CLUSTERS["gcp"])
    addons = (at(entry.inputs.get("addonsConfig"), "httpLoadBalancing") for entry in clusters)
    states = {opposite(flag(at(entry, "disabled"))) for entry in addons}
    return states.pop() if len(states) == 1 else UNKNOWN if states else True
