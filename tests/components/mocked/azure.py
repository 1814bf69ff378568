"""Azure, without an engine."""

from typing import Any

from pulumi.runtime import mocks

from tests.components.mocked import Mocked

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
TENANT = "00000000-0000-0000-0000-000000000002"
ADDRESS = "10.0.0.4"

PATHS = {
    "azure-native:resources:ResourceGroup": ("", "resourceGroupName"),
    "azure-native:compute:VirtualMachineScaleSet": (
        "/providers/Microsoft.Compute/virtualMachineScaleSets/",
        "vmScaleSetName",
    ),
    "azure-native:network:VirtualNetwork": (
        "/providers/Microsoft.Network/virtualNetworks/",
        "virtualNetworkName",
    ),
    "azure-native:network:Subnet": (
        "/providers/Microsoft.Network/virtualNetworks/{virtualNetworkName}/subnets/",
        "subnetName",
    ),
    "azure-native:network:NetworkSecurityGroup": (
        "/providers/Microsoft.Network/networkSecurityGroups/",
        "networkSecurityGroupName",
    ),
    "azure-native:network:NatGateway": (
        "/providers/Microsoft.Network/natGateways/",
        "natGatewayName",
    ),
    "azure-native:network:PublicIPAddress": (
        "/providers/Microsoft.Network/publicIPAddresses/",
        "publicIpAddressName",
    ),
    "azure-native:network:LoadBalancer": (
        "/providers/Microsoft.Network/loadBalancers/",
        "loadBalancerName",
    ),
    "azure-native:managedidentity:UserAssignedIdentity": (
        "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/",
        "resourceName",
    ),
    "azure-native:monitor:AutoscaleSetting": (
        "/providers/Microsoft.Insights/autoscalesettings/",
        "autoscaleSettingName",
    ),
    "azure-native:storage:StorageAccount": (
        "/providers/Microsoft.Storage/storageAccounts/",
        "accountName",
    ),
    "azure-native:storage:BlobContainer": (
        "/providers/Microsoft.Storage/storageAccounts/{accountName}/blobServices/default/containers/",
        "containerName",
    ),
    "azure-native:storage:BlobServiceProperties": (
        "/providers/Microsoft.Storage/storageAccounts/{accountName}/blobServices/",
        "blobServicesName",
    ),
    "azure-native:storage:ManagementPolicy": (
        "/providers/Microsoft.Storage/storageAccounts/{accountName}/managementPolicies/",
        "managementPolicyName",
    ),
}
"""Where each type stands in its resource group, and which input names it."""


def computed(args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
    for front in args.inputs.get("frontendIPConfigurations", ()):
        front.setdefault("privateIPAddress", ADDRESS)  # taken from the subnet, where none is said
    if "identity" in args.inputs:  # a list goes in, a mapping of what each is comes out
        known = args.inputs["identity"]["userAssignedIdentities"]
        args.inputs["identity"]["userAssignedIdentities"] = {name: {} for name in known}
    if "scope" in args.inputs:
        return f"{args.inputs['scope']}/providers/{args.name}-id", {"name": f"{args.name}-id"}
    path, named = PATHS[args.typ]
    name = args.inputs.get(named, f"{args.name}0a1b2c3d")
    group = args.inputs["resourceGroupName"] if path else name
    within = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{group}"
    id_ = f"{within}{path.format(**args.inputs)}{name}" if path else within
    principal = {"clientId": f"{name}-client", "principalId": f"{name}-principal"}
    more = principal if args.typ.endswith(":UserAssignedIdentity") else {}
    return id_, {"name": name, **more}


PROVIDER = Mocked(
    package="azure-native",
    sdk="pulumi_azure_native",
    parts=(
        "authorization",
        "compute",
        "consumption",
        "managedidentity",
        "monitor",
        "network",
        "resources",
        "storage",
    ),
    answers={
        "azure-native:authorization:getClientConfig": {
            "clientId": "client",
            "objectId": "object",
            "subscriptionId": SUBSCRIPTION,
            "tenantId": TENANT,
        },
    },
    computed=computed,
)
