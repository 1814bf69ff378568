"""Inputs that Azure chooses differently where they are left out, to the user's loss.

What a rolling upgrade, a repair and an eviction do was read on 2026-11-22, in the docstrings of
pulumi_azure_native 3.29.0 and in the sources of the pages; the other rows are cited from memory.
"""

from typing import Final

from tests.witnesses.aws.defaults import ANY, Default

L: Final = "https://learn.microsoft.com/azure/"
SET: Final = f"{L}virtual-machine-scale-sets/virtual-machine-scale-sets-"
SPOT: Final = f"{L}virtual-machine-scale-sets/use-spot"
ROLL: Final = "upgradePolicy.rollingUpgradePolicy"
ROLLING: Final = f"{SET}configure-rolling-upgrades"
PROFILE: Final = "virtualMachineProfile"
KEPT: Final = f"{L}storage/blobs/soft-delete-blob-overview"
CONTAINERS: Final = f"{L}storage/blobs/soft-delete-container-overview"
LIFECYCLE: Final = f"{L}storage/blobs/lifecycle-management-policy-structure"
ACTIONS: Final = "policy.rules.definition.actions"
TWICE: Final = f"{L}storage/common/infrastructure-encryption-enable"
ENDPOINTS: Final = f"{L}virtual-network/virtual-network-service-endpoints-overview"
NATS: Final = "https://learn.microsoft.com/rest/api/virtualnetwork/nat-gateways/create-or-update"
SCALING: Final = "https://learn.microsoft.com/rest/api/monitor/autoscale-settings/create-or-update"
UNSAID: Final = "what holds then is not said"

_S: Final = "VirtualMachineScaleSet"
_B: Final = "BlobServiceProperties"

DEFAULTS: Final = (
    Default(
        _S,
        "automaticRepairsPolicy",
        ANY,
        "an unwell machine stays",
        f"{SET}automatic-instance-repairs",
        f"{PROFILE}.extensionProfile",
    ),
    Default(
        _S,
        "automaticRepairsPolicy.gracePeriod",
        ANY,
        "10 minutes, in which no large model loads",
        f"{SET}automatic-instance-repairs",
    ),
    Default(
        _S, ROLL, ANY, "one unwell machine of 4 stops it", ROLLING, f"{PROFILE}.extensionProfile"
    ),
    Default(_S, f"{ROLL}.maxUnhealthyInstancePercent", ANY, "one of 4 stops it", ROLLING),
    Default(_S, f"{ROLL}.maxUnhealthyUpgradedInstancePercent", ANY, "one of 4 stops it", ROLLING),
    Default(_S, f"{ROLL}.pauseTimeBetweenBatches", ANY, "all at once: models load", ROLLING),
    Default(_S, "spotRestorePolicy.restoreTimeout", ANY, UNSAID, SPOT),
    Default(
        _S,
        f"{PROFILE}.evictionPolicy",
        ("Delete",),
        "the disks of evicted machines are paid for",
        SPOT,
        f"{PROFILE}.billingProfile",
    ),
    Default(
        _S,
        f"{PROFILE}.osProfile.customData",
        ANY,
        "machines start and do nothing",
        f"{L}virtual-machines/custom-data",
    ),
    Default(
        _S,
        f"{PROFILE}.osProfile.linuxConfiguration.disablePasswordAuthentication",
        (True,),
        "machines take a password",
        f"{L}virtual-machines/linux/create-ssh-keys-detailed",
    ),
    Default(
        _S,
        f"{PROFILE}.storageProfile.osDisk.managedDisk",
        ANY,
        "Azure chooses the kind of the disk",
        f"{L}virtual-machines/disks-types",
    ),
    Default(
        _S,
        f"{PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType",
        ANY,
        "Azure chooses the kind of the disk",
        f"{L}virtual-machines/disks-types",
    ),
    Default(
        "LoadBalancer",
        "loadBalancingRules.enableTcpReset",
        (True,),
        "an idle connection ends after 4 minutes, and neither side is told",
        f"{L}load-balancer/load-balancer-tcp-reset",
    ),
    Default(
        "NetworkSecurityGroup",
        "securityRules",
        ANY,
        "the whole network comes in, and everything goes out",
        f"{L}virtual-network/network-security-groups-overview",
    ),
    Default("AutoscaleSetting", "enabled", (True,), "nothing is scaled, or ended", SCALING),
    Default(
        "AutoscaleSetting",
        "profiles.fixedDate.timeZone",
        ("UTC",),
        "its times are declared in UTC, and are read in another zone",
        SCALING,
    ),
    Default("NatGateway", "sku", ANY, UNSAID, NATS),
    Default("NatGateway", "sku.name", ANY, UNSAID, NATS),
    Default(
        "Subnet",
        "defaultOutboundAccess",
        (False,),
        "machines have a way out without the gateway",
        f"{L}virtual-network/ip-services/default-outbound-access",
    ),
    Default("Subnet", "serviceEndpoints", ANY, "data is billed by the gateway", ENDPOINTS),
    Default(
        "StorageAccount",
        "allowSharedKeyAccess",
        (False,),
        "account keys open it beside roles",
        f"{L}storage/common/shared-key-authorization-prevent",
    ),
    Default("StorageAccount", "encryption", ANY, "it is encrypted once", TWICE),
    Default(
        "StorageAccount",
        "encryption.requireInfrastructureEncryption",
        (True,),
        "it is encrypted once",
        TWICE,
    ),
    Default(_B, "isVersioningEnabled", ANY, UNSAID, f"{L}storage/blobs/versioning-enable"),
    Default(_B, "deleteRetentionPolicy", ANY, UNSAID, KEPT),
    Default(_B, "deleteRetentionPolicy.enabled", ANY, UNSAID, KEPT),
    Default(_B, "containerDeleteRetentionPolicy", ANY, "a deleted one is gone", CONTAINERS),
    Default(
        _B, "containerDeleteRetentionPolicy.enabled", (True,), "a deleted one is gone", CONTAINERS
    ),
    Default("ManagementPolicy", f"{ACTIONS}.version", ANY, "old versions never expire", LIFECYCLE),
    Default(
        "ManagementPolicy",
        f"{ACTIONS}.version.delete",
        ANY,
        "old versions never expire",
        LIFECYCLE,
    ),
    Default("ManagementPolicy", f"{ACTIONS}.snapshot", ANY, "snapshots stay", LIFECYCLE),
    Default("ManagementPolicy", f"{ACTIONS}.snapshot.delete", ANY, "snapshots stay", LIFECYCLE),
)
