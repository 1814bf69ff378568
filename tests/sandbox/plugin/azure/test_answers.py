"""What Azure's plugin fills in and answers: locations, settings, previews, identities."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import GROUP, NETWORK, SET, scale_set

pytestmark = pytest.mark.usefixtures("town")


def test_a_location_comes_from_the_group_where_no_config_gives_one(
    azure: Any, make: Any, start_plugin: Any, shared_home: Any
) -> None:
    make("resources:ResourceGroup", resourceGroupName="west", location="West Europe")
    bare = start_plugin(
        package="azure-native", subscriptionId="00000000-1111-4222-8333-444444444444"
    )
    identity = "azure-native:managedidentity:UserAssignedIdentity"

    inputs, failures = bare.check(identity, {"resourceGroupName": "west"})
    none, _ = bare.check(identity, {"resourceGroupName": "absent"})
    kept, _ = bare.check(
        identity, {"resourceGroupName": "absent"}, old={"location": "eastus", "__defaults": []}
    )

    assert failures == {}
    assert inputs["location"] == "West Europe"
    assert "location" not in none
    assert kept["location"] == "eastus"


def test_the_providers_own_settings_are_judged(azure: Any) -> None:
    from pulumi.runtime.proto import provider_pb2 as proto

    from gpuinfra.sandbox.plugin.wire import to_wire

    answer = azure.stub.CheckConfig(
        proto.CheckRequest(news=to_wire({"subscriptionID": "x", "useMsi": True}))
    )

    [failure] = answer.failures
    assert failure.property == "subscriptionID"


def test_a_preview_knows_that_ids_of_parts_are_not_known(azure: Any, town: dict[str, str]) -> None:
    from gpuinfra.sandbox.plugin.wire import Unknown

    _, nic = azure.create(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": {"id": town["subnet"]}}]},
        preview=True,
    )
    _, address = azure.create(f"{NETWORK}:PublicIPAddress", {**GROUP}, preview=True)
    users = {"type": "UserAssigned", "userAssignedIdentities": [town["identity"]]}
    _, machines = azure.create(SET, scale_set(identity=users), preview=True)

    assert isinstance(nic["ipConfigurations"][0]["id"], Unknown)
    assert isinstance(nic["ipConfigurations"][0]["privateIPAddress"], Unknown)
    assert isinstance(address["ipAddress"], Unknown)
    assert isinstance(machines["identity"]["userAssignedIdentities"], Unknown)
    assert address["resourceGroupName"] == "town"


def test_identities_are_answered_as_azure_does(make: Any, town: dict[str, str]) -> None:
    identity = {
        "type": "SystemAssigned, UserAssigned",
        "userAssignedIdentities": [town["identity"]],
    }

    _, outputs = make("compute:VirtualMachineScaleSet", **scale_set(identity=identity))

    assert outputs["identity"]["principalId"]
    assert outputs["identity"]["tenantId"]
    assert outputs["identity"]["userAssignedIdentities"][town["identity"]].keys() == {
        "clientId",
        "principalId",
    }
