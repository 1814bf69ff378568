"""What Azure refuses to delete because it is in use, over the wire."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import COMPUTE, GROUP, NETWORK, SUBNET, machine

pytestmark = pytest.mark.usefixtures("town")


@pytest.mark.parametrize(
    ("token", "key", "code"),
    [
        (SUBNET, "subnet", "InUseSubnetCannotBeDeleted"),
        (f"{NETWORK}:VirtualNetwork", "vnet", "InUseSubnetCannotBeDeleted"),
        (f"{NETWORK}:PublicIPAddress", "address", "PublicIPAddressCannotBeDeleted"),
    ],
)
def test_what_is_in_use_is_not_deleted(
    token: str, key: str, code: str, azure: Any, town: dict[str, str]
) -> None:
    message = refusal_of_delete(azure, token, town[key])

    assert message.startswith(f"{code}: ")
    assert "/networkInterfaces/nic" in message or "/natGateways/nat" in message


def refusal_of_delete(azure: Any, token: str, resource_id: str) -> str:
    import grpc

    read = azure.read(token, resource_id)
    assert read.id == resource_id
    with pytest.raises(grpc.RpcError) as caught:
        azure.delete(token, resource_id, {})
    assert azure.read(token, resource_id).id == resource_id
    return str(caught.value.details())


def test_guards_name_what_uses_a_thing(azure: Any, make: Any, town: dict[str, str]) -> None:
    nsg, _ = make("network:NetworkSecurityGroup", **GROUP)
    disk, _ = make("compute:Disk", **GROUP, creationData={"createOption": "Empty"})
    nic, _ = make(
        "network:NetworkInterface",
        **GROUP,
        networkSecurityGroup={"id": nsg},
        ipConfigurations=[{"name": "main", "subnet": {"id": town["subnet"]}}],
    )
    data = {"createOption": "Attach", "lun": 0, "managedDisk": {"id": disk}}
    vm, _ = make(
        "compute:VirtualMachine",
        **machine(
            networkProfile={"networkInterfaces": [{"id": nic}]},
            storageProfile={"dataDisks": [data]},
        ),
    )

    assert nic in refusal_of_delete(azure, f"{NETWORK}:NetworkSecurityGroup", nsg)
    assert refusal_of_delete(azure, f"{NETWORK}:NetworkInterface", nic).startswith(
        f"NicInUse: Network Interface {nic} is used by existing resource {vm}."
    )
    assert f"is attached to VM {vm}" in refusal_of_delete(azure, f"{COMPUTE}:Disk", disk)


def test_a_zone_with_links_stays_until_they_are_gone(
    azure: Any, make: Any, town: dict[str, str]
) -> None:
    link, _ = make(
        "privatedns:VirtualNetworkLink",
        **GROUP,
        privateZoneName="blob.town.net",
        location="global",
        virtualNetwork={"id": town["vnet"]},
    )

    message = refusal_of_delete(azure, "azure-native:privatedns:PrivateZone", town["zone"])

    assert message.startswith(
        "CannotDeleteResource: Cannot delete resource while nested resources"
    )
    assert link in message


def test_a_group_takes_all_that_it_holds_along(azure: Any, town: dict[str, str]) -> None:
    group = "azure-native:resources:ResourceGroup"
    made = [azure.create(group, {"resourceGroupName": "doomed"})]
    doomed = {"resourceGroupName": "doomed"}
    net = {"addressSpace": {"addressPrefixes": ["10.3.0.0/16"]}, "virtualNetworkName": "net"}
    vnet, _ = azure.create(f"{NETWORK}:VirtualNetwork", {**doomed, **net})
    subnet, _ = azure.create(
        SUBNET, {**doomed, "virtualNetworkName": "net", "addressPrefix": "10.3.0.0/24"}
    )
    azure.create(
        f"{NETWORK}:NetworkInterface",
        {**doomed, "ipConfigurations": [{"name": "main", "subnet": {"id": subnet}}]},
    )

    azure.delete(group, *made[0])

    assert azure.read(f"{NETWORK}:VirtualNetwork", vnet).id == ""
    assert azure.read(SUBNET, subnet).id == ""
    assert azure.read(f"{NETWORK}:VirtualNetwork", town["vnet"]).id == town["vnet"]


def test_a_group_of_which_others_use_a_part_stays(azure: Any) -> None:
    group = "azure-native:resources:ResourceGroup"
    held, outputs = azure.create(group, {"resourceGroupName": "held"}, name="held")
    net = {"addressSpace": {"addressPrefixes": ["10.4.0.0/16"]}, "virtualNetworkName": "net"}
    azure.create(f"{NETWORK}:VirtualNetwork", {"resourceGroupName": "held", **net}, name="heldnet")
    subnet, _ = azure.create(
        SUBNET,
        {"resourceGroupName": "held", "virtualNetworkName": "net", "addressPrefix": "10.4.0.0/24"},
        name="heldsubnet",
    )
    nic, nic_outputs = azure.create(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": {"id": subnet}}]},
        name="outside",
    )

    assert nic in refusal_of_delete(azure, group, held)
    azure.delete(f"{NETWORK}:NetworkInterface", nic, nic_outputs)
    azure.delete(group, held, outputs)
    assert azure.read(SUBNET, subnet).id == ""
