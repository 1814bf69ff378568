"""The networks of a workload: its own or the caller's, and those of its fabric."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from gpuinfra.clouds.declaring.inputs import CallersNetwork
from gpuinfra.clouds.declaring.network import NetworkPlace, take_callers
from gpuinfra.clouds.gcp.declare import firewalls
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.network import NetworkPlan, NicPlan, SubnetPlan, VpcPlan
from gpuinfra.graph import Resource, concat
from gpuinfra.records import record


@record
class FabricSubnets:
    """The additional networks of a fabric: the subnets for its interfaces, by name.

    `start_after` are the keys of what has to be there before a machine starts.
    """

    subnets: Mapping[str, Any] = field(default_factory=dict)
    start_after: Sequence[str] = ()


def main_range(network: NetworkPlan) -> str:
    """Return the address range of the subnet that every machine is in."""
    return network.vpcs[0].subnets[0].cidr


def make_place(
    children: Children, network: NetworkPlan, callers: CallersNetwork | None, *, subnets: str
) -> NetworkPlace:
    """Return the caller's network, which needs one subnet as `subnets` says, else create one.

    Raises:
        InputError: the caller's has another number of subnets.
    """
    if callers is None:
        return _declare_main_network(children, network)
    return take_callers(children.spec.name, callers, subnets=subnets, accepts_count=(1).__eq__)


def make_planes(children: Children, network: NetworkPlan) -> FabricSubnets:
    """Declare the additional networks of a fabric, which only this workload's machines use.

    A network made with a profile takes neither firewalls nor other interfaces than the profile's:
    https://docs.cloud.google.com/vpc/docs/rdma-network-profiles
    """
    subnets: dict[str, Any] = {}
    start_after: list[str] = []
    for vpc in network.vpcs[1:]:
        network_id = _network(children, _child(vpc.name, "network"), vpc)["id"]
        for subnet in vpc.subnets:
            subnets[subnet.name] = _subnet(
                children, _child(subnet.name, "subnet"), network_id, subnet
            )["id"]
        if vpc.profile is None:
            firewall = _child(vpc.name, "firewall")
            start_after += [
                firewalls.allow_within_range(children, firewall, network_id, layout.cidr).key
                for layout in vpc.subnets
            ]
    return FabricSubnets(subnets=subnets, start_after=start_after)


def interfaces(nics: Sequence[NicPlan], main: Any, planes: FabricSubnets) -> list[dict[str, Any]]:
    """Return a machine's interfaces, the first in the main subnet; none has a public address."""
    first, *other_interfaces = nics
    return [
        {"subnetwork": main, "nicType": first.kind},
        *(
            {"subnetwork": planes.subnets[nic.subnet], "nicType": nic.kind}
            for nic in other_interfaces
        ),
    ]


def _declare_main_network(children: Children, network: NetworkPlan) -> NetworkPlace:
    """Declare the main network: one subnet, private access to Google's services, and a NAT.

    Buckets and images are reached without the NAT, which bills by the byte. The NAT switches that
    on for its subnets by itself; it is written down for the day that the NAT goes:
    https://docs.cloud.google.com/nat/docs/nat-product-interactions#interactions-pga
    """
    vpc = network.vpcs[0]
    network_id = _network(children, "main_network", vpc)["id"]
    subnet = _subnet(
        children, "main_subnet", network_id, vpc.subnets[0], privateIpGoogleAccess=True
    )
    router = children.make("gcp:compute/router:Router", "router", network=network_id)
    address = children.make("gcp:compute/address:Address", "nat_address", addressType="EXTERNAL")
    nat = children.make(
        "gcp:compute/routerNat:RouterNat",
        "nat",
        router=router["name"],
        natIpAllocateOption="MANUAL_ONLY",
        natIps=[address["selfLink"]],
        sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )
    return NetworkPlace(
        vpc_id=network_id,
        subnet_ids=[subnet["id"]],
        cidr_block=main_range(network),
        start_after=[nat.key],
    )


def _network(children: Children, child: str, vpc: VpcPlan) -> Resource:
    return children.make(
        "gcp:compute/network:Network",
        child,
        autoCreateSubnetworks=False,
        routingMode="REGIONAL",
        mtu=vpc.mtu,
        networkProfile=None
        if vpc.profile is None
        else concat("projects/", children.project, "/global/networkProfiles/", vpc.profile),
    )


def _subnet(
    children: Children, child: str, network: Any, subnet: SubnetPlan, **more: Any
) -> Resource:
    return children.make(
        "gcp:compute/subnetwork:Subnetwork",
        child,
        network=network,
        ipCidrRange=subnet.cidr,
        **more,
    )


def _child(name: str, content: str) -> str:
    return f"{name.replace('-', '_')}_{content}"
