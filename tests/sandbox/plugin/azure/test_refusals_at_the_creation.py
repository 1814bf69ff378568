"""What Azure refuses to create beside what stands, over the wire: names, grants, faults."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import ACCOUNT, GROUP, NETWORK, ROLE, SET, scale_set

pytestmark = pytest.mark.usefixtures("town")


def test_an_account_name_is_taken_in_all_of_azure(azure: Any, make: Any) -> None:
    make("resources:ResourceGroup", resourceGroupName="elsewhere")
    account = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "accountName": "townaccount"}

    message = azure.refusal(ACCOUNT, {**account, "resourceGroupName": "elsewhere"})

    assert message.startswith(
        "StorageAccountAlreadyTaken: The storage account named townaccount is already taken."
    )


def test_what_stands_is_not_created_again_however_it_is_spelled(azure: Any) -> None:
    message = azure.refusal(
        f"{NETWORK}:VirtualNetwork",
        {
            "resourceGroupName": "TOWN",
            "virtualNetworkName": "NET",
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
        },
    )

    assert "cannot create already existing resource" in message


def test_a_role_is_granted_once(azure: Any, make: Any, town: dict[str, str]) -> None:
    subscription = town["vnet"].split("/resourceGroups/")[0]
    grant = {
        "scope": town["account"],
        "principalId": "00000000-1111-4222-8333-777777777777",
        "roleDefinitionId": f"{subscription}/{ROLE}",
    }
    make("authorization:RoleAssignment", **grant)

    message = azure.refusal("azure-native:authorization:RoleAssignment", grant)

    assert message.startswith("RoleAssignmentExists: The role assignment already exists.")


def test_a_public_container_needs_an_account_that_allows_it(azure: Any) -> None:
    message = azure.refusal(
        "azure-native:storage:BlobContainer",
        {**GROUP, "accountName": "townaccount", "publicAccess": "Blob"},
    )

    assert message.startswith("PublicAccessNotPermitted: ")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("no-capacity", "ZonalAllocationFailed"),
        ("quota", "OperationNotAllowed"),
    ],
)
def test_a_fault_strikes_machines_in_azures_words_until_it_is_spent(
    kind: Any, code: str, azure: Any, shared_home: Any
) -> None:
    from gpuinfra.sandbox import faults

    machine_type = "Standard_ND96isr_H100_v5"
    faults.add(
        faults.InjectedFault(kind=kind, instance_type=machine_type, zone="eastus-1", times=1)
    )

    message = azure.refusal(SET, scale_set(zones=["1"]))
    made = azure.create(SET, scale_set(zones=["1"]), name=f"after-{kind}")
    azure.delete(SET, *made)

    assert message.startswith(f"{code}: ")
