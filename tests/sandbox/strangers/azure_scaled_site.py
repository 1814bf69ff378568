"""A scale set behind a load balancer that scales itself, and a storage account for its data."""

import pulumi
from pulumi_azure_native import (
    authorization,
    compute,
    managedidentity,
    monitor,
    network,
    resources,
    storage,
)

config = pulumi.Config()
most = config.get("max") or "3"

who = authorization.get_client_config()
group = resources.ResourceGroup("site")
identity = managedidentity.UserAssignedIdentity("site-id", resource_group_name=group.name)

net = network.VirtualNetwork(
    "site-net",
    resource_group_name=group.name,
    address_space={"address_prefixes": ["10.20.0.0/16"]},
)
rules = network.NetworkSecurityGroup("site-rules", resource_group_name=group.name)
out = network.PublicIPAddress(
    "site-out",
    resource_group_name=group.name,
    public_ip_allocation_method="Static",
    sku={"name": "Standard"},
)
nat = network.NatGateway(
    "site-nat",
    resource_group_name=group.name,
    public_ip_addresses=[{"id": out.id}],
    sku={"name": "Standard"},
)
subnet = network.Subnet(
    "machines",
    resource_group_name=group.name,
    virtual_network_name=net.name,
    address_prefix="10.20.1.0/24",
    nat_gateway={"id": nat.id},
    network_security_group={"id": rules.id},
    default_outbound_access=False,
)

front = network.PublicIPAddress(
    "site-front",
    resource_group_name=group.name,
    public_ip_allocation_method="Static",
    sku={"name": "Standard"},
)
own = pulumi.Output.format(
    "/subscriptions/{0}/resourceGroups/{1}/providers/Microsoft.Network/loadBalancers/site-lb",
    who.subscription_id,
    group.name,
)
balancer = network.LoadBalancer(
    "site-lb",
    load_balancer_name="site-lb",
    resource_group_name=group.name,
    sku={"name": "Standard"},
    frontend_ip_configurations=[{"name": "front", "public_ip_address": {"id": front.id}}],
    backend_address_pools=[{"name": "machines"}],
    probes=[{"name": "alive", "protocol": "Http", "port": 8000, "request_path": "/health"}],
    load_balancing_rules=[
        {
            "name": "http",
            "protocol": "Tcp",
            "frontend_port": 80,
            "backend_port": 8000,
            "frontend_ip_configuration": {
                "id": own.apply(lambda i: f"{i}/frontendIPConfigurations/front")
            },
            "backend_address_pool": {
                "id": own.apply(lambda i: f"{i}/backendAddressPools/machines")
            },
            "probe": {"id": own.apply(lambda i: f"{i}/probes/alive")},
        }
    ],
)
machines = compute.VirtualMachineScaleSet(
    "site-set",
    resource_group_name=group.name,
    sku={"name": "Standard_NC4as_T4_v3", "tier": "Standard", "capacity": 2},
    overprovision=False,
    upgrade_policy={"mode": "Manual"},
    identity={"type": "UserAssigned", "user_assigned_identities": [identity.id]},
    virtual_machine_profile={
        "priority": "Spot",
        "eviction_policy": "Delete",
        "billing_profile": {"max_price": -1},
        "network_profile": {
            "network_interface_configurations": [
                {
                    "name": "nic",
                    "primary": True,
                    "ip_configurations": [
                        {
                            "name": "ip",
                            "subnet": {"id": subnet.id},
                            "load_balancer_backend_address_pools": [
                                {"id": balancer.backend_address_pools[0].id}
                            ],
                        }
                    ],
                }
            ]
        },
        "os_profile": {
            "computer_name_prefix": "site",
            "admin_username": "azureuser",
            "admin_password": pulumi.Output.secret("P@ssw0rd-0f-a-Str4nger"),
        },
        "storage_profile": {
            "image_reference": {
                "publisher": "Canonical",
                "offer": "0001-com-ubuntu-server-jammy",
                "sku": "22_04-lts-gen2",
                "version": "latest",
            },
            "os_disk": {"create_option": "FromImage", "caching": "ReadWrite"},
        },
    },
)
monitor.AutoscaleSetting(
    "site-scale",
    resource_group_name=group.name,
    enabled=True,
    target_resource_uri=machines.id,
    profiles=[
        {
            "name": "busy",
            "capacity": {"minimum": "1", "default": "2", "maximum": most},
            "rules": [
                {
                    "metric_trigger": {
                        "metric_name": "Percentage CPU",
                        "metric_resource_uri": machines.id,
                        "operator": "GreaterThan",
                        "statistic": "Average",
                        "threshold": 70,
                        "time_aggregation": "Average",
                        "time_grain": "PT1M",
                        "time_window": "PT5M",
                    },
                    "scale_action": {
                        "direction": "Increase",
                        "type": "ChangeCount",
                        "value": "1",
                        "cooldown": "PT5M",
                    },
                }
            ],
        }
    ],
)

data = storage.StorageAccount(
    "sitedata",
    resource_group_name=group.name,
    kind=storage.Kind.STORAGE_V2,
    sku={"name": storage.SkuName.STANDARD_LRS},
    minimum_tls_version="TLS1_2",
    allow_blob_public_access=False,
)
box = storage.BlobContainer("models", resource_group_name=group.name, account_name=data.name)
authorization.RoleAssignment(
    "site-reads",
    principal_id=identity.principal_id,
    principal_type="ServicePrincipal",
    role_definition_id=(
        f"/subscriptions/{who.subscription_id}/providers/Microsoft.Authorization/"
        "roleDefinitions/ba92f5b4-2d11-453d-a403-e96b0029c9fe"
    ),
    scope=box.id,
)
keys = storage.list_storage_account_keys_output(
    account_name=data.name, resource_group_name=group.name
)

pulumi.export("site", front.ip_address.apply(lambda ip: f"http://{ip}"))
pulumi.export("blobs", data.primary_endpoints.blob)
pulumi.export("key", pulumi.Output.secret(keys.keys[0].value))
pulumi.export("set", machines.id)
