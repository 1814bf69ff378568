"""A stranger's program on Azure without the engine: ids, names and resource groups as Azure's."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gpuinfra.clouds.azure.observe.resource_types import NAMES, PARENTS, canonical
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.program import Handle, Moment, Program, Ref

SUBSCRIPTION = "/subscriptions/11111111-2222-3333-4444-555555555555"
GROUP = f"{SUBSCRIPTION}/resourceGroups/rg"

TYPES = {
    "azure-native:compute:VirtualMachine": "Microsoft.Compute/virtualMachines",
    "azure-native:compute:VirtualMachineScaleSet": "Microsoft.Compute/virtualMachineScaleSets",
    "azure-native:network:NetworkSecurityGroup": "Microsoft.Network/networkSecurityGroups",
    "azure-native:network:NetworkInterface": "Microsoft.Network/networkInterfaces",
    "azure-native:network:PublicIPAddress": "Microsoft.Network/publicIPAddresses",
    "azure-native:network:VirtualNetwork": "Microsoft.Network/virtualNetworks",
    "azure-native:storage:StorageAccount": "Microsoft.Storage/storageAccounts",
    "azure-native:managedidentity:UserAssignedIdentity": (
        "Microsoft.ManagedIdentity/userAssignedIdentities"
    ),
    "azure-native:compute:CapacityReservationGroup": "Microsoft.Compute/capacityReservationGroups",
    "azure-native:containerservice:ManagedCluster": "Microsoft.ContainerService/managedClusters",
}


@dataclass(frozen=True)
class AzureHandle(Handle):
    """A registered resource; `holders` tell the names of what it is a part of."""

    holders: Mapping[str, str] = field(default_factory=dict)

    @property
    def physical(self) -> str:
        """Its name in Azure: the program's own choice, else made of the logical one."""
        chosen = self.inputs.get(NAMES.get(canonical(self.type), ""))
        return chosen if isinstance(chosen, str) else f"{self.name}1a2b3c4d"

    @property
    def outputs(self) -> dict[str, Any]:
        kind, name = canonical(self.type), self.physical
        above = f"{SUBSCRIPTION}/resourceGroups/{self.holders.get('resourceGroupName', 'rg')}"
        made = {
            "azure-native:resources:ResourceGroup": f"{SUBSCRIPTION}/resourceGroups/{name}",
            "azure-native:network:Subnet": (
                f"{above}/providers/Microsoft.Network/virtualNetworks"
                f"/{self.holders.get('virtualNetworkName')}/subnets/{name}"
            ),
            "azure-native:storage:BlobContainer": (
                f"{above}/providers/Microsoft.Storage/storageAccounts"
                f"/{self.holders.get('accountName')}/blobServices/default/containers/{name}"
            ),
        }
        path = TYPES.get(kind, f"Microsoft.Any/{kind.rpartition(':')[2]}")
        outputs = {"id": made.get(kind, f"{above}/providers/{path}/{name}"), "name": name}
        if kind.endswith("UserAssignedIdentity"):
            outputs["principalId"] = f"00000000-0000-0000-0000-{len(name):012}"
        if self.inputs.get("identity") == {"type": "SystemAssigned"}:
            return {**outputs, "identity": {"principalId": f"99999999-0000-{len(name):012}"}}
        return outputs


class AzureProgram(Program):
    """What a program registers, in order, in one resource group unless it says another."""

    def __init__(self, location: str = "East US") -> None:
        super().__init__(region=None)
        self.group = self.add("azure-native:resources:ResourceGroup", "rg", location=location)

    def add(self, token: str, name: str, /, **inputs: Any) -> Handle:
        if ":ResourceGroup" not in token and "RoleAssignment" not in token:
            inputs.setdefault("resourceGroupName", self.group.out("name"))
        handle = super().add(token, name, **inputs)
        return self._kept(handle.urn, token, name, inputs)

    def change(self, handle: Handle, **inputs: Any) -> None:
        super().change(handle, **inputs)
        now = self.handles[handle.urn]
        self._kept(now.urn, now.type, now.name, now.inputs)

    def _kept(self, urn: str, token: str, name: str, inputs: Mapping[str, Any]) -> Handle:
        holders = {
            key: self._name(inputs.get(key))
            for key in ("resourceGroupName", *PARENTS.values())
            if inputs.get(key) is not None
        }
        self.handles[urn] = AzureHandle(urn, token, name, inputs, holders)
        return self.handles[urn]

    def _name(self, value: Any) -> str:
        return str(self.handles[value.urn].outputs["name"] if isinstance(value, Ref) else value)

    def _value(self, value: Any, created: bool) -> Any:
        if not (isinstance(value, Ref) and created):
            return super()._value(value, created)
        values: Any = self.handles[value.urn].outputs
        for key in value.key.split("."):
            values = values.get(key, f"{values.get('id')}/{key}")
        return values

    def _seen(self, handle: Handle, moment: Moment) -> Resource:
        seen = super()._seen(handle, moment)
        created = moment == "created" and ":" in handle.type
        return replace(seen, outputs=handle.outputs if created else {"id": UNKNOWN})
