"""What is accepted of Azure."""

from typing import Final

from tests.mutants.declared.accepted.reasons import DEFAULT, PEOPLE, TUNING, Row

_PLACED: Final = "left out, it stands where its resource group does (azure-native's provider.go)"
_PART: Final = "the name of a part that nothing refers to"
_FIRST: Final = "of one interface or address it is the first; it tells several apart"
_GUARDED: Final = "the subnet and the interface have the same group, and one of them is enough"
_KEYLESS: Final = "account keys are off, so there is no other way for portals to prefer"
_MINOR: Final = "once deployed, an extension does not upgrade by itself either way"
_TIERED: Final = "disks are sold by tiers: a GiB more or less is the same disk, at the same price"
_RANKED: Final = "the rules that allow do not contradict each other, and stand before the last"
_ABSENT: Final = "it is about private endpoints and link services, and none stands there"
_BLOCKS: Final = "a bucket holds block blobs, which the rule is about without a filter, too"

_SET: Final = "azure-native:compute:VirtualMachineScaleSet"
_STORAGE: Final = "azure-native:storage:"
_CARD: Final = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"
_EXTENSION: Final = "virtualMachineProfile.extensionProfile.extensions"
_NETWORK: Final = "azure-native:network:"

AZURE: Final[tuple[Row, ...]] = (
    *(
        (one, "location", "dropped", _PLACED)
        for one in (
            *(_SET, f"{_NETWORK}LoadBalancer", f"{_NETWORK}NatGateway"),
            *(f"{_NETWORK}NetworkSecurityGroup", f"{_NETWORK}PublicIPAddress"),
            *(f"{_NETWORK}VirtualNetwork", f"{_STORAGE}StorageAccount"),
            "azure-native:managedidentity:UserAssignedIdentity",
            "azure-native:monitor:AutoscaleSetting",
        )
    ),
    (_SET, "orchestrationMode", "dropped", DEFAULT),
    (_SET, "automaticRepairsPolicy.repairAction", "dropped", DEFAULT),
    (_SET, "upgradePolicy.rollingUpgradePolicy.maxBatchInstancePercent", "dropped", DEFAULT),
    (_SET, "sku.tier", "dropped", "the size's name begins with its tier"),
    (_SET, "virtualMachineProfile.billingProfile", "dropped", DEFAULT),
    (_SET, "virtualMachineProfile.billingProfile.maxPrice", "dropped", DEFAULT),
    (_SET, "*.terminateNotificationProfile.notBeforeTimeout", "dropped", DEFAULT),
    (_SET, f"{_EXTENSION}.autoUpgradeMinorVersion", "*", _MINOR),
    (_SET, f"{_EXTENSION}.name", "misspelt", _PART),
    (_SET, f"{_CARD}.primary", "dropped", _FIRST),
    (_SET, f"{_CARD}.ipConfigurations.primary", "dropped", _FIRST),
    (_SET, f"{_CARD}.name", "misspelt", _PART),
    (_SET, f"{_CARD}.ipConfigurations.name", "misspelt", _PART),
    (_SET, f"{_CARD}.networkSecurityGroup", "dropped", _GUARDED),
    (_SET, f"{_CARD}.networkSecurityGroup.id", "dropped", _GUARDED),
    (_SET, "virtualMachineProfile.osProfile.computerNamePrefix", "misspelt", PEOPLE),
    (_SET, "virtualMachineProfile.storageProfile.osDisk.diskSizeGB", "number", _TIERED),
    ("azure-native:consumption:Budget", "notifications.actual-*.thresholdType", "*", DEFAULT),
    (
        "azure-native:monitor:AutoscaleSetting",
        "profiles.rules.scaleAction.value",
        "dropped",
        DEFAULT,
    ),
    ("azure-native:monitor:AutoscaleSetting", "profiles.name", "misspelt", _PART),
    (
        f"{_NETWORK}LoadBalancer",
        "frontendIPConfigurations.privateIPAllocationMethod",
        "dropped",
        DEFAULT,
    ),
    (f"{_NETWORK}LoadBalancer", "probes.intervalInSeconds", "dropped", DEFAULT),
    (f"{_NETWORK}LoadBalancer", "probes.probeThreshold", "dropped", TUNING),
    (f"{_NETWORK}LoadBalancer", "sku.tier", "dropped", DEFAULT),
    (f"{_NETWORK}LoadBalancer", "loadBalancingRules.name", "misspelt", _PART),
    (f"{_NETWORK}NetworkSecurityGroup", "securityRules.name", "misspelt", _PART),
    (f"{_NETWORK}NetworkSecurityGroup", "securityRules.priority", "number", _RANKED),
    (f"{_NETWORK}PublicIPAddress", "publicIPAddressVersion", "dropped", DEFAULT),
    (f"{_NETWORK}PublicIPAddress", "sku.tier", "dropped", DEFAULT),
    (f"{_NETWORK}Subnet", "networkSecurityGroup", "dropped", _GUARDED),
    (f"{_NETWORK}Subnet", "networkSecurityGroup.id", "dropped", _GUARDED),
    (f"{_NETWORK}Subnet", "privateEndpointNetworkPolicies", "dropped", _ABSENT),
    (f"{_NETWORK}Subnet", "privateLinkServiceNetworkPolicies", "dropped", _ABSENT),
    (f"{_NETWORK}VirtualNetwork", "enableDdosProtection", "dropped", DEFAULT),
    (f"{_NETWORK}VirtualNetwork", "enableVmProtection", "dropped", DEFAULT),
    (f"{_STORAGE}BlobContainer", "publicAccess", "dropped", DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.definition.filters", "dropped", _BLOCKS),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.enabled", "dropped", DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.name", "misspelt", _PART),
    (f"{_STORAGE}StorageAccount", "defaultToOAuthAuthentication", "*", _KEYLESS),
    *(
        (f"{_STORAGE}StorageAccount", one, "dropped", DEFAULT)
        for one in (
            *("accessTier", "allowBlobPublicAccess", "allowCrossTenantReplication"),
            *("enableHttpsTrafficOnly", "encryption.keySource", "isHnsEnabled"),
            *("isLocalUserEnabled", "networkRuleSet", "networkRuleSet.bypass"),
            "networkRuleSet.defaultAction",
        )
    ),
)
"""The rows of Azure; defaults are those of the docstrings of pulumi_azure_native 3.29.0 and of
https://learn.microsoft.com/rest/api."""


BROAD: Final[tuple[Row, ...]] = (
    ("azure-native:*", "*abel", "misspelt", PEOPLE),
    ("azure-native:*", "*.id", "misspelt", PEOPLE),
    ("azure-native:*", "*threshold", "number", TUNING),
    ("azure-native:*", "*hreshold", "number", TUNING),
    ("azure-native:*", "*Warmup", "*", TUNING),
    ("azure-native:*", "*eriod*", "number", TUNING),
    ("azure-native:*", "*imeout*", "number", TUNING),
    ("azure-native:*", "*nterval*", "number", TUNING),
    ("azure-native:*", "*etention*", "number", TUNING),
    ("azure-native:*", "*ays*", "number", TUNING),
    ("azure-native:*", "*.age", "number", TUNING),
    ("azure-native:*", "*daysSince*", "number", TUNING),
)
"""Broad rows that still have to become rows of a type and a field, as those of AWS are."""
