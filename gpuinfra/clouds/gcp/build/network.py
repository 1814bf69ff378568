"""The network of a workload: its own or the caller's, and the planes of its fabric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place
from gpuinfra.clouds.gcp.build import traffic
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.gcp.network import Network, Nic, Subnet, Vpc

KINDS: Final[Kinds] = {
    "main_network": gcp.compute.Network,
    "main_subnet": gcp.compute.Subnetwork,
    "router": gcp.compute.Router,
    "nat_address": gcp.compute.Address,
    "nat": gcp.compute.RouterNat,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planes:
    """The networks beside the main one: their subnets by name, for interfaces to stand in.

    `ready` has to be there before a machine starts.
    """

    subnets: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    ready: Sequence[pulumi.Resource] = ()


def kinds(layout: Network) -> Kinds:
    """Every child that a network of this shape has."""
    more: dict[str, type[pulumi.CustomResource]] = {}
    for vpc in layout.vpcs[1:]:
        more[_child(vpc.name, "network")] = gcp.compute.Network
        more |= {_child(one.name, "subnet"): gcp.compute.Subnetwork for one in vpc.subnets}
        if vpc.profile is None:
            more[_child(vpc.name, "firewall")] = gcp.compute.Firewall
    return {**KINDS, **more}


def main_range(layout: Network) -> str:
    """The range of the subnet that every machine stands in."""
    return layout.vpcs[0].subnets[0].cidr


def make_own(children: Children, layout: Network) -> Place:
    """Make the main network: one subnet, Google's services direct, NAT as the way out.

    Private Google Access keeps buckets and images off the NAT, which bills by the byte:
    https://docs.cloud.google.com/vpc/docs/private-google-access
    """
    vpc = layout.vpcs[0]
    made = _network(children, "main_network", vpc)
    subnet = _subnet(children, "main_subnet", made, vpc.subnets[0], private_ip_google_access=True)
    router = children.make(gcp.compute.Router, "router", network=made.id)
    address = children.make(gcp.compute.Address, "nat_address", address_type="EXTERNAL")
    nat = children.make(
        gcp.compute.RouterNat,
        "nat",
        router=router.name,
        nat_ip_allocate_option="MANUAL_ONLY",
        nat_ips=[address.self_link],
        source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )
    return Place(
        vpc_id=made.id,
        subnet_ids=[subnet.id],
        cidr_block=main_range(layout),
        ready=[nat],
    )


def make_planes(children: Children, layout: Network) -> Planes:
    """Make the networks beside the main one, which hold nothing but this workload's machines.

    A network made with a profile takes neither firewalls nor other interfaces than the profile's:
    https://docs.cloud.google.com/vpc/docs/rdma-network-profiles
    """
    subnets: dict[str, pulumi.Input[str]] = {}
    ready: list[pulumi.Resource] = []
    for vpc in layout.vpcs[1:]:
        made = _network(children, _child(vpc.name, "network"), vpc)
        for one in vpc.subnets:
            subnets[one.name] = _subnet(children, _child(one.name, "subnet"), made, one).id
        if vpc.profile is None:
            firewall = _child(vpc.name, "firewall")
            ready += [traffic.among(children, firewall, made.id, one.cidr) for one in vpc.subnets]
    return Planes(subnets=subnets, ready=ready)


def interfaces(
    nics: Sequence[Nic], main: pulumi.Input[str], planes: Planes
) -> list[dict[str, Any]]:
    """The interfaces of a machine, the first in the main subnet; none has a public address."""
    first, *others = nics
    return [
        {"subnetwork": main, "nic_type": first.kind},
        *({"subnetwork": planes.subnets[nic.subnet], "nic_type": nic.kind} for nic in others),
    ]


def _network(children: Children, child: str, vpc: Vpc) -> gcp.compute.Network:
    profile: dict[str, Any] = {}
    if vpc.profile is not None:
        profile["network_profile"] = pulumi.Output.concat(
            "projects/", children.project, "/global/networkProfiles/", vpc.profile
        )
    return children.make(
        gcp.compute.Network,
        child,
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        mtu=vpc.mtu,
        **profile,
    )


def _subnet(
    children: Children,
    child: str,
    network: gcp.compute.Network,
    subnet: Subnet,
    **more: Any,
) -> gcp.compute.Subnetwork:
    return children.make(
        gcp.compute.Subnetwork,
        child,
        network=network.id,
        ip_cidr_range=subnet.cidr,
        **more,
    )


def _child(name: str, what: str) -> str:
    return f"{name.replace('-', '_')}_{what}"
