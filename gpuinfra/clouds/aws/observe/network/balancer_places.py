"""The subnets of load balancers that AWS refuses.

https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
(Subnets: one of each zone, of two zones for an application load balancer, other than in a Local
Zone or on an Outpost; the errors of CreateLoadBalancer: InvalidSubnet)
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import routes, start_places, vpcs
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import as_list, at, flag, text
from gpuinfra.model import Resource, Unknown

_LOCAL: Final = re.compile(r"[a-z]+(?:-[a-z]+)+-\d-.+")
"""How the names of Local Zones and Wavelength Zones look, for example us-west-2-lax-1a."""


def faults_of(balancer: Resource, index: Index) -> Iterator[str]:
    """Yield the faults of a load balancer's subnets, as far as they are in the stack."""
    prop = "subnets" if balancer.inputs.get("subnets") is not None else "subnetMappings"
    subnet_ids = balancer.inputs.get(prop)
    if subnet_ids is None:
        return
    ids = (
        subnet_ids
        if prop == "subnets"
        else [at(entry, "subnetId") for entry in as_list(subnet_ids)]
    )
    subnets = index.targets(balancer, prop, resource_types.SUBNET, ids)
    yield from start_places.several_vpcs(subnets.certain, index)
    yield from _shared_zones(subnets.certain)
    kind = text(balancer.inputs.get("loadBalancerType"))
    if kind in {None, "application"}:
        yield from _single_zone(subnet_ids, subnets)
    if kind in {None, "application", "network"} and flag(balancer.inputs.get("internal")) in {
        None,
        False,
    }:
        yield from _closed_vpcs(subnets.certain, index)


def ingress_faults(ingress: Resource, index: Index) -> Iterator[str]:
    """Yield the faults of the subnets that an Ingress names for its application load balancer.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/#subnets
    """
    from gpuinfra.clouds.observing import ingress_classes  # noqa: PLC0415  (few have any)

    subnets_text = at(
        ingress.inputs.get("metadata"), "annotations", f"{ingress_classes.PREFIX}subnets"
    )
    if subnets_text is None:
        return
    ids = (
        ingress_classes.annotation_parts(subnets_text)
        if isinstance(subnets_text, str)
        else subnets_text
    )
    subnets = index.targets(ingress, "metadata", resource_types.SUBNET, ids)
    yield from _shared_zones(subnets.certain)
    yield from _single_zone(ids, subnets)


def _shared_zones(subnets: Sequence[Resource]) -> Iterator[str]:
    for subnet, other in combinations(subnets, 2):
        zone = start_places.zone_of(subnet)
        if zone and zone == start_places.zone_of(other):
            both = f"the subnets {subnet.name} and {other.name} are both in {zone}"
            yield f"{both}, and a load balancer takes one of each zone"
            return


def _single_zone(subnet_ids: Any, subnets: Targets) -> Iterator[str]:
    has_one_subnet = not isinstance(subnet_ids, Unknown) and len(as_list(subnet_ids)) == 1
    zones = {start_places.zone_of(subnet) for subnet in subnets.certain}
    are_same_zone = len(zones) == 1 and None not in zones
    is_known = subnets.certain and subnets.exact and not any(map(_is_at_edge, subnets.certain))
    if is_known and (has_one_subnet or are_same_zone):
        yield "its subnets are in one zone, and an application load balancer needs two"


def _is_at_edge(subnet: Resource) -> bool:
    """Return whether a subnet may be in a Local Zone or on an Outpost, where one is enough."""
    zone = subnet.inputs.get("availabilityZone")
    is_zone_hidden = (
        isinstance(zone, Unknown) or subnet.inputs.get("availabilityZoneId") is not None
    )
    is_local_zone = isinstance(zone, str) and _LOCAL.fullmatch(zone) is not None
    return subnet.inputs.get("outpostArn") is not None or is_zone_hidden or is_local_zone


def _closed_vpcs(subnets: Sequence[Resource], index: Index) -> Iterator[str]:
    """Yield the VPC of the stack in which no public load balancer can be."""
    subnet_vpcs = dict.fromkeys(vpcs.vpc_of(subnet, index) for subnet in subnets)
    for vpc in index.of_kind(resource_types.NETWORK):
        if vpc.urn in subnet_vpcs and routes.has_no_gateway(vpc, index):
            yield f"it faces the internet, and its VPC {vpc.name} has no internet gateway"
