"""The cases of Azure's machines: what computes, and what Kubernetes runs on."""

from tests.sandbox.plugin.azure.cases import GROUP, IMAGE, LOGIN, NO_SUBNET, TOWN, Case

MACHINES = (
    Case(
        "compute:CapacityReservation",
        {
            **GROUP,
            "capacityReservationGroupName": "crg",
            "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
        },
        "sku",
        ("sku", {"name": "Standard_ND96isr_H100_v5", "capacity": "2"}),
        ("capacityReservationGroupName", "absent"),
        "ParentResourceNotFound",
    ),
    Case("compute:CapacityReservationGroup", {**GROUP}, "resourceGroupName", ("zones", "1")),
    Case(
        "compute:Disk",
        {**GROUP, "creationData": {"createOption": "Empty"}, "diskSizeGB": 128},
        "creationData",
        ("diskSizeGB", "128"),
    ),
    Case(
        "compute:ProximityPlacementGroup",
        {**GROUP},
        "resourceGroupName",
        ("intent", {"vmSizes": "Standard_NC4as_T4_v3"}),
    ),
    Case(
        "compute:VirtualMachine",
        {
            **GROUP,
            "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
            "networkProfile": {"networkInterfaces": [{"id": "{nic}"}]},
            "osProfile": {"computerName": "vm", **LOGIN},
            "storageProfile": {
                "imageReference": IMAGE,
                "osDisk": {"createOption": "FromImage"},
            },
        },
        "resourceGroupName",
        ("networkProfile", {"networkInterfaces": "{nic}"}),
        (
            "networkProfile",
            {"networkInterfaces": [{"id": f"{TOWN}/Microsoft.Network/networkInterfaces/x"}]},
        ),
        "InvalidResourceReference",
    ),
    Case(
        "compute:VirtualMachineScaleSet",
        {
            **GROUP,
            "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
            "singlePlacementGroup": True,
            "identity": {"type": "UserAssigned", "userAssignedIdentities": ["{identity}"]},
            "virtualMachineProfile": {
                "osProfile": {"computerNamePrefix": "node", **LOGIN},
                "networkProfile": {
                    "networkInterfaceConfigurations": [
                        {
                            "name": "nic",
                            "ipConfigurations": [{"name": "ip", "subnet": {"id": "{subnet}"}}],
                        }
                    ]
                },
            },
        },
        "resourceGroupName",
        ("overprovision", "no"),
        (
            "identity",
            {
                "type": "UserAssigned",
                "userAssignedIdentities": [
                    f"{TOWN}/Microsoft.ManagedIdentity/userAssignedIdentities/absent"
                ],
            },
        ),
        "FailedIdentityOperation",
    ),
    Case(
        "compute:VirtualMachineScaleSetExtension",
        {
            **GROUP,
            "vmScaleSetName": "pool",
            "publisher": "Microsoft.ManagedServices",
            "type": "ApplicationHealthLinux",
            "typeHandlerVersion": "1.0",
            "settings": {"protocol": "http", "port": 8000},
        },
        "vmScaleSetName",
        ("suppressFailures", "true"),
        ("vmScaleSetName", "absent"),
        "ParentResourceNotFound",
    ),
    Case(
        "containerservice:AgentPool",
        {**GROUP, "resourceName": "aks", "agentPoolName": "gpu", "vmSize": "Standard_NC4as_T4_v3"},
        "resourceName",
        ("count", "two"),
        ("vnetSubnetID", NO_SUBNET),
        "ResourceNotFound",
    ),
    Case(
        "containerservice:ManagedCluster",
        {**GROUP, "dnsPrefix": "town"},
        "resourceGroupName",
        ("enableRBAC", "yes"),
    ),
)
