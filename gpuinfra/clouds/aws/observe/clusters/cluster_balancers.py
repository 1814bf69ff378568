"""The load balancers that EKS and AWS's controllers make for objects of a cluster: their items.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/nlb/
https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/subnet_discovery/
(docs/ of the controller @225f445)
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs.service_costs import Balancer, balancer_items
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.observing import eks_gateways, eks_ingresses, gateways
from gpuinfra.clouds.observing.balanced_services import BalancedService
from gpuinfra.clouds.observing.balancer_access import eks_controller_serves
from gpuinfra.clouds.observing.ingress_classes import (
    PREFIX,
    ObjectContext,
    annotation_parts,
    class_of,
)
from gpuinfra.clouds.observing.values import amount, as_list, at, is_on, text
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown

_OF_SERVICE: Final = "service.beta.kubernetes.io/aws-load-balancer-"
_OF_GATEWAY: Final = {"gateway.k8s.aws/alb": "application", "gateway.k8s.aws/nlb": "network"}
_ANY: Final = "application"
_LATTICE: Final = "amazon-vpc-lattice"
"""Its Gateways are networks of services, which have no balancer:
https://www.gateway-api-controller.eks.aws.dev/latest/ (not re-read: unverified)"""
_CAPACITY: Final = re.compile(r"CapacityUnits=(\d+)")
_PRIVATE: Final = "dualstack-without-public-ipv4"
_FRONTEND: Final = "frontend-nlb-"
_FACING: Final = "internet-facing"


def service_items(
    resource: Resource, service: BalancedService, region: str, index: Index
) -> Iterable[Item]:
    """Return the items of a Service's balancer; none where its class is of another controller.

    Without a class it is a classic one of the cluster, or a network one of AWS's controller,
    which is cheaper in every region.
    https://kubernetes.io/docs/concepts/services-networking/service/#loadbalancer
    """
    annotations = service.served.annotations
    network = eks_controller_serves(service.served.spec, annotations)
    if isinstance(network, Unknown):
        return ()
    subnets = at(annotations, f"{_OF_SERVICE}subnets")
    allocations = at(annotations, f"{_OF_SERVICE}eip-allocations")
    balancer = Balancer(
        kind="network" if network else "classic",
        reserved=_reserved_units(at(annotations, f"{_OF_SERVICE}minimum-load-balancer-capacity")),
        addresses=_addresses(service.public, allocations, subnets, region, index),
    )
    return balancer_items(resource, balancer, region)


def frontend_items(resource: Resource, index: Index, region: str) -> tuple[Item, ...] | None:
    """Return the items of the balancers of Ingresses, or of a Gateway; None without any.

    Ingresses of a group share a balancer, which the first of them in the stack pays. One without a
    class may be of AWS's controller: that is the most that it costs.
    """
    if gateways.is_gateway(resource):
        balancer = _of_gateway(resource.inputs, region, index)
        return None if balancer is None else balancer_items(resource, balancer, region)
    if not eks_ingresses.is_ingress_or_list(resource):
        return None
    items: list[Item] = []
    for item in as_list(resource.inputs.get("items")) or (resource.inputs,):
        declared_object = ObjectContext(resource=resource, lets_anyone_in=lambda *_: UNKNOWN)
        group = eks_ingresses.group_of(item, declared_object, index)
        has_no_class = class_of(item) is None  # so that the default one may be of AWS
        if group.served is not True and not has_no_class:
            return None
        if eks_ingresses.is_first(item, group, index):
            for balancer in _of_ingress(group, region, index):
                items.extend(balancer_items(resource, balancer, region))
    return tuple(items)


def _of_ingress(
    group: eks_ingresses.IngressGroup, region: str, index: Index
) -> Iterator[Balancer]:
    """Yield the balancer of a group of Ingresses, and the network one before it, if any."""
    public = eks_ingresses.faces_internet(group)
    is_private = text(group.shared("ip-address-type")) == _PRIVATE
    subnets = group.shared("subnets")
    yield Balancer(
        kind="application",
        reserved=_reserved_units(group.shared("minimum-load-balancer-capacity")),
        addresses=_addresses(False if is_private else public, None, subnets, region, index),
    )
    if is_on(at({PREFIX: group.shared("enable-frontend-nlb")}, PREFIX)) is not False:
        scheme = group.shared(f"{_FRONTEND}scheme")
        is_internet_facing = UNKNOWN if isinstance(scheme, Unknown) else scheme == _FACING
        allocations, subnet_names = (
            group.shared(f"{_FRONTEND}{each}") for each in ("eip-allocations", "subnets")
        )
        addresses = _addresses(is_internet_facing, allocations, subnet_names, region, index)
        yield Balancer(kind="network", reserved=None, addresses=addresses)


def _of_gateway(gateway: Mapping[str, Any], region: str, index: Index) -> Balancer | None:
    """Return the balancer of a Gateway: of AWS's controller, or of a Service that another makes.

    https://istio.io/latest/docs/tasks/traffic-management/ingress/gateway-api/ (*unverified*)
    """
    class_ = gateways.class_of(gateway, index)
    controller = text(eks_gateways.controller_of(class_))
    if text(at(gateway, "spec", "gatewayClassName")) == _LATTICE:
        return None
    kind = _OF_GATEWAY.get(controller or "") if not isinstance(controller, Unknown) else _ANY
    if kind is None:
        addresses = _addresses(UNKNOWN, None, None, region, index)
        return Balancer(kind="classic", reserved=None, addresses=addresses)

    def setting(key: str) -> Any:
        return eks_gateways.setting_of(gateway, class_, index, key)

    scheme, subnets = text(setting("scheme")), setting("loadBalancerSubnets")
    is_internet_facing = UNKNOWN if isinstance(scheme, Unknown) else scheme == _FACING
    has_allocations = any(at(subnet, "eipAllocation") is not None for subnet in as_list(subnets))
    return Balancer(
        kind=kind,
        reserved=amount(at(setting("minimumLoadBalancerCapacity"), "capacityUnits")),
        addresses=_addresses(is_internet_facing, has_allocations or None, subnets, region, index),
    )


def _reserved_units(value: Any) -> Decimal | Unknown | None:
    """Return the capacity units that an annotation reserves; None for none."""
    if value is None:
        return None
    match = _CAPACITY.fullmatch(value.strip()) if isinstance(value, str) else None
    return Decimal(match[1]) if match else UNKNOWN


def _addresses(public: Known, allocations: Any, names: Any, region: str, index: Index) -> Decimal:
    """Return the most public addresses that a balancer has: one in each zone of its subnets.

    Elastic addresses that it is given are resources of their own. The subnets that its controller
    finds in the network are one of each zone.
    """
    if public is False or allocations is not None:
        return Decimal(0)
    if isinstance(names, str):
        return Decimal(len(annotation_parts(names)))
    if isinstance(names, (list, tuple)):
        return Decimal(len(names))
    zones = len(REGIONS.zones(region))
    subnets = len(index.of_kind(resource_types.SUBNET))
    return Decimal(min(zones, subnets) if index.of_kind(resource_types.NETWORK) else zones)
