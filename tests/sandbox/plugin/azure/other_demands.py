"""Inputs of networks, grants, budgets and alarms: what Azure refuses of them alone, and takes."""

from typing import Any

from tests.sandbox.plugin.azure.inputs import GROUP, NETWORK, ROLE, SUBNET

FIREWALL = f"{NETWORK}:NetworkSecurityGroup"
BALANCER = f"{NETWORK}:LoadBalancer"
BUDGET = {
    "scope": "/subscriptions/s",
    "amount": 100,
    "category": "Cost",
    "timeGrain": "Monthly",
    "timePeriod": {"startDate": "2026-11-01"},
}


def budget(**more: Any) -> dict[str, Any]:
    return {**BUDGET, **more}


def notice(threshold: int) -> dict[str, Any]:
    return {
        "enabled": True,
        "operator": "GreaterThan",
        "threshold": threshold,
        "contactEmails": ["a@example.com"],
    }


def autoscale(**capacity: str) -> dict[str, Any]:
    values = {"minimum": "1", "default": "2", "maximum": "3", **capacity}
    return {
        **GROUP,
        "enabled": True,
        "profiles": [{"name": "all", "capacity": values, "rules": []}],
    }


def opened(**more: Any) -> dict[str, Any]:
    rule = {
        "name": "in",
        "access": "Allow",
        "direction": "Inbound",
        "protocol": "Tcp",
        "priority": 100,
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": "80",
        **more,
    }
    return {key: value for key, value in rule.items() if value is not None}


REFUSED = [
    (
        FIREWALL,
        {**GROUP, "securityRules": [opened(sourceAddressPrefix=None)]},
        "securityRules[0].sourceAddressPrefix",
        "SecurityRuleParametersMissing",
    ),
    (
        FIREWALL,
        {**GROUP, "securityRules": [opened(), opened(name="other")]},
        "securityRules[1].priority",
        "SecurityRuleConflict",
    ),
    (FIREWALL, {**GROUP, "securityRules": [opened(name=None)]}, "securityRules[0].name", "a name"),
    (
        BALANCER,
        {**GROUP, "loadBalancingRules": [{"name": "r", "protocol": "Tcp", "frontendPort": 80}]},
        "loadBalancingRules[0].backendPort",
        "backend port",
    ),
    (
        BALANCER,
        {**GROUP, "probes": [{"name": "p", "protocol": "Http", "port": 80}]},
        "probes[0].requestPath",
        "Path is required",
    ),
    (
        f"{NETWORK}:VirtualNetwork",
        {**GROUP, "enableDdosProtection": True, "addressSpace": {"addressPrefixes": []}},
        "ddosProtectionPlan",
        "plan",
    ),
    (
        f"{NETWORK}:PublicIPAddress",
        {**GROUP, "sku": {"name": "Standard"}},
        "publicIPAllocationMethod",
        "StandardSkuPublicIPAddressesMustBeStatic",
    ),
    (f"{NETWORK}:NetworkInterface", {**GROUP}, "ipConfigurations", "needs an IP configuration"),
    (
        SUBNET,
        {**GROUP, "virtualNetworkName": "net"},
        "addressPrefix",
        "set exactly one of addressPrefix",
    ),
    (
        "azure-native:authorization:RoleAssignment",
        {
            "scope": "/subscriptions/s",
            "principalId": "me",
            "roleDefinitionId": f"/subscriptions/s/{ROLE}",
        },
        "principalId",
        "InvalidPrincipalId",
    ),
    (
        "azure-native:authorization:RoleAssignment",
        {
            "scope": "/subscriptions/s",
            "principalId": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
            "roleDefinitionId": "Reader",
        },
        "roleDefinitionId",
        "InvalidRoleDefinitionId",
    ),
    (
        "azure-native:consumption:Budget",
        budget(timePeriod={"startDate": "2026-11-21"}),
        "timePeriod.startDate",
        "must be the first of a month, not '2026-11-21'",
    ),
    (
        "azure-native:consumption:Budget",
        budget(notifications={f"n{i}": notice(80) for i in range(6)}),
        "notifications",
        "at most 5 notifications, not 6",
    ),
    (
        "azure-native:consumption:Budget",
        budget(notifications={"n": notice(1001)}),
        'notifications["n"].threshold',
        "1001 is outside 0-1000",
    ),
    (
        "azure-native:monitor:AutoscaleSetting",
        autoscale(minimum="one"),
        "profiles[0].capacity",
        "'one' is not a number of instances",
    ),
    (
        "azure-native:monitor:AutoscaleSetting",
        autoscale(default="9"),
        "profiles[0].capacity",
        "minimum 1, default 9 and maximum 3 must be in ascending order",
    ),
    (
        "azure-native:monitor:ActionGroup",
        {**GROUP, "groupShortName": "far-too-long-for-it"},
        "groupShortName",
        "1 to 12 are allowed",
    ),
    (
        "azure-native:containerservice:AgentPool",
        {
            **GROUP,
            "resourceName": "aks",
            "agentPoolName": "gpu",
            "scaleSetEvictionPolicy": "Delete",
        },
        "scaleSetEvictionPolicy",
        "cannot be set unless scaleSetPriority is 'Spot'",
    ),
    (
        "azure-native:storagecache:AmlFilesystem",
        {
            **GROUP,
            "filesystemSubnet": "/s",
            "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "02:00"},
            "storageCapacityTiB": 16,
            "zones": ["1", "2"],
        },
        "zones",
        "a managed Lustre file system is in one zone, not in 2",
    ),
]

TAKEN = [
    (FIREWALL, {**GROUP, "securityRules": [opened(), opened(direction="Outbound")]}),
    (
        "azure-native:authorization:RoleAssignment",
        {
            "scope": "/subscriptions/s",
            "principalId": "<preview>",
            "roleDefinitionId": f"/subscriptions/s/{ROLE}",
        },
    ),
    ("azure-native:monitor:AutoscaleSetting", autoscale()),
    ("azure-native:consumption:Budget", budget(notifications={"n": notice(80)})),
]
