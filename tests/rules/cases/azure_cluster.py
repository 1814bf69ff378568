"""An InfiniBand cluster as strangers write one: raw resources, none of our tags."""

from dataclasses import dataclass
from typing import Any

from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.program import Handle, Ref

BLOB_WRITER = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
HPC_IMAGE = {
    "publisher": "microsoft-dsvm",
    "offer": "ubuntu-hpc",
    "sku": "2204",
    "version": "22.04.2026082801",
}

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000000 me"
LOGIN = {
    "disablePasswordAuthentication": True,
    "ssh": {"publicKeys": [{"path": "/home/hpc/.ssh/authorized_keys", "keyData": KEY}]},
}


def role(guid: str) -> str:
    return f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{guid}"


@dataclass
class Cluster:
    """A program and the resources that tests change."""

    program: AzureProgram
    firewall: Handle
    subnet: Handle
    identity: Handle
    grant: Handle
    account: Handle
    scaling: Handle

    def profile(self, **changes: Any) -> None:
        """Change parts of the scale set's model of a machine; None takes one away."""
        now = {**self.program.handles[self.scaling.urn].inputs["virtualMachineProfile"], **changes}
        kept = {key: value for key, value in now.items() if value is not None}
        self.program.change(self.scaling, virtualMachineProfile=kept)


def interface(subnet: Ref, firewall: Ref | None = None, **address: Any) -> dict[str, Any]:
    """One Ethernet interface with a private address."""
    nic: dict[str, Any] = {
        "name": "nic",
        "primary": True,
        "enableAcceleratedNetworking": True,
        "ipConfigurations": [{"name": "ip", "subnet": {"id": subnet}, **address}],
    }
    return nic if firewall is None else {**nic, "networkSecurityGroup": {"id": firewall}}


def network(*interfaces: dict[str, Any]) -> dict[str, Any]:
    return {"networkInterfaceConfigurations": list(interfaces)}


def cluster(machine: str = "Standard_ND96isr_H100_v5", nodes: int = 4) -> Cluster:
    """A complete InfiniBand cluster in a network of its own."""
    program = AzureProgram()
    add = program.add
    vnet = add(
        "azure-native:network:VirtualNetwork",
        "net",
        addressSpace={"addressPrefixes": ["10.0.0.0/16"]},
    )
    firewall = add("azure-native:network:NetworkSecurityGroup", "closed", securityRules=[])
    subnet = add(
        "azure-native:network:Subnet",
        "inner",
        virtualNetworkName=vnet.out("name"),
        addressPrefix="10.0.0.0/20",
        defaultOutboundAccess=False,
        networkSecurityGroup={"id": firewall.id},
    )
    identity = add("azure-native:managedidentity:UserAssignedIdentity", "node")
    account = add(
        "azure-native:storage:StorageAccount",
        "tokens",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allowSharedKeyAccess=False,
    )
    grant = add(
        "azure-native:authorization:RoleAssignment",
        "blobs",
        principalId=identity.out("principalId"),
        principalType="ServicePrincipal",
        roleDefinitionId=role(BLOB_WRITER),
        scope=account.id,
    )
    scaling = add(
        "azure-native:compute:VirtualMachineScaleSet",
        "workers",
        orchestrationMode="Uniform",
        singlePlacementGroup=True,
        overprovision=False,
        platformFaultDomainCount=1,
        zones=["1"],
        sku={"name": machine, "tier": "Standard", "capacity": nodes},
        identity={"type": "UserAssigned", "userAssignedIdentities": [identity.id]},
        upgradePolicy={"mode": "Manual"},
        virtualMachineProfile={
            "priority": "Regular",
            "osProfile": {
                "adminUsername": "hpc",
                "computerNamePrefix": "node",
                "customData": "IyEvYmluL3NoCg==",
                "linuxConfiguration": LOGIN,
            },
            "storageProfile": {
                "imageReference": HPC_IMAGE,
                "osDisk": {
                    "createOption": "FromImage",
                    "diskSizeGB": 128,
                    "managedDisk": {"storageAccountType": "Premium_LRS"},
                },
            },
            "networkProfile": network(interface(subnet.id)),
        },
    )
    return Cluster(program, firewall, subnet, identity, grant, account, scaling)
