"""How one type of Azure is tried: inputs that stand, and each kind of mistake."""

from dataclasses import dataclass
from typing import Any

SUBSCRIPTION = "00000000-1111-4222-8333-444444444444"
BASE = f"/subscriptions/{SUBSCRIPTION}"
TOWN = f"{BASE}/resourceGroups/town/providers"
ABSENT = f"{TOWN}/Microsoft.Network/networkSecurityGroups/absent"
NO_SUBNET = f"{TOWN}/Microsoft.Network/virtualNetworks/net/subnets/absent"
ROLE = f"{BASE}/providers/Microsoft.Authorization/roleDefinitions/{SUBSCRIPTION}"
KEY = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}
LOGIN = {"adminUsername": "azureuser", "linuxConfiguration": {"ssh": {"publicKeys": [KEY]}}}
IMAGE = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "1.0.0"}
GROUP = {"resourceGroupName": "town"}
PERIOD = {"startDate": "2026-11-01T00:00:00Z"}
ACTION = [
    {
        "name": "tidy",
        "type": "Lifecycle",
        "enabled": True,
        "definition": {
            "actions": {"version": {"delete": {"daysAfterCreationGreaterThan": 30}}},
            "filters": {"blobTypes": ["blockBlob"]},
        },
    }
]


@dataclass(frozen=True)
class Case:
    """One type: inputs that stand, and how each kind of mistake is made.

    Attributes:
        inputs: values in braces are ids of the town.
        required: an input to leave out.
        mistyped: an input and a value of the wrong type.
        broken: an input and a reference to nothing.
        code: the refusal's code for the broken reference.
    """

    token: str
    inputs: dict[str, Any]
    required: str
    mistyped: tuple[str, Any]
    broken: tuple[str, Any] = ("resourceGroupName", "absent")
    code: str = "ResourceGroupNotFound"
