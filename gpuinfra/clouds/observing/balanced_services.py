"""The load balancers that clusters make for Services, Ingresses and Gateways, and their items."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from gpuinfra.clouds.observing import balancer_access
from gpuinfra.clouds.observing.cluster_services import clouds_of
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import NOWHERE, Item, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_SERVICE: Final = "kubernetes:core/v1:Service"
_FRONTS: Final = (":Ingress", ":Gateway")
_ONE_FAMILY: Final = (None, "SingleStack")


@record
class BalancedService:
    """The load balancer of a Service.

    Attributes:
        ports: how many ports it has, over all address families.
        protocols: how many protocols those ports have, over all address families.
        public: whether it has public addresses, one for each address family.
        families: how many address families it may have.
    """

    ports: int
    protocols: int
    public: Known
    families: int


def rows_of(
    silent: Rows,
    resource: Resource,
    index: Index,
    place: tuple[str, str],
    items: Callable[[BalancedService], Iterable[Item]],
) -> Rows:
    """Return the price items of an object's load balancer, in place of its rows without a cluster.

    Args:
        silent: the rows of the object without a cluster.
        resource: an object in a cluster.
        index: of the resources.
        place: the cloud of the cluster and its region.
        items: returns the price items of a load balancer; none where the cloud has no prices.
    """
    cloud, region = place
    fronts = resource.type.endswith(_FRONTS) and cloud == "gcp"
    if not fronts and resource.type != _SERVICE:
        return silent
    if region == NOWHERE or clouds_of(resource, index) != (cloud,):
        return silent
    service = _of_front(resource) if fronts else _balanced(resource.inputs, cloud)
    priced = () if service is None else tuple(items(service))
    return Rows(items=priced) if priced else silent


def _of_front(resource: Resource) -> BalancedService | None:
    """Return the load balancer that GKE makes for an Ingress or a Gateway."""
    from gpuinfra.clouds.observing.gke_balancers import (  # noqa: PLC0415  (few have any)
        forwarding_rules,
    )

    rules = forwarding_rules(resource)
    if rules is None:
        return None
    return BalancedService(ports=rules, protocols=rules, public=True, families=1)


def _balanced(inputs: Any, cloud: str) -> BalancedService | None:
    """Return the load balancer of a Service; None without one, and where it is not known yet."""
    spec, metadata = inputs.get("spec"), inputs.get("metadata")
    ports = as_list(at(spec, "ports"))
    stated = [text(at(port, "protocol")) or "TCP" for port in ports]
    policy, annotations = text(at(spec, "ipFamilyPolicy")), at(metadata, "annotations")
    hidden = any(isinstance(each, Unknown) for each in (*ports, *stated, policy, annotations))
    if hidden or not ports or text(at(spec, "type")) != "LoadBalancer":
        return None
    if isinstance(text(at(spec, "loadBalancerClass")), Unknown):
        return None
    families = 1 if policy in _ONE_FAMILY else 2
    return BalancedService(
        ports=len(ports) * families,
        protocols=len(set(stated)) * families,
        public=balancer_access.is_public(spec, annotations, cloud),
        families=families,
    )
