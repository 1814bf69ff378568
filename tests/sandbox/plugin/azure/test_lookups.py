"""Look-ups that a normal program needs are answered, others are refused by name."""

from typing import Any

import grpc
import pytest

GROUP = {"resourceGroupName": "town"}


def refusal(azure: Any, token: str, **arguments: Any) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        azure.invoke(f"azure-native:{token}", **arguments)
    return str(caught.value.details())


def test_the_caller_is_known(azure: Any) -> None:
    answer = azure.invoke("azure-native:authorization:getClientConfig")

    assert answer["subscriptionId"] == "00000000-1111-4222-8333-444444444444"
    assert answer.keys() == {"clientId", "objectId", "subscriptionId", "tenantId"}


@pytest.mark.parametrize(
    ("token", "arguments", "key"),
    [
        ("network:getSubnet", {"virtualNetworkName": "net", "subnetName": "nodes"}, "subnet"),
        ("network:getVirtualNetwork", {"virtualNetworkName": "NET"}, "vnet"),
        ("network:getPublicIPAddress", {"publicIpAddressName": "pip"}, "address"),
        ("managedidentity:getUserAssignedIdentity", {"resourceName": "who"}, "identity"),
        ("compute:getVirtualMachineScaleSet", {"vmScaleSetName": "pool"}, "set"),
    ],
)
def test_what_stands_is_looked_up(
    token: str, arguments: dict[str, Any], key: str, azure: Any, town: dict[str, str]
) -> None:
    answer = azure.invoke(f"azure-native:{token}", **GROUP, **arguments)

    assert answer["id"] == town[key]
    assert answer["name"] == answer["id"].rsplit("/", 1)[-1]


def test_a_group_is_looked_up(azure: Any, town: dict[str, str]) -> None:
    answer = azure.invoke("azure-native:resources:getResourceGroup", **GROUP)

    assert (answer["name"], answer["location"]) == ("town", "eastus")


def test_what_is_not_there_is_said_in_azures_words(azure: Any, town: dict[str, str]) -> None:
    no_group = refusal(azure, "resources:getResourceGroup", resourceGroupName="absent")
    no_net = refusal(azure, "network:getVirtualNetwork", **GROUP, virtualNetworkName="absent")
    no_name = refusal(azure, "network:getVirtualNetwork", **GROUP)

    assert "Resource group 'absent' could not be found." in no_group
    assert (
        "The Resource 'Microsoft.Network/virtualNetworks/absent' under resource group 'town'"
        in (no_net)
    )
    assert "missing required argument 'virtualNetworkName'" in no_name


def test_keys_are_listed_unless_the_account_forbids_them(
    azure: Any, make: Any, town: dict[str, str]
) -> None:
    make(
        "storage:StorageAccount",
        **GROUP,
        accountName="keyless",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allowSharedKeyAccess=False,
    )

    keys = azure.invoke(
        "azure-native:storage:listStorageAccountKeys", **GROUP, accountName="townaccount"
    )["keys"]
    message = refusal(azure, "storage:listStorageAccountKeys", **GROUP, accountName="keyless")

    assert [key["keyName"] for key in keys] == ["key1", "key2"]
    assert message.startswith("KeyBasedAuthenticationNotPermitted: ")


def test_any_other_look_up_is_refused_by_name(azure: Any) -> None:
    message = refusal(azure, "authorization:getClientToken")

    assert "the sandbox does not answer azure-native:authorization:getClientToken" in message
