"""Mutants that need no judge: what is said for people only, or does the same either way."""

from fnmatch import fnmatchcase
from typing import Final

from tests.mutants.declared.changes import Mutant

_TUNING: Final = "how long, how often or how much: each value near it works, and is a choice"
_PEOPLE: Final = "told to people only"
_PROVIDER: Final = "without it the provider's own region holds, which is the stack's"
_LABELS: Final = "labels of what costs nothing itself; owner-label judges machines and data"
_DEFAULT: Final = "dropped, the cloud's default is the same"
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
_NETWORK: Final = "azure-native:network:"
_STORAGE: Final = "azure-native:storage:"
_CARD: Final = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"
_EXTENSION: Final = "virtualMachineProfile.extensionProfile.extensions"

OF_AZURE: Final[tuple[tuple[str, str, str, str], ...]] = (
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
    (_SET, "orchestrationMode", "dropped", _DEFAULT),
    (_SET, "automaticRepairsPolicy.repairAction", "dropped", _DEFAULT),
    (_SET, "upgradePolicy.rollingUpgradePolicy.maxBatchInstancePercent", "dropped", _DEFAULT),
    (_SET, "sku.tier", "dropped", "the size's name begins with its tier"),
    (_SET, "virtualMachineProfile.billingProfile", "dropped", _DEFAULT),
    (_SET, "virtualMachineProfile.billingProfile.maxPrice", "dropped", _DEFAULT),
    (_SET, "*.terminateNotificationProfile.notBeforeTimeout", "dropped", _DEFAULT),
    (_SET, f"{_EXTENSION}.autoUpgradeMinorVersion", "*", _MINOR),
    (_SET, f"{_EXTENSION}.name", "misspelt", _PART),
    (_SET, f"{_CARD}.primary", "dropped", _FIRST),
    (_SET, f"{_CARD}.ipConfigurations.primary", "dropped", _FIRST),
    (_SET, f"{_CARD}.name", "misspelt", _PART),
    (_SET, f"{_CARD}.ipConfigurations.name", "misspelt", _PART),
    (_SET, f"{_CARD}.networkSecurityGroup", "dropped", _GUARDED),
    (_SET, f"{_CARD}.networkSecurityGroup.id", "dropped", _GUARDED),
    (_SET, "virtualMachineProfile.osProfile.computerNamePrefix", "misspelt", _PEOPLE),
    (_SET, "virtualMachineProfile.storageProfile.osDisk.diskSizeGB", "number", _TIERED),
    ("azure-native:consumption:Budget", "notifications.actual-*.thresholdType", "*", _DEFAULT),
    (
        "azure-native:monitor:AutoscaleSetting",
        "profiles.rules.scaleAction.value",
        "dropped",
        _DEFAULT,
    ),
    ("azure-native:monitor:AutoscaleSetting", "profiles.name", "misspelt", _PART),
    (
        f"{_NETWORK}LoadBalancer",
        "frontendIPConfigurations.privateIPAllocationMethod",
        "dropped",
        _DEFAULT,
    ),
    (f"{_NETWORK}LoadBalancer", "probes.intervalInSeconds", "dropped", _DEFAULT),
    (f"{_NETWORK}LoadBalancer", "probes.probeThreshold", "dropped", _TUNING),
    (f"{_NETWORK}LoadBalancer", "sku.tier", "dropped", _DEFAULT),
    (f"{_NETWORK}LoadBalancer", "loadBalancingRules.name", "misspelt", _PART),
    (f"{_NETWORK}NetworkSecurityGroup", "securityRules.name", "misspelt", _PART),
    (f"{_NETWORK}NetworkSecurityGroup", "securityRules.priority", "number", _RANKED),
    (f"{_NETWORK}PublicIPAddress", "publicIPAddressVersion", "dropped", _DEFAULT),
    (f"{_NETWORK}PublicIPAddress", "sku.tier", "dropped", _DEFAULT),
    (f"{_NETWORK}Subnet", "networkSecurityGroup", "dropped", _GUARDED),
    (f"{_NETWORK}Subnet", "networkSecurityGroup.id", "dropped", _GUARDED),
    (f"{_NETWORK}Subnet", "privateEndpointNetworkPolicies", "dropped", _ABSENT),
    (f"{_NETWORK}Subnet", "privateLinkServiceNetworkPolicies", "dropped", _ABSENT),
    (f"{_NETWORK}VirtualNetwork", "enableDdosProtection", "dropped", _DEFAULT),
    (f"{_NETWORK}VirtualNetwork", "enableVmProtection", "dropped", _DEFAULT),
    (f"{_STORAGE}BlobContainer", "publicAccess", "dropped", _DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.definition.filters", "dropped", _BLOCKS),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.enabled", "dropped", _DEFAULT),
    (f"{_STORAGE}ManagementPolicy", "policy.rules.name", "misspelt", _PART),
    (f"{_STORAGE}StorageAccount", "defaultToOAuthAuthentication", "*", _KEYLESS),
    *(
        (f"{_STORAGE}StorageAccount", one, "dropped", _DEFAULT)
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

ACCEPTED: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("*", "tags*", "*", _LABELS),
    ("*", "*.tags*", "*", _LABELS),
    ("*", "tagSpecifications*", "*", _LABELS),
    ("*", "labels*", "*", _LABELS),
    ("*", "*.labels*", "*", _LABELS),
    ("*", "*abel", "misspelt", _PEOPLE),
    ("*", "description", "*", _PEOPLE),
    ("*", "*.description", "*", _PEOPLE),
    ("*", "displayName", "*", _PEOPLE),
    ("aws:*", "name", "*", _PEOPLE),
    ("aws:*", "region", "dropped", _PROVIDER),
    ("*", "*.Version", "*", "policies without variables mean the same in the older language"),
    ("*", "*.Sid", "*", _PEOPLE),
    ("*", "*.id", "misspelt", _PEOPLE),
    ("*:TargetGroup", "healthCheck.*", "number", _TUNING),
    ("*:TargetGroup", "deregistrationDelay", "*", _TUNING),
    ("*:Group", "healthCheckGracePeriod", "*", _TUNING),
    ("*:Group", "instanceRefresh*", "number", _TUNING),
    ("*:Group", "waitForCapacityTimeout", "*", _TUNING),
    ("*:LifecycleHook", "heartbeatTimeout", "number", _TUNING),
    ("aws:autoscaling/policy:Policy", "*", "number", _TUNING),
    ("*", "*threshold", "number", _TUNING),
    ("*", "*hreshold", "number", _TUNING),
    ("*", "*Warmup", "*", _TUNING),
    ("*", "*eriod*", "number", _TUNING),
    ("*", "*imeout*", "number", _TUNING),
    ("*", "*nterval*", "number", _TUNING),
    ("*", "*etention*", "number", _TUNING),
    ("*", "*ays*", "number", _TUNING),
    ("*", "*.age", "number", _TUNING),
    ("*", "*daysSince*", "number", _TUNING),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        "networkInterfaces.networkCardIndex",
        "dropped",
        _DEFAULT,
    ),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        "networkInterfaces.deviceIndex",
        "dropped",
        _DEFAULT,
    ),
    ("aws:ec2/launchTemplate:LaunchTemplate", "metadataOptions.httpEndpoint", "dropped", _DEFAULT),
    ("aws:ec2/launchTemplate:LaunchTemplate", "*.spotInstanceType", "dropped", _DEFAULT),
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", "dropped", _DEFAULT),
    ("aws:ec2/vpc:Vpc", "enableDnsSupport", "dropped", _DEFAULT),
    ("aws:lb/targetGroup:TargetGroup", "targetType", "dropped", _DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "loadBalancerType", "dropped", _DEFAULT),
    ("aws:lb/listener:Listener", "protocol", "dropped", _DEFAULT),
    *OF_AZURE,
)
"""Type, field and kind of mutation as patterns, and the reason; of all clouds but Google's."""

