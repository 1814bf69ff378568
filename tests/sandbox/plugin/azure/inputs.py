"""Types and inputs that tests of Azure's plugin share: a machine and a scale set."""

from typing import Any

NETWORK = "azure-native:network"
COMPUTE = "azure-native:compute"
SUBNET = f"{NETWORK}:Subnet"
SET = f"{COMPUTE}:VirtualMachineScaleSet"
MACHINE = f"{COMPUTE}:VirtualMachine"
ACCOUNT = "azure-native:storage:StorageAccount"
GROUP = {"resourceGroupName": "town"}
ROLE = "providers/Microsoft.Authorization/roleDefinitions/ba92f5b4-2d11-453d-a403-e96b0029c9fe"
KEY = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}


def login(**linux: Any) -> dict[str, Any]:
    return {"adminUsername": "azureuser", "linuxConfiguration": linux}


def scale_set(profile: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    machine = {
        "osProfile": {
            "computerNamePrefix": "node",
            **login(disablePasswordAuthentication=True, ssh={"publicKeys": [KEY]}),
        },
        **(profile or {}),
    }
    return {
        **GROUP,
        "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
        "virtualMachineProfile": machine,
        **more,
    }


def machine(**more: Any) -> dict[str, Any]:
    return {
        **GROUP,
        "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
        "networkProfile": {"networkInterfaces": []},
        "storageProfile": {"osDisk": {"createOption": "FromImage"}},
        **more,
    }
