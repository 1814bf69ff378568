"""Inputs of machines and scale sets: what Azure refuses of them alone, and takes."""

from typing import Any

from tests.sandbox.plugin.azure.inputs import GROUP, KEY, MACHINE, SET, login, machine, scale_set

RESERVED = {"capacityReservation": {"capacityReservationGroup": {"id": "/subscriptions/s"}}}
NOTICE = {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}}}


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


PROFILE = "virtualMachineProfile"
ROLLING = {"upgradePolicy": {"mode": "Rolling"}}


REFUSED = [
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
]

TAKEN = [
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
    (SET, scale_set(sku={"name": "a", "capacity": 300}, singlePlacementGroup=False)),
    (SET, scale_set(sku={"name": "a", "capacity": 300}, zones=["1"])),
    (SET, scale_set(RESERVED, singlePlacementGroup=False)),
    (SET, {**GROUP, "orchestrationMode": "Flexible", "platformFaultDomainCount": 1}),
    (MACHINE, machine(osProfile={"adminUsername": "a", "adminPassword": "b"})),
    (
        MACHINE,
        machine(osProfile={"adminUsername": "a", "windowsConfiguration": {"timeZone": "UTC"}}),
    ),
]
