"""The cases of Azure's networks and private names."""

from tests.sandbox.plugin.azure.cases import ABSENT, GROUP, NO_SUBNET, TOWN, Case

NETWORKS = (
    Case(
        "network:LoadBalancer",
        {
            **GROUP,
            "sku": {"name": "Standard"},
            "frontendIPConfigurations": [{"name": "front", "subnet": {"id": "{subnet}"}}],
            "backendAddressPools": [{"name": "machines"}],
        },
        "resourceGroupName",
        ("backendAddressPools", {"name": "machines"}),
        ("frontendIPConfigurations", [{"name": "front", "subnet": {"id": NO_SUBNET}}]),
        "InvalidResourceReference",
    ),
    Case(
        "network:NatGateway",
        {**GROUP, "sku": {"name": "Standard"}, "publicIpAddresses": [{"id": "{address}"}]},
        "resourceGroupName",
        ("idleTimeoutInMinutes", "4"),
        ("publicIpAddresses", [{"id": f"{TOWN}/Microsoft.Network/publicIPAddresses/absent"}]),
        "InvalidResourceReference",
    ),
    Case(
        "network:NetworkInterface",
        {
            **GROUP,
            "ipConfigurations": [{"name": "main", "subnet": {"id": "{subnet}"}}],
            "networkSecurityGroup": {"id": "{nsg}"},
        },
        "resourceGroupName",
        ("enableIPForwarding", "on"),
        ("networkSecurityGroup", {"id": ABSENT}),
        "InvalidResourceReference",
    ),
    Case(
        "network:NetworkSecurityGroup",
        {**GROUP, "securityRules": []},
        "resourceGroupName",
        ("securityRules", [{"name": "ssh", "priority": "100"}]),
    ),
    Case(
        "network:PrivateDnsZoneGroup",
        {
            **GROUP,
            "privateEndpointName": "pe",
            "privateDnsZoneConfigs": [{"name": "blob", "privateDnsZoneId": "{zone}"}],
        },
        "privateEndpointName",
        ("privateDnsZoneConfigs", "{zone}"),
        ("privateEndpointName", "absent"),
        "ParentResourceNotFound",
    ),
    Case(
        "network:PrivateEndpoint",
        {
            **GROUP,
            "subnet": {"id": "{subnet}"},
            "privateLinkServiceConnections": [
                {"name": "blob", "privateLinkServiceId": "{account}", "groupIds": ["blob"]}
            ],
        },
        "resourceGroupName",
        ("subnet", "{subnet}"),
        ("subnet", {"id": NO_SUBNET}),
        "InvalidResourceReference",
    ),
    Case(
        "network:PublicIPAddress",
        {**GROUP, "publicIPAllocationMethod": "Static", "sku": {"name": "Standard"}},
        "resourceGroupName",
        ("zones", "1"),
    ),
    Case(
        "network:Subnet",
        {
            **GROUP,
            "virtualNetworkName": "net",
            "addressPrefix": "10.0.9.0/24",
            "natGateway": {"id": "{nat}"},
        },
        "virtualNetworkName",
        ("addressPrefix", 10),
        ("natGateway", {"id": f"{TOWN}/Microsoft.Network/natGateways/absent"}),
        "InvalidResourceReference",
    ),
    Case(
        "network:VirtualNetwork",
        {**GROUP, "addressSpace": {"addressPrefixes": ["10.7.0.0/16"]}},
        "resourceGroupName",
        ("addressSpace", {"addressPrefixes": "10.7.0.0/16"}),
    ),
    Case(
        "privatedns:PrivateZone",
        {**GROUP, "privateZoneName": "queue.town.net", "location": "global"},
        "resourceGroupName",
        ("tags", "none"),
    ),
    Case(
        "privatedns:VirtualNetworkLink",
        {
            **GROUP,
            "privateZoneName": "blob.town.net",
            "location": "global",
            "registrationEnabled": False,
            "virtualNetwork": {"id": "{vnet}"},
        },
        "privateZoneName",
        ("registrationEnabled", "no"),
        ("virtualNetwork", {"id": f"{TOWN}/Microsoft.Network/virtualNetworks/absent"}),
        "InvalidResourceReference",
    ),
)
