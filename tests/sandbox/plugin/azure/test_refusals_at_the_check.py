"""What Azure refuses of inputs alone, beyond the tables, over the wire: needs and ranges."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure.inputs import (
    GROUP,
    KEY,
    MACHINE,
    NETWORK,
    ROLE,
    SET,
    SUBNET,
    login,
    machine,
    scale_set,
)

pytestmark = pytest.mark.usefixtures("town")

RESERVED = {"capacityReservation": {"capacityReservationGroup": {"id": "/subscriptions/s"}}}
NOTICE = {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}}}
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


def extension(**more: Any) -> dict[str, Any]:
    health = {
        "name": "health",
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "1.0",
        "settings": {"protocol": "http", "port": 80, "requestPath": "/health"},
        **more,
    }
    kept = {key: value for key, value in health.items() if value is not None}
    return {"extensionProfile": {"extensions": [kept]}}


ADDRESS = {"name": "b", "subnet": {"id": "/subscriptions/s"}}


def carded(**more: Any) -> dict[str, Any]:
    return {"networkProfile": {"networkInterfaceConfigurations": [{"name": "a", **more}]}}


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


PROFILE = "virtualMachineProfile"
ROLLING = {"upgradePolicy": {"mode": "Rolling"}}
FIREWALL = f"{NETWORK}:NetworkSecurityGroup"
BALANCER = f"{NETWORK}:LoadBalancer"
HEALTHY = [
    (SET, scale_set(**ROLLING), f"{PROFILE}.extensionProfile", "Rolling Upgrade mode is not"),
    (
        SET,
        scale_set(extension(type="ApplicationHealthLinuq"), **ROLLING),
        f"{PROFILE}.extensionProfile",
        "health extension was not provided",
    ),
    (
        SET,
        scale_set(automaticRepairsPolicy={"enabled": True}),
        f"{PROFILE}.extensionProfile",
        "Automatic repairs not supported",
    ),
    (
        SET,
        scale_set(extension(typeHandlerVersion=None)),
        f"{PROFILE}.extensionProfile.extensions",
        "typeHandlerVersion",
    ),
    (
        SET,
        scale_set(extension(settings={"protocol": "httq", "port": 80, "requestPath": "/"})),
        f"{PROFILE}.extensionProfile",
        "tcp, http or https",
    ),
    (
        SET,
        scale_set(extension(settings={"protocol": "http", "requestPath": "/"})),
        f"{PROFILE}.extensionProfile.settings.port",
        "missing",
    ),
    (SET, scale_set(platformFaultDomainCount=0), "platformFaultDomainCount", "range 1 to 5"),
    (
        SET,
        scale_set(carded(ipConfigurations=[{"name": "b"}])),
        f"{PROFILE}.networkProfile.ipConfigurations.subnet",
        "missing",
    ),
    (
        SET,
        scale_set(carded(primary=False, ipConfigurations=[ADDRESS])),
        f"{PROFILE}.networkProfile",
        "primary",
    ),
    (SET, scale_set(identity={"type": "UserAssigned"}), "identity.userAssignedIdentities", "null"),
    (
        SET,
        scale_set({"osProfile": {"linuxConfiguration": {"ssh": {"publicKeys": [KEY]}}}}),
        f"{PROFILE}.osProfile.adminUsername",
        "missing",
    ),
    (
        SET,
        scale_set({"storageProfile": {"imageReference": {"publisher": "p", "offer": "o"}}}),
        f"{PROFILE}.storageProfile.imageReference.sku",
        "missing",
    ),
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
]

REQUIREMENTS = [
    *HEALTHY,
    (
        SET,
        scale_set({"evictionPolicy": "Delete"}),
        "virtualMachineProfile.evictionPolicy",
        "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines: Eviction policy can be set only",
    ),
    (
        MACHINE,
        machine(evictionPolicy="Deallocate"),
        "evictionPolicy",
        "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
    ),
    (
        SET,
        scale_set({"billingProfile": {"maxPrice": 3}}),
        "virtualMachineProfile.billingProfile.maxPrice",
        "MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines",
    ),
    (
        SET,
        scale_set({"priority": "Spot", "billingProfile": {"maxPrice": 0}}),
        "virtualMachineProfile.billingProfile.maxPrice",
        "MaxPriceValueInvalid",
    ),
    (
        SET,
        scale_set({"priority": "Spot", **NOTICE}),
        "virtualMachineProfile.scheduledEventsProfile.terminateNotificationProfile.enable",
        "Terminate notification works with regular machines only",
    ),
    (
        MACHINE,
        machine(priority="Spot", availabilitySet={"id": "/subscriptions/s"}),
        "availabilitySet",
        "AzureSpotVMNotSupportedInAvailabilitySet",
    ),
    (
        SET,
        scale_set(sku={"name": "a", "capacity": 101}, singlePlacementGroup=True),
        "sku.capacity",
        "exceeds the total limit of '100'",
    ),
    (
        SET,
        scale_set(sku={"name": "a", "capacity": 101}),
        "sku.capacity",
        "exceeds the total limit of '100'",
    ),
    (
        SET,
        scale_set(RESERVED, singlePlacementGroup=True),
        "virtualMachineProfile.capacityReservation",
        "needs singlePlacementGroup set to false",
    ),
    (
        SET,
        scale_set(
            {"networkProfile": {}}, orchestrationMode="Flexible", platformFaultDomainCount=1
        ),
        "virtualMachineProfile.networkProfile.networkApiVersion",
        "Required parameter 'networkApiVersion' is missing",
    ),
    (
        SET,
        scale_set(orchestrationMode="Flexible"),
        "platformFaultDomainCount",
        "Required parameter 'platformFaultDomainCount' is missing",
    ),
    (
        SET,
        {**GROUP, "sku": {"name": "a", "capacity": 1}},
        "virtualMachineProfile",
        "Required parameter 'virtualMachineProfile' is missing",
    ),
    (
        MACHINE,
        {**machine(), "hardwareProfile": {}},
        "hardwareProfile.vmSize",
        "Required parameter 'vmSize' is missing",
    ),
    (
        SET,
        scale_set({"osProfile": login(disablePasswordAuthentication=True)}),
        "virtualMachineProfile.osProfile.linuxConfiguration",
        "Authentication using either SSH or by user name and password",
    ),
    (
        MACHINE,
        machine(osProfile={**login(disablePasswordAuthentication=True), "adminPassword": "x"}),
        "osProfile.linuxConfiguration",
        "Authentication using either SSH",
    ),
    (
        MACHINE,
        machine(
            storageProfile={
                "imageReference": {
                    "publisher": "almalinux",
                    "offer": "almalinux-hpc",
                    "sku": "8_10-hpc-gen2",
                }
            }
        ),
        "plan",
        "VMMarketplaceInvalidInput",
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


@pytest.mark.parametrize(("token", "inputs", "path", "message"), REQUIREMENTS)
def test_a_demand_is_refused_at_the_check_with_its_source(
    token: str, inputs: dict[str, Any], path: str, message: str, azure: Any
) -> None:
    _, failures = azure.check(token, inputs)

    assert message in failures[path]
    assert " [" in failures[path]
    assert failures[path].endswith("] (sandbox)")


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (
            SET,
            scale_set(
                {
                    "priority": "Spot",
                    "evictionPolicy": "Delete",
                    "billingProfile": {"maxPrice": -1},
                }
            ),
        ),
        (SET, scale_set(NOTICE)),
        (SET, scale_set(extension(), **ROLLING)),
        (FIREWALL, {**GROUP, "securityRules": [opened(), opened(direction="Outbound")]}),
        (SET, scale_set(sku={"name": "a", "capacity": 300}, singlePlacementGroup=False)),
        (SET, scale_set(sku={"name": "a", "capacity": 300}, zones=["1"])),
        (SET, scale_set(RESERVED, singlePlacementGroup=False)),
        (SET, {**GROUP, "orchestrationMode": "Flexible", "platformFaultDomainCount": 1}),
        (MACHINE, machine(osProfile={"adminUsername": "a", "adminPassword": "b"})),
        (
            MACHINE,
            machine(osProfile={"adminUsername": "a", "windowsConfiguration": {"timeZone": "UTC"}}),
        ),
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
    ],
)
def test_what_azure_takes_passes_the_check(token: str, inputs: dict[str, Any], azure: Any) -> None:
    _, failures = azure.check(token, inputs)

    assert failures == {}
