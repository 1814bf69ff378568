"""Names and ids over the wire: made up, refused, compared without case, of a versioned type."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import ACCOUNT, GROUP, NETWORK, SUBNET

pytestmark = pytest.mark.usefixtures("town")


def test_a_made_up_name_is_the_logical_name_and_eight_digits(azure: Any) -> None:
    net, _ = azure.check(
        f"{NETWORK}:VirtualNetwork", {**GROUP, "addressSpace": {"addressPrefixes": []}}, name="net"
    )
    subnet, _ = azure.check(
        SUBNET, {**GROUP, "virtualNetworkName": "net", "addressPrefix": "10.0.0.0/24"}, name="web"
    )

    made = net["virtualNetworkName"]
    assert made.startswith("net")
    assert len(made) == len("net") + 8
    assert "-" not in made
    assert net["__defaults"] == ["virtualNetworkName"]
    assert subnet["subnetName"] == "web"
    assert "__defaults" not in subnet


@pytest.mark.parametrize(
    ("token", "inputs", "name", "message"),
    [
        (ACCOUNT, {}, "My-data", "'My-data"),
        (ACCOUNT, {}, "muchtoolongforanaccount", "is longer than the 24 characters allowed"),
        (ACCOUNT, {"accountName": "ab"}, "x", "3-24 characters, lower-case letters and digits"),
        ("azure-native:storage:BlobServiceProperties", {}, "blobs", "always 'default'"),
        ("azure-native:storage:BlobContainer", {}, "Data_Sets", "lower-case letters"),
        (
            f"{NETWORK}:VirtualNetwork",
            {"virtualNetworkName": "-net"},
            "x",
            "first a letter or digit",
        ),
        (f"{NETWORK}:VirtualNetwork", {"virtualNetworkName": "n"}, "x", "2-64 characters"),
        (
            "azure-native:resources:ResourceGroup",
            {"resourceGroupName": "a."},
            "x",
            "no period at the end",
        ),
        (
            "azure-native:containerservice:AgentPool",
            {},
            "gpupool-h100",
            "lower-case letters and digits, a letter first",
        ),
    ],
)
def test_a_name_that_azure_does_not_take_is_refused(
    token: str, inputs: dict[str, Any], name: str, message: str, azure: Any
) -> None:
    required = {
        ACCOUNT: {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **GROUP},
        f"{NETWORK}:VirtualNetwork": {**GROUP},
        "azure-native:resources:ResourceGroup": {},
        "azure-native:containerservice:AgentPool": {**GROUP, "resourceName": "aks"},
    }.get(token, {**GROUP, "accountName": "townaccount"})

    _, failures = azure.check(token, {**required, **inputs}, name=name)

    [reason] = failures.values()
    assert message in reason


def test_ids_are_compared_without_case(azure: Any, make: Any, town: dict[str, str]) -> None:
    shouted = town["subnet"].upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")

    _, outputs = make(
        "network:NetworkInterface",
        **GROUP,
        ipConfigurations=[{"name": "main", "subnet": {"id": shouted}}],
    )
    read = azure.read(f"{NETWORK}:VirtualNetwork", town["vnet"].lower())

    assert outputs["ipConfigurations"][0]["privateIPAddress"].startswith("10.0.0.")
    assert read.id == town["vnet"]


def test_a_versioned_type_is_the_same_type(azure: Any, town: dict[str, str]) -> None:
    inputs, failures = azure.check(
        f"{NETWORK}/v20240501:NetworkSecurityGroup", {**GROUP, "securityRule": []}
    )

    assert failures == {
        "securityRule": "unknown property 'securityRule'; did you mean 'securityRules'? (sandbox)"
    }
    assert inputs["location"] == "eastus"
    read = azure.read(f"{NETWORK}/v20240501:VirtualNetwork", town["vnet"])
    assert read.id == town["vnet"]
