"""Small stacks on Azure as strangers write them: pools, spot, single machines, buckets."""

from typing import Any

from tests.rules.cases.azure_cluster import HPC_IMAGE, interface, network, role
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.program import Handle

OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
KEY = "A" * 86 + "=="
DISK = {"createOption": "FromImage", "diskSizeGB": 64}


def open_rule(port: str = "22", source: str = "*", **more: Any) -> dict[str, Any]:
    return {
        "name": f"login-{port}",
        "access": "Allow",
        "direction": "Inbound",
        "protocol": "Tcp",
        "priority": 100,
        "sourceAddressPrefix": source,
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": port,
        **more,
    }


def open_machine() -> AzureProgram:
    """A single GPU machine with everything that a tutorial leaves open."""
    program = AzureProgram()
    add = program.add
    vnet = add(
        "azure-native:network:VirtualNetwork",
        "net",
        subnets=[{"name": "default", "addressPrefix": "10.0.0.0/24"}],
    )
    firewall = add("azure-native:network:NetworkSecurityGroup", "ssh", securityRules=[open_rule()])
    address = add(
        "azure-native:network:PublicIPAddress",
        "ip",
        sku={"name": "Standard"},
        publicIPAllocationMethod="Static",
    )
    nic = add(
        "azure-native:network:NetworkInterface",
        "nic",
        networkSecurityGroup={"id": firewall.id},
        ipConfigurations=[
            {
                "name": "ip",
                "subnet": {"id": vnet.out("subnets/default")},
                "publicIPAddress": {"id": address.id},
            }
        ],
    )
    machine = add(
        "azure-native:compute:VirtualMachine",
        "notebook",
        hardwareProfile={"vmSize": "Standard_NC24ads_A100_v4"},
        identity={"type": "SystemAssigned"},
        networkProfile={"networkInterfaces": [{"id": nic.id}]},
        osProfile={
            "adminUsername": "me",
            "adminPassword": "Passw0rd!",
            "customData": f"#!/bin/sh\nexport AZURE_STORAGE_KEY={KEY}\n",
        },
        storageProfile={"imageReference": HPC_IMAGE, "osDisk": DISK},
    )
    add(
        "azure-native:authorization:RoleAssignment",
        "god",
        principalId=machine.out("identity.principalId"),
        principalType="ServicePrincipal",
        roleDefinitionId=role(OWNER),
        scope=SUBSCRIPTION,
    )
    return program


def scale_set(program: AzureProgram, name: str = "servers", **changes: Any) -> Handle:
    """A flexible scale set; `profile` among the changes are parts of its model of a machine."""
    subnet = program.add("azure-native:network:Subnet", f"{name}-in", virtualNetworkName="net")
    profile = {
        "storageProfile": {"imageReference": HPC_IMAGE, "osDisk": DISK},
        "networkProfile": network(interface(subnet.id)),
        **changes.pop("profile", {}),
    }
    inputs: dict[str, Any] = {
        "orchestrationMode": "Flexible",
        "platformFaultDomainCount": 1,
        "sku": {"name": "Standard_NC4as_T4_v3", "capacity": 2},
        "virtualMachineProfile": profile,
        **changes,
    }
    kept = {key: value for key, value in inputs.items() if value is not None}
    return program.add("azure-native:compute:VirtualMachineScaleSet", name, **kept)


def pool(
    minimum: Any = "1", maximum: Any = "10", **changes: Any
) -> tuple[AzureProgram, Handle, Handle]:
    """A serving pool that scales, behind a load balancer."""
    program = AzureProgram("westeurope")
    balancer = program.add(
        "azure-native:network:LoadBalancer",
        "front",
        sku={"name": "Standard"},
        loadBalancingRules=[{"name": "http", "frontendPort": 80}],
    )
    subnet = program.add("azure-native:network:Subnet", "in", virtualNetworkName="net")
    served = interface(
        subnet.id,
        loadBalancerBackendAddressPools=[{"id": balancer.out("pool")}],
    )
    changes.setdefault("profile", {})["networkProfile"] = network(served)
    servers = scale_set(program, **changes)
    setting = program.add(
        "azure-native:monitor:AutoscaleSetting",
        "scale",
        enabled=True,
        targetResourceUri=servers.id,
        profiles=[
            {
                "name": "load",
                "capacity": {"minimum": minimum, "maximum": maximum, "default": minimum},
                "rules": [],
            }
        ],
    )
    return program, servers, setting


def good_bucket() -> tuple[AzureProgram, Handle, dict[str, Handle]]:
    """A container, its account and all its companions, by the name that a test changes them by."""
    program = AzureProgram()
    account = program.add(
        "azure-native:storage:StorageAccount",
        "tokens",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allowBlobPublicAccess=False,
        allowSharedKeyAccess=False,
        enableHttpsTrafficOnly=True,
        minimumTlsVersion="TLS1_2",
    )
    part = {"accountName": account.out("name")}
    rule = {
        "name": "old",
        "type": "Lifecycle",
        "definition": {
            "actions": {"version": {"delete": {"daysAfterCreationGreaterThan": 30}}},
            "filters": {"blobTypes": ["blockBlob"]},
        },
    }
    container = program.add("azure-native:storage:BlobContainer", "data", **part)
    service = program.add(
        "azure-native:storage:BlobServiceProperties", "versions", isVersioningEnabled=True, **part
    )
    lifecycle = program.add(
        "azure-native:storage:ManagementPolicy", "old", policy={"rules": [rule]}, **part
    )
    return program, container, {"account": account, "service": service, "lifecycle": lifecycle}
