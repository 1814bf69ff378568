"""The load balancers that clusters make for Services, and their items."""

from collections.abc import Callable, Iterable
from typing import Final

from gpuinfra.clouds.observing import balancer_access, served_objects
from gpuinfra.clouds.observing.cluster_services import clouds_of, is_balanced
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.observing.served_objects import ServedObject
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import NOWHERE, UNKNOWN, Item, Known, Resource, Rows, Unknown
from gpuinfra.records import record

_SERVICE: Final = "kubernetes:core/v1:Service"
_UNPRICED: Final = (
    "its operator makes a load balancer that is billed by the hour; its price is unknown"
)
_ONE_FAMILY: Final = (None, "SingleStack")


@record
class BalancedService:
    """The load balancer of a Service.

    Attributes:
        ports: how many ports it has, over all address families.
        protocols: how many protocols those ports have, over all address families.
        public: whether it has public addresses, one for each address family.
        families: how many address families it may have.
        served: the Service.
    """

    ports: int
    protocols: int
    public: Known
    families: int
    served: ServedObject


def rows_of(
    silent: Rows,
    resource: Resource,
    index: Index,
    cloud_and_region: tuple[str, str],
    items: Callable[[BalancedService], Iterable[Item]],
) -> Rows:
    """Return the rows of an object with the price items of its load balancer, if it has one.

    A Service is that alone; an operator makes one beside the pods of a Ray cluster.

    Args:
        silent: the rows of the object without a balancer.
        resource: an object in a cluster.
        index: of the resources.
        cloud_and_region: the cloud of the cluster and its region.
        items: returns the price items of a load balancer; none where the cloud has no prices.
    """
    cloud, region = cloud_and_region
    is_service = resource.type == _SERVICE
    clouds = clouds_of(resource, index)
    if cloud not in clouds or not (is_service or served_objects.is_ray(resource)):
        return silent
    balanced = [
        balancer
        for balancer in served_objects.served_by(resource)
        if is_balanced(balancer) is not False
    ]
    known_balancers = balanced if region != NOWHERE and clouds == (cloud,) else []
    services = [_balanced_service(balancer, cloud) for balancer in known_balancers]
    priced = [item for service in services if service is not None for item in items(service)]
    if priced:
        return Rows(items=tuple(priced), not_judged=() if is_service else silent.not_judged)
    return silent if is_service or not balanced else unjudged_rows(resource, _UNPRICED)


def _balanced_service(service: ServedObject, cloud: str) -> BalancedService | None:
    """Return the load balancer of a Service; None without one, and where it is not known yet."""
    spec, annotations = service.spec, service.annotations
    ports = as_list(at(spec, "ports"))
    protocols = [text(at(port, "protocol")) or "TCP" for port in ports]
    policy = text(at(spec, "ipFamilyPolicy"))
    has_unknowns = UNKNOWN in (*ports, *protocols, policy, annotations)
    if has_unknowns or not ports or text(at(spec, "type")) != "LoadBalancer":
        return None
    if isinstance(text(at(spec, "loadBalancerClass")), Unknown):
        return None
    families = 1 if policy in _ONE_FAMILY else 2
    return BalancedService(
        ports=len(ports) * families,
        protocols=len(set(protocols)) * families,
        public=balancer_access.is_public(spec, annotations, cloud),
        families=families,
        served=service,
    )
