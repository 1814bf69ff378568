"""What is accepted of Google Cloud."""

from typing import Final

from tests.mutants.declared.accepted.reasons import DEFAULT, LABELS, PEOPLE, PROVIDER, TUNING, Row

_TEMPLATE: Final = "gcp:compute/instanceTemplate:InstanceTemplate"
_GROUP: Final = "gcp:compute/*nstanceGroupManager:*"
_ZONAL: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
_REGIONAL: Final = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
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
_ALONE: Final = "one machine has no others to reach; of several, network-access judges the traffic"
_NAT_PGA: Final = "a NAT switches Private Google Access on for the subnets that it serves"
_LATER: Final = "an OPPORTUNISTIC group brings and takes no machine during an update"
_REPORTS: Final = "told in reports of cost only; owner-label judges the owner's"
_COUNTED: Final = "read by a budget alone, where the stack has one: cloud-budget judges it there"
_SAME_NETWORK: Final = "a rule with a subnet is in the network of that subnet"

_PROJECT: Final = "without it the provider's own project holds, which is the stack's"
_OWN_ROLE: Final = "left out, Pulumi makes an id; the member has the role's name by reference"

_PACKETS: Final = "a byte more or less, where packets of 1300 to 8896 bytes are carried (docs/mtu)"
_RDMA: Final = "with the RDMA profile the API's default is 8896 (docs/rdma-network-profiles)"

GOOGLE_CLOUD: Final[tuple[Row, ...]] = (
    ("gcp:compute/*", "region", "dropped", PROVIDER),
    ("gcp:projects/iAMCustomRole:IAMCustomRole", "project", "dropped", _PROJECT),
    ("gcp:projects/iAMCustomRole:IAMCustomRole", "roleId", "dropped", _OWN_ROLE),
    ("gcp:*", "description", "*", PEOPLE),
    ("gcp:*", "displayName", "*", PEOPLE),
    ("gcp:monitoring/*", "labels.email_address", "misspelt", PEOPLE),
    (_ADDRESS, "labels*", "*", LABELS),
    (_RULE, "labels*", "*", LABELS),
    (_TEMPLATE, "disks.labels*", "*", LABELS),
    (_TEMPLATE, "labels.gpuinfra-*", "misspelt", _COUNTED),
    (_TEMPLATE, "labels.gpuinfra-stack", "dropped", _COUNTED),
    (_TEMPLATE, "labels.gpuinfra-workload", "dropped", _REPORTS),
    (_BUCKET, "labels.gpuinfra-*", "misspelt", _REPORTS),
    (_BUCKET, "labels.gpuinfra-stack", "dropped", _REPORTS),
    (_BUCKET, "labels.gpuinfra-workload", "dropped", _REPORTS),
    (_BUDGET, "budgetFilter.labels*", "dropped", "it counts more than the stack, and mails early"),
    (_BUDGET, "budgetFilter.calendarPeriod", "dropped", DEFAULT),
    (_BUDGET, "thresholdRules.spendBasis", "dropped", "one mail more of what is spent"),
    (_BUDGET, "thresholdRules.thresholdPercent", "number", TUNING),
    (_ADDRESS, "addressType", "dropped", DEFAULT),
    (_FIREWALL, "direction", "dropped", DEFAULT),
    (_FIREWALL, "", "removed", _ALONE),
    (_NETWORK, "mtu", "number", _PACKETS),
    (_NETWORK, "mtu", "dropped", _RDMA),
    (_NETWORK, "routingMode", "dropped", DEFAULT),
    (_SUBNET, "privateIpGoogleAccess", "dropped", _NAT_PGA),
    (_SUBNET, "privateIpGoogleAccess", "flipped", _NAT_PGA),
    (_RULE, "ipProtocol", "dropped", DEFAULT),
    (_RULE, "network", "dropped", _SAME_NETWORK),
    (_SERVICE, "loadBalancingScheme", "dropped", DEFAULT),
    (_SERVICE, "protocol", "dropped", "a passthrough load balancer's is TCP where none is said"),
    (_HEALTH, "checkIntervalSec", "*", TUNING),
    (_HEALTH, "timeoutSec", "*", TUNING),
    (_HEALTH, "healthyThreshold", "*", TUNING),
    (_HEALTH, "unhealthyThreshold", "*", TUNING),
    (_HEALTH, "httpHealthCheck.port", "dropped", "80, which the stack's server has, too"),
    (_SCALER, "autoscalingPolicy.mode", "dropped", DEFAULT),
    (_SCALER, "autoscalingPolicy.cooldownPeriod", "number", TUNING),
    (_SCALER, "autoscalingPolicy.metrics.target", "number", TUNING),
    (_SCALER, "autoscalingPolicy.metrics.filter", "dropped", DEFAULT),
    (_GROUP, "baseInstanceName", "misspelt", PEOPLE),
    (_GROUP, "autoHealingPolicies.initialDelaySec", "number", TUNING),
    (_GROUP, "waitForInstancesStatus", "dropped", DEFAULT),
    (_REGIONAL, "updatePolicy.maxSurgeFixed", "dropped", DEFAULT),
    (_ZONAL, "updatePolicy.maxSurgeFixed", "*", _LATER),
    (_ZONAL, "updatePolicy.maxUnavailableFixed", "*", _LATER),
    (_TEMPLATE, "region", "misspelt", "a template is global; its subnets are named by their id"),
    (_TEMPLATE, "disks.autoDelete", "dropped", DEFAULT),
    (_TEMPLATE, "disks.boot", "dropped", DEFAULT),
    (_TEMPLATE, "scheduling.onHostMaintenance", "dropped", "a spot machine's is TERMINATE alone"),
    (_TEMPLATE, "scheduling.automaticRestart", "dropped", DEFAULT),
    (_TEMPLATE, "scheduling.preemptible", "dropped", DEFAULT),
    (_TEMPLATE, "scheduling.provisioningModel", "dropped", DEFAULT),
    (_TEMPLATE, "scheduling.automaticRestart", "flipped", "its group makes it again either way"),
    (_TEMPLATE, "metadata.block-project-ssh-keys", "*", _OS_LOGIN),
    (_TEMPLATE, "metadata.serial-port-enable", "*", _CONSOLE),
    (_TEMPLATE, "shieldedInstanceConfig", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableVtpm", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableIntegrityMonitoring", "dropped", _SHIELD),
    (_TEMPLATE, "shieldedInstanceConfig.enableSecureBoot", "dropped", _SHIELD),
    (_BUCKET, "name", "dropped", "Pulumi names it; scripts and rights have its name by reference"),
    (_BUCKET, "storageClass", "dropped", DEFAULT),
    (_BUCKET, "versioning", "dropped", DEFAULT),
    (_BUCKET, "forceDestroy", "dropped", DEFAULT),
    (_BUCKET, "lifecycleRules.condition.withState", "dropped", "only old versions have the time"),
    (_BUCKET, "lifecycleRules.condition.age", "number", TUNING),
    (_BUCKET, "lifecycleRules.condition.daysSinceNoncurrentTime", "number", TUNING),
)
"""Rows of Google Cloud, where no shared row counts: each names its type and field."""
