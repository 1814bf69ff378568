"""A GPU machine with an address of its own, as tutorials write it."""

import pulumi
from pulumi_azure_native import compute, network, resources

config = pulumi.Config()
size = config.get("vmSize") or "Standard_NC4as_T4_v3"
key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000000 me"

group = resources.ResourceGroup("gpu", location="East US")
net = network.VirtualNetwork(
    "gpu-net",
    resource_group_name=group.name,
    address_space={"address_prefixes": ["10.0.0.0/16"]},
    subnets=[{"name": "default", "address_prefix": "10.0.1.0/24"}],
)
rules = network.NetworkSecurityGroup(
    "gpu-rules",
    resource_group_name=group.name,
    security_rules=[
        {
            "name": "ssh",
            "priority": 1000,
            "direction": network.AccessRuleDirection.INBOUND,
            "access": "Allow",
            "protocol": "Tcp",
            "source_port_range": "*",
            "source_address_prefix": "203.0.113.0/24",
            "destination_address_prefix": "*",
            "destination_port_ranges": ["22"],
        }
    ],
)
address = network.PublicIPAddress(
    "gpu-ip",
    resource_group_name=group.name,
    public_ip_allocation_method=network.IPAllocationMethod.STATIC,
    sku={"name": "Standard"},
    dns_settings={"domain_name_label": "gpu-town"},
)
card = network.NetworkInterface(
    "gpu-nic",
    resource_group_name=group.name,
    network_security_group={"id": rules.id},
    ip_configurations=[
        {
            "name": "public",
            "private_ip_allocation_method": "Dynamic",
            "subnet": {"id": net.subnets.apply(lambda resources: resources[0].id)},
            "public_ip_address": {"id": address.id},
        }
    ],
)
machine = compute.VirtualMachine(
    "gpu-vm",
    resource_group_name=group.name,
    hardware_profile={"vm_size": size},
    identity={"type": compute.ResourceIdentityType.SYSTEM_ASSIGNED},
    network_profile={"network_interfaces": [{"id": card.id, "primary": True}]},
    os_profile={
        "computer_name": "gpu",
        "admin_username": "azureuser",
        "linux_configuration": {
            "disable_password_authentication": True,
            "ssh": {
                "public_keys": [{"key_data": key, "path": "/home/azureuser/.ssh/authorized_keys"}]
            },
        },
    },
    storage_profile={
        "image_reference": {
            "publisher": "microsoft-dsvm",
            "offer": "ubuntu-hpc",
            "sku": "2204",
            "version": "latest",
        },
        "os_disk": {
            "name": "gpu-os",
            "create_option": compute.DiskCreateOptionTypes.FROM_IMAGE,
            "managed_disk": {"storage_account_type": "Premium_LRS"},
        },
    },
    tags={"team": "research"},
)

pulumi.export("vm", machine.id)
pulumi.export("principal", machine.identity.principal_id)
pulumi.export("private", card.ip_configurations[0].private_ip_address)
pulumi.export(
    "ip",
    machine.id.apply(
        lambda _: (
            network.get_public_ip_address_output(
                resource_group_name=group.name, public_ip_address_name=address.name
            ).ip_address
        )
    ),
)
pulumi.export("host", address.dns_settings.fqdn)