_TEMPLATE: Final = "gcp:compute/instanceTemplate:InstanceTemplate"
_GROUP: Final = "gcp:compute/*nstanceGroupManager:*"
_ZONAL: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
_NETWORK: Final = "gcp:compute/network:Network"
_SUBNET: Final = "gcp:compute/subnetwork:Subnetwork"
_FIREWALL: Final = "gcp:compute/firewall:Firewall"
_RULE: Final = "gcp:compute/forwardingRule:ForwardingRule"
_SERVICE: Final = "gcp:compute/regionBackendService:RegionBackendService"
_HEALTH: Final = "gcp:compute/regionHealthCheck:RegionHealthCheck"
_SCALER: Final = "gcp:compute/regionAutoscaler:RegionAutoscaler"
_ADDRESS: Final = "gcp:compute/address:Address"
_BUCKET: Final = "gcp:storage/bucket:Bucket"
_BUDGET: Final = "gcp:billing/budget:Budget"

_OS_LOGIN: Final = "with OS Login no key of the metadata is read (CIS benchmark 4.3 says so)"
_CONSOLE: Final = "what is not TRUE leaves the serial console closed, the default"
_SHIELD: Final = "left out, a virtual TPM and its monitoring are on, and secure boot is off"
_NAT_PGA: Final = "a NAT switches Private Google Access on for the subnets that it serves"
_LATER: Final = "an OPPORTUNISTIC group brings and takes no machine during an update"
_REPORTS: Final = "told in reports of cost only; owner-label judges the owner's"
_COUNTED: Final = "read by a budget alone, where the stack has one: cloud-budget judges it there"
_SAME_NETWORK: Final = "a rule with a subnet is in the network of that subnet"

