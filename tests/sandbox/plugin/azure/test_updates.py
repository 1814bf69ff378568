"""Updates of Azure's resources over the wire: what is refused and what stays."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import GROUP, NETWORK

pytestmark = pytest.mark.usefixtures("town")


def updated(
    azure: Any, token: str, made: tuple[str, dict[str, Any]], old: dict[str, Any], **new: Any
) -> dict[str, Any]:
    """Update what was made under the name `kept`, as the engine does."""
    from pulumi.runtime.proto import provider_pb2 as proto

    from gpuinfra.sandbox.plugin.wire import from_wire, to_wire

    answer = azure.stub.Update(
        proto.UpdateRequest(
            id=made[0],
            urn=f"urn:pulumi:dev::town::{token}::kept",
            olds=to_wire(made[1]),
            old_inputs=to_wire(old),
            news=to_wire({**old, **new}),
        )
    )
    return from_wire(answer.properties)


def test_a_rejected_update_is_refused_over_the_wire(azure: Any, make: Any) -> None:
    import grpc

    token = f"{NETWORK}:NetworkSecurityGroup"
    inputs = {**GROUP, "networkSecurityGroupName": "stays", "location": "eastus"}
    made = make("network:NetworkSecurityGroup", name="kept", **inputs)

    planned = azure.diff(token, inputs, {**inputs, "location": "West US"})
    with pytest.raises(grpc.RpcError) as caught:
        updated(azure, token, made, inputs, location="West US")

    assert list(planned.replaces) == []
    assert list(planned.diffs) == ["location"]
    assert str(caught.value.details()).startswith(
        "InvalidResourceLocation: The resource 'stays' already exists in location 'eastus' in "
        "resource group 'town'. A resource with the same name cannot be created in location "
        "'West US'."
    )


def test_what_azure_made_up_stays_through_an_update(azure: Any, make: Any) -> None:
    token = "azure-native:managedidentity:UserAssignedIdentity"
    inputs = {**GROUP, "resourceName": "kept", "location": "eastus"}
    made = make("managedidentity:UserAssignedIdentity", name="kept", **inputs)

    outputs = updated(azure, token, made, inputs, tags={"a": "b"})

    assert outputs["tags"] == {"a": "b"}
    assert outputs["principalId"] == made[1]["principalId"]


def test_an_address_stays_through_an_update(azure: Any, make: Any, town: dict[str, str]) -> None:
    token = f"{NETWORK}:NetworkInterface"
    address = {"name": "main", "subnet": {"id": town["subnet"]}}
    inputs = {**GROUP, "networkInterfaceName": "kept", "ipConfigurations": [address]}
    made = make("network:NetworkInterface", name="kept", **inputs)

    outputs = updated(
        azure, token, made, inputs, ipConfigurations=[address, {**address, "name": "more"}]
    )

    before = made[1]["ipConfigurations"][0]["privateIPAddress"]
    addresses = [item["privateIPAddress"] for item in outputs["ipConfigurations"]]
    assert addresses[0] == before
    assert addresses[1] not in ("", before)
