"""What Azure refuses of subnets, references and load balancers, over the wire."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import GROUP, NETWORK, SET, SUBNET, scale_set

pytestmark = pytest.mark.usefixtures("town")


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("192.168.0.0/24", "NetcfgSubnetRangeOutsideVnet"),
        ("10.0.0.128/25", "NetcfgSubnetRangesOverlap"),
    ],
)
def test_a_subnet_lies_in_its_network_and_beside_the_others(
    prefix: str, code: str, azure: Any
) -> None:
    message = azure.refusal(
        SUBNET, {**GROUP, "virtualNetworkName": "net", "addressPrefix": prefix}
    )

    assert message.startswith(
        f"{code}: Subnet 'refused' is not valid because its IP address range"
    )


def test_inline_subnets_must_not_overlap_either(azure: Any) -> None:
    subnets = [{"name": name, "addressPrefix": "10.9.0.0/24"} for name in "ab"]

    message = azure.refusal(
        f"{NETWORK}:VirtualNetwork",
        {**GROUP, "addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}, "subnets": subnets},
    )

    assert message.startswith("NetcfgSubnetRangesOverlap: Subnet 'b'")


def test_an_inline_subnet_can_be_referred_to(make: Any) -> None:
    vnet, outputs = make(
        "network:VirtualNetwork",
        **GROUP,
        addressSpace={"addressPrefixes": ["10.8.0.0/16"]},
        subnets=[{"name": "inner", "addressPrefix": "10.8.1.0/24"}],
    )
    subnet = outputs["subnets"][0]["id"]

    _, nic = make(
        "network:NetworkInterface",
        **GROUP,
        ipConfigurations=[{"name": "main", "subnet": {"id": subnet}}],
    )

    assert subnet == f"{vnet}/subnets/inner"
    assert nic["ipConfigurations"][0]["privateIPAddress"] == "10.8.1.4"


def test_machines_find_room_in_the_subnet(azure: Any, make: Any) -> None:
    small, _ = make(
        "network:Subnet", **GROUP, virtualNetworkName="net", addressPrefix="10.0.200.0/28"
    )
    nic = {"name": "nic", "ipConfigurations": [{"name": "ip", "subnet": {"id": small}}]}
    network = {"networkProfile": {"networkInterfaceConfigurations": [nic]}}

    message = azure.refusal(SET, scale_set(network, sku={"name": "a", "capacity": 12}))
    make("compute:VirtualMachineScaleSet", **scale_set(network, sku={"name": "a", "capacity": 11}))

    assert message.startswith("SubnetIsFull: Subnet ")
    assert "10.0.200.0/28 does not have enough capacity for 12 IP addresses" in message


def test_a_reference_to_another_region_is_not_found(azure: Any, town: dict[str, str]) -> None:
    message = azure.refusal(
        f"{NETWORK}:NetworkInterface",
        {
            **GROUP,
            "location": "westeurope",
            "ipConfigurations": [{"name": "main", "subnet": {"id": town["subnet"]}}],
        },
    )

    assert message.startswith("InvalidResourceReference: ")
    assert "both resources are in the same region" in message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("net/subnets/nodes", "LinkedInvalidPropertyId: Property id 'net/subnets/nodes' at path"),
        ("{nsg}", "is a Microsoft.Network/networkSecurityGroups; property"),
    ],
)
def test_a_reference_must_be_an_id_of_the_right_type(
    value: str, message: str, azure: Any, town: dict[str, str]
) -> None:
    subnet = {"id": value.format(**town)}

    refusal = azure.refusal(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": subnet}]},
    )

    assert message in refusal


def balancer(own: str, pool: str) -> dict[str, Any]:
    return {
        **GROUP,
        "loadBalancerName": "lb",
        "sku": {"name": "Standard"},
        "frontendIPConfigurations": [{"name": "front"}],
        "backendAddressPools": [{"name": "machines"}],
        "probes": [{"name": "alive", "port": 8000, "protocol": "Tcp"}],
        "loadBalancingRules": [
            {
                "name": "http",
                "protocol": "Tcp",
                "frontendPort": 80,
                "backendPort": 8000,
                "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
                "backendAddressPool": {"id": f"{own}/backendAddressPools/{pool}"},
                "probe": {"id": f"{own}/probes/alive"},
            }
        ],
    }


def test_a_balancer_refers_to_its_own_parts_and_gives_them_ids(
    azure: Any, make: Any, town: dict[str, str]
) -> None:
    own = town["vnet"].replace("virtualNetworks/net", "loadBalancers/lb")

    message = azure.refusal(f"{NETWORK}:LoadBalancer", balancer(own, "absent"))
    resource_id, outputs = make("network:LoadBalancer", **balancer(own, "machines"))

    assert message.startswith("InvalidResourceReference: ")
    assert resource_id == own
    assert outputs["backendAddressPools"][0]["id"] == f"{own}/backendAddressPools/machines"
    assert outputs["probes"][0]["id"] == f"{own}/probes/alive"


def test_a_standard_balancer_takes_no_basic_address(azure: Any, make: Any) -> None:
    address, _ = make("network:PublicIPAddress", **GROUP)

    message = azure.refusal(
        f"{NETWORK}:LoadBalancer",
        {
            **GROUP,
            "sku": {"name": "Standard"},
            "frontendIPConfigurations": [{"name": "f", "publicIPAddress": {"id": address}}],
        },
    )

    assert message.startswith("PublicIPAndLBSkuDoNotMatch: Standard sku load balancer ")