GOOGLE: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("gcp:compute/*", "region", "dropped", _PROVIDER),
    ("gcp:*", "description", "*", _PEOPLE),
    ("gcp:*", "displayName", "*", _PEOPLE),
    ("gcp:monitoring/*", "labels.email_address", "misspelt", _PEOPLE),
    (_ADDRESS, "labels*", "*", _LABELS),
    (_RULE, "labels*", "*", _LABELS),
    (_TEMPLATE, "disks.labels*", "*", _LABELS),
    (_TEMPLATE, "labels.gpuinfra-*", "misspelt", _COUNTED),
    (_TEMPLATE, "labels.gpuinfra-stack", "dropped", _COUNTED),
    (_TEMPLATE, "labels.gpuinfra-workload", "dropped", _REPORTS),
    (_BUCKET, "labels.gpuinfra-*", "misspelt", _REPORTS),
    (_BUCKET, "labels.gpuinfra-stack", "dropped", _REPORTS),
    (_BUCKET, "labels.gpuinfra-workload", "dropped", _REPORTS),
    (_BUDGET, "budgetFilter.labels*", "dropped", "it counts more than the stack, and mails early"),
    (_BUDGET, "budgetFilter.calendarPeriod", "dropped", _DEFAULT),
    (_BUDGET, "thresholdRules.spendBasis", "dropped", "one mail more of what is spent"),
    (_BUDGET, "thresholdRules.thresholdPercent", "number", _TUNING),
    (_ADDRESS, "addressType", "dropped", _DEFAULT),
    (_FIREWALL, "direction", "dropped", _DEFAULT),
    (_NETWORK, "routingMode", "dropped", _DEFAULT),
    (_SUBNET, "privateIpGoogleAccess", "dropped", _NAT_PGA),
    (_SUBNET, "privateIpGoogleAccess", "flipped", _NAT_PGA),
    (_RULE, "ipProtocol", "dropped", _DEFAULT),
    (_RULE, "network", "dropped", _SAME_NETWORK),
    (_SERVICE, "loadBalancingScheme", "dropped", _DEFAULT),
    (_SERVICE, "protocol", "dropped", "a passthrough load balancer's is TCP where none is said"),
    (_HEALTH, "checkIntervalSec", "*", _TUNING),
    (_HEALTH, "timeoutSec", "*", _TUNING),
    (_HEALTH, "healthyThreshold", "*", _TUNING),
    (_HEALTH, "unhealthyThreshold", "*", _TUNING),
    (_HEALTH, "httpHealthCheck.port", "dropped", "80, which the stack's server has, too"),
    (_SCALER, "autoscalingPolicy.mode", "dropped", _DEFAULT),
    (_SCALER, "autoscalingPolicy.metrics.filter", "dropped", _DEFAULT),
    (_GROUP, "baseInstanceName", "misspelt", _PEOPLE),
    (_GROUP, "autoHealingPolicies.initialDelaySec", "number", _TUNING),
    (_GROUP, "waitForInstancesStatus", "dropped", _DEFAULT),
    (_ZONAL, "updatePolicy.maxSurgeFixed", "*", _LATER),
    (_ZONAL, "updatePolicy.maxUnavailableFixed", "*", _LATER),
    (_TEMPLATE, "region", "misspelt", "a template is global; its subnets are named by their id"),
    (_TEMPLATE, "disks.autoDelete", "dropped", _DEFAULT),
    (_TEMPLATE, "disks.boot", "dropped", _DEFAULT),
    (_TEMPLATE, "scheduling.onHostMaintenance", "dropped", "a spot machine's is TERMINATE alone"),
    (_TEMPLATE, "scheduling.automaticRestart", "flipped", "its group makes it again either way"),
    (_TEMPLATE, "metadata.block-project-ssh-keys", "*", _OS_LOGIN),
    (_TEMPLATE, "metadata.serial-port-enable", "*", _CONSOLE),
    (_TEMPLATE, "shieldedInstanceConfig", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableVtpm", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableIntegrityMonitoring", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableSecureBoot", "dropped", _SHIELD),
    (_BUCKET, "name", "dropped", "Pulumi names it; scripts and rights have its name by reference"),
    (_BUCKET, "storageClass", "dropped", _DEFAULT),
    (_BUCKET, "forceDestroy", "dropped", _DEFAULT),
    (_BUCKET, "lifecycleRules.condition.withState", "dropped", "only old versions have the time"),
    (_BUCKET, "lifecycleRules.condition.age", "number", _TUNING),
    (_BUCKET, "lifecycleRules.condition.daysSinceNoncurrentTime", "number", _TUNING),
)
"""The same of Google Cloud, where the rows above do not count: each names its type and field."""


def reason(mutant: Mutant) -> str:
    """Why nobody has to notice a mutant; empty where somebody has to."""
    for type_, field, kind, why in GOOGLE if mutant.cloud == "gcp" else ACCEPTED:
        named = zip((mutant.type, mutant.field, mutant.kind), (type_, field, kind), strict=True)
        if all(fnmatchcase(value, pattern) for value, pattern in named):
            return why
    return ""
