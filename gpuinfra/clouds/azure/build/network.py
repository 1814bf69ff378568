"""A workload's own network: one private subnet, with a NAT gateway as the way out."""

from typing import Final

import pulumi_azure_native as azure

from gpuinfra.clouds.azure.build.children import Children
from gpuinfra.clouds.azure.network import Network
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place

KINDS: Final[Kinds] = {
    "network": azure.network.VirtualNetwork,
    "nat_address": azure.network.PublicIPAddress,
    "nat_gateway": azure.network.NatGateway,
    "subnet": azure.network.Subnet,
}


def make_own(
    children: Children, network: Network, firewall: azure.network.NetworkSecurityGroup
) -> Place:
    """Make a network: one subnet for the machines, a NAT gateway as the way out, storage direct.

    The subnet gives nobody a way out by itself. Its service endpoint is free and keeps data off
    the NAT gateway, which bills by the byte. The gateway and its address name no zone, so that
    machines that move to another zone keep them.
    https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
    https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview
    """
    own = children.make(
        azure.network.VirtualNetwork,
        "network",
        address_space={"address_prefixes": [network.cidr]},
    )
    address = children.make(
        azure.network.PublicIPAddress,
        "nat_address",
        public_ip_address_version="IPv4",
        public_ip_allocation_method="Static",
        sku={"name": "Standard", "tier": "Regional"},
    )
    gateway = children.make(
        azure.network.NatGateway,
        "nat_gateway",
        sku={"name": "Standard"},
        public_ip_addresses=[{"id": address.id}],
    )
    subnet = children.make(
        azure.network.Subnet,
        "subnet",
        virtual_network_name=own.name,
        address_prefix=network.subnet,
        default_outbound_access=False,
        nat_gateway={"id": gateway.id},
        network_security_group={"id": firewall.id},
        service_endpoints=[{"service": "Microsoft.Storage"}],
    )
    return Place(vpc_id=own.id, subnet_ids=[subnet.id], cidr_block=network.cidr, ready=[subnet])
