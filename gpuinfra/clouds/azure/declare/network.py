"""A workload's own network: one private subnet, with a NAT gateway for outbound traffic."""

from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.clouds.azure.network import NetworkPlan
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.graph import Resource


def declare_own(children: Children, network: NetworkPlan, firewall: Resource) -> NetworkPlace:
    """Declare a network: one subnet for the machines, a NAT gateway, a storage endpoint.

    The subnet has no default outbound access. Its service endpoint is free and keeps data off the
    NAT gateway, which bills by the byte. The gateway and its address name no zone, so that
    machines that move to another zone keep them.
    https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
    https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview
    """
    virtual_network = children.make(
        "azure-native:network:VirtualNetwork",
        "network",
        addressSpace={"addressPrefixes": [network.cidr]},
        enableDdosProtection=False,
        enableVmProtection=False,
    )
    address = children.make(
        "azure-native:network:PublicIPAddress",
        "nat_address",
        publicIPAddressVersion="IPv4",
        publicIPAllocationMethod="Static",
        sku={"name": "Standard", "tier": "Regional"},
    )
    gateway = children.make(
        "azure-native:network:NatGateway",
        "nat_gateway",
        sku={"name": "Standard"},
        publicIpAddresses=[{"id": address["id"]}],
    )
    subnet = children.make(
        "azure-native:network:Subnet",
        "subnet",
        virtualNetworkName=virtual_network["name"],
        addressPrefix=network.subnet,
        defaultOutboundAccess=False,
        natGateway={"id": gateway["id"]},
        networkSecurityGroup={"id": firewall["id"]},
        privateEndpointNetworkPolicies="Disabled",
        privateLinkServiceNetworkPolicies="Enabled",
        serviceEndpoints=[{"service": "Microsoft.Storage"}],
    )
    return NetworkPlace(
        vpc_id=virtual_network["id"],
        subnet_ids=[subnet["id"]],
        cidr_block=network.cidr,
        start_after=[subnet.key],
    )
