"""What is accepted of Azure."""

from typing import Final

from tests.mutants.declared.accepted.reasons import DEFAULT, LABELS, PEOPLE, TUNING, Row

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

_REPORTS: Final = "told in reports of cost only; a budget counts by the tag of the stack"
_FOR_LESS: Final = "when one of three mails comes; the others come as before"
_BELOW: Final = "a dollar less mails earlier; above the cap, cloud-budget refuses it"
_NAMED: Final = "Pulumi makes a name and keeps it; what is in the group refers to it"
_WIDEST: Final = "two domains or as many as there is room for: machines stand apart either way"
_PROTECTED: Final = "protection of a network's machines takes nothing away from them"
_TLS: Final = (
    "Azure Storage takes nothing older than TLS 1.2 since 3 February 2026"
    " (storage/common/transport-layer-security-configure-migrate-to-TLS2)"
)
_NAMED_AGAIN: Final = "left out, the script takes the image that the workload names"
_HELD: Final = (
    "in a stack whose machines end, the setting that ends them holds their number until then"
)
_STARTED: Final = (
    "left out, it is false in a Flexible set with one fault domain, else true, as declared"
)

_SET: Final = "azure-native:compute:VirtualMachineScaleSet"
_STORAGE: Final = "azure-native:storage:"
_CARD: Final = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"
_EXTENSION: Final = "virtualMachineProfile.extensionProfile.extensions"
_NETWORK: Final = "azure-native:network:"
_BUDGET: Final = "azure-native:consumption:Budget"
_SCALING: Final = "azure-native:monitor:AutoscaleSetting"

AZURE: Final[tuple[Row, ...]] = (
    *(
        (type_, "tags*", "*", LABELS)
        for type_ in (
            *(f"{_NETWORK}NetworkSecurityGroup", f"{_NETWORK}VirtualNetwork"),
            "azure-native:managedidentity:UserAssignedIdentity",
            "azure-native:monitor:AutoscaleSetting",
            "azure-native:resources:ResourceGroup",
        )
    ),
    *(
        (type_, field, kind, _REPORTS)
        for type_ in (
            *(_SET, f"{_NETWORK}LoadBalancer", f"{_NETWORK}NatGateway"),
            *(f"{_NETWORK}PublicIPAddress", f"{_STORAGE}StorageAccount"),
        )
        for field, kind in (
            *(("tags.gpuinfra:workload", "*"), ("tags.gpuinfra:owner", "*")),
            ("tags.gpuinfra:bucket", "*"),
        )
    ),
    ("azure-native:authorization:RoleAssignment", "description", "*", PEOPLE),
    *(
        (type_, "location", "dropped", _PLACED)
        for type_ in (
            *(_SET, f"{_NETWORK}LoadBalancer", f"{_NETWORK}NatGateway"),
            *(f"{_NETWORK}NetworkSecurityGroup", f"{_NETWORK}PublicIPAddress"),
            *(f"{_NETWORK}VirtualNetwork", f"{_STORAGE}StorageAccount"),
            "azure-native:managedidentity:UserAssignedIdentity",
            "azure-native:monitor:AutoscaleSetting",
        )
    ),
    (_SET, "orchestrationMode", "dropped", DEFAULT),
    (_SET, "virtualMachineProfile.osProfile.customData.*.image", "dropped", _NAMED_AGAIN),
    (_SET, "virtualMachineProfile.priority", "dropped", DEFAULT),
    (_SET, "priorityMixPolicy.regularPriorityPercentageAboveBase", "dropped", DEFAULT),
    (_SET, "singlePlacementGroup", "dropped", _STARTED),
    (_SET, "platformFaultDomainCount", "*", _WIDEST),
    (_SET, "sku.capacity", "number", _HELD),
    (_SET, "spotRestorePolicy", "dropped", _HELD),
    (_SET, "spotRestorePolicy.enabled", "*", _HELD),
    *(
        (_SET, f"upgradePolicy.rollingUpgradePolicy.{name}", "number", TUNING)
        for name in (
            *("maxBatchInstancePercent", "maxUnhealthyInstancePercent"),
            "maxUnhealthyUpgradedInstancePercent",
        )
    ),
    (_SET, "virtualMachineProfile.osProfile.computerNamePrefix", "dropped", PEOPLE),
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
    (_BUDGET, "notifications.actual-*.thresholdType", "dropped", DEFAULT),
    (_BUDGET, "notifications.*.threshold", "number", _FOR_LESS),
    (_BUDGET, "notifications.*-*0", "dropped", _FOR_LESS),
    (_BUDGET, "amount", "number", _BELOW),
    (_SCALING, "profiles.rules.scaleAction.value", "dropped", DEFAULT),
    (_SCALING, "profiles.rules.metricTrigger.threshold", "number", TUNING),
    (_SCALING, "profiles.name", "misspelt", _PART),
    (
        f"{_NETWORK}LoadBalancer",
        "frontendIPConfigurations.privateIPAllocationMethod",
        "dropped",
        DEFAULT,
    ),
    (f"{_NETWORK}LoadBalancer", "probes.intervalInSeconds", "dropped", DEFAULT),
    (f"{_NETWORK}LoadBalancer", "probes.intervalInSeconds", "number", TUNING),
    (f"{_NETWORK}LoadBalancer", "probes.probeThreshold", "*", TUNING),
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
    ("azure-native:resources:ResourceGroup", "resourceGroupName", "dropped", _NAMED),
    (f"{_NETWORK}VirtualNetwork", "enableDdosProtection", "dropped", DEFAULT),
    (f"{_NETWORK}VirtualNetwork", "enableVmProtection", "dropped", DEFAULT),
    (f"{_NETWORK}VirtualNetwork", "enableVmProtection", "flipped", _PROTECTED),
    (f"{_STORAGE}StorageAccount", "minimumTlsVersion", "dropped", _TLS),
    (f"{_STORAGE}BlobContainer", "publicAccess", "dropped", DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.definition.filters", "dropped", _BLOCKS),
    (f"{_STORAGE}BlobServiceProperties", "containerDeleteRetentionPolicy.days", "number", TUNING),
    (f"{_STORAGE}ManagementPolicy", "*.daysAfterCreationGreaterThan", "number", TUNING),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.enabled", "dropped", DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.name", "misspelt", _PART),
    (f"{_STORAGE}StorageAccount", "defaultToOAuthAuthentication", "*", _KEYLESS),
    *(
        (f"{_STORAGE}StorageAccount", name, "dropped", DEFAULT)
        for name in (
            *("accessTier", "allowBlobPublicAccess", "allowCrossTenantReplication"),
            *("enableHttpsTrafficOnly", "encryption.keySource", "isHnsEnabled"),
            *("isLocalUserEnabled", "networkRuleSet", "networkRuleSet.bypass"),
            "networkRuleSet.defaultAction",
        )
    ),
)
"""The rows of Azure; defaults are those of the docstrings of pulumi_azure_native 3.29.0 and of
https://learn.microsoft.com/rest/api."""
