"""InfiniBand machines in a loose scale set, with a password and an open door."""

import pulumi
from pulumi_azure_native import compute, network, resources, storage

group = resources.ResourceGroup("hpc", location="East US")
doors = network.NetworkSecurityGroup(
    "doors",
    resource_group_name=group.name,
    security_rules=[
        {
            "name": "ssh",
            "priority": 100,
            "direction": "Inbound",
            "access": "Allow",
            "protocol": "Tcp",
            "source_port_range": "*",
            "source_address_prefix": "*",
            "destination_address_prefix": "*",
            "destination_port_range": "22",
        }
    ],
)
net = network.VirtualNetwork(
    "hpc",
    resource_group_name=group.name,
    address_space={"address_prefixes": ["10.0.0.0/16"]},
    subnets=[{"name": "default", "address_prefix": "10.0.0.0/20"}],
)
compute.VirtualMachineScaleSet(
    "nd",
    resource_group_name=group.name,
    orchestration_mode="Uniform",
    single_placement_group=False,
    overprovision=True,
    sku={"name": "Standard_ND96isr_H100_v5", "capacity": 2},
    upgrade_policy={"mode": "Manual"},
    virtual_machine_profile={
        "os_profile": {
            "computer_name_prefix": "nd",
            "admin_username": "azureuser",
            "admin_password": "Sommer2026!Hamburg",
        },
        "storage_profile": {
            "image_reference": {
                "publisher": "Canonical",
                "offer": "ubuntu-24_04-lts",
                "sku": "server",
                "version": "latest",
            },
            "os_disk": {
                "create_option": "FromImage",
                "managed_disk": {"storage_account_type": "Premium_LRS"},
            },
        },
        "network_profile": {
            "network_interface_configurations": [
                {
                    "name": "nic",
                    "primary": True,
                    "network_security_group": {"id": doors.id},
                    "ip_configurations": [
                        {
                            "name": "ip",
                            "subnet": {"id": net.subnets.apply(lambda machines: machines[0].id)},
                            "public_ip_address_configuration": {"name": "public"},
                        }
                    ],
                }
            ]
        },
    },
)
storage.StorageAccount(
    "hpcdata",
    resource_group_name=group.name,
    kind="StorageV2",
    sku={"name": "Standard_LRS"},
    allow_blob_public_access=True,
    enable_https_traffic_only=False,
    minimum_tls_version="TLS1_0",
)
pulumi.export("group", group.name)
