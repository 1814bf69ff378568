"""Each input of the types that hold machines is read, or stands here with why it costs nothing.

An input of a newer SDK that adds machines, such as a warm pool of nodes, fails this test.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from tests.clouds import sdk_inputs

MACHINES: Final = {
    *(
        resource_types.INSTANCE,
        resource_types.TEMPLATE,
        resource_types.GROUP,
        resource_types.SCHEDULE,
        resource_types.FLEET,
    ),
    *(
        resource_types.SPOT_REQUEST,
        resource_types.SPOT_FLEET,
        resource_types.NODE_GROUP,
        resource_types.BATCH,
        resource_types.RESERVATION,
    ),
}
CODE: Final = (
    *("clouds/aws/observe/**/*.py", "clouds/observing/*.py"),
    *("clouds/aws/data/settings.json", "clouds/aws/data/surcharges.json"),
    "clouds/hidden_machines.json",
)

HARMLESS: Final = {
    "machines that are chosen by attributes have no price, whatever the attributes are": (
        "acceleratorCount acceleratorManufacturers acceleratorNames acceleratorTotalMemoryMib "
        "acceleratorTypes allowedInstanceTypes bareMetal baselineEbsBandwidthMbps "
        "burstablePerformance cpuManufacturers excludedInstanceTypes instanceGenerations "
        "localStorage localStorageTypes memoryGibPerVcpu memoryMib networkBandwidthGbps "
        "networkInterfaceCount requireHibernateSupport totalLocalStorageGb vcpuCount "
        "maxSpotPriceAsPercentageOfOptimalOnDemandPrice spotMaxPricePercentageOverLowestPrice "
        "onDemandMaxPricePercentageOverLowestPrice"
    ),
    "how the processor or the board of a machine is used, at the price of its type": (
        "bandwidthWeighting coreCount ebsOptimized enclaveOptions kernelId "
        "nestedVirtualization networkPerformanceOptions ramDiskId threadsPerCore"
    ),
    "disks of the machine's own, which its price includes, or none": ("noDevice virtualName"),
    "a label, a name or an address within the network": (
        "description enablePrimaryIpv6 enableResourceNameDnsARecord macAddress "
        "enableResourceNameDnsAaaaRecord hostnameType nodeGroupNamePrefix primaryIpv6 "
        "privateDnsNameOptions privateIp privateIpAddressCount privateIpAddresses "
        "scheduledActionName secondaryPrivateIps volumeTags"
    ),
    "how packets and metadata are served": (
        "connectionTrackingSpecification enaQueueCount enaSrdEnabled enaSrdSpecification "
        "enaSrdUdpEnabled enaSrdUdpSpecification httpProtocolIpv6 instanceMetadataTags "
        "secondaryInterfaceId secondaryInterfaces secondaryNetworkId secondaryNetworkInterfaces "
        "secondarySubnetId sourceDestCheck tcpEstablishedTimeout udpStreamTimeout udpTimeout"
    ),
    "where machines stand, among the types and zones that are declared": (
        "affinity availabilityZoneDistribution capacityDistributionStrategy "
        "instanceMatchCriteria instancePoolsToUseCount launchGroup onDemandAllocationStrategy "
        "onDemandOptions placementGroupArn "
        "singleAvailabilityZone singleInstanceType spotInstancePools spreadDomain usageStrategy "
        "capacityReservationOptions"
    ),
    "licences of one's own, which AWS counts and does not sell": (
        "licenseConfigurationArn licenseSpecifications"
    ),
    "a limit that lowers what is paid or started": (
        "bidPercentage blockDurationMinutes maxTotalPrice minTargetCapacity onDemandMaxTotalPrice "
        "desiredCapacityType"
    ),
    "a state of a warm pool, whose machines count as running ones": (
        "forceDeleteWarmPool instanceReusePolicy poolState reuseOnScaleIn"
    ),
    "when machines are replaced, in what order, and what is waited for": (
        "alarmSpecification autoRecovery autoRollback checkpointDelay checkpointPercentages "
        "defaultCooldown defaultInstanceWarmup endDateType forceDelete "
        "healthCheckGracePeriod ignoreFailedScalingActivities "
        "instanceWarmup jobExecutionTimeoutMinutes "
        "maintenanceOptions minElbCapacity replaceUnhealthyInstances "
        "scaleInProtectedInstances skipMatching standbyInstances terminateJobsOnUpdate "
        "terminationDelay terminationPolicies updatePolicy userDataReplaceOnChange validFrom "
        "waitForCapacityTimeout waitForElbCapacity waitForFulfillment"
    ),
    "read by its beginning: max/min…, and Percentage or HealthyPercentage after it": (
        "maxHealthyPercentage minHealthyPercentage maxUnavailablePercentage"
    ),
    "metrics of groups, which are free, and who is told": (
        "enabledMetrics metricsGranularity notificationMetadata"
    ),
    "how nodes are repaired: by replacing them within the group": (
        "forceUpdateVersion maxParallelNodesRepairedCount maxParallelNodesRepairedPercentage "
        "maxUnhealthyNodeThresholdCount maxUnhealthyNodeThresholdPercentage "
        "minRepairWaitTimeMins nodeMonitoringCondition nodeRepairConfig "
        "nodeRepairConfigOverrides nodeUnhealthyReason repairAction taints"
    ),
    "roles of services, and images of a compute environment whose maximum counts": (
        "desiredVcpus eksClusterArn eksConfiguration iamFleetRole "
        "imageKubernetesVersion kubernetesNamespace "
        "serviceLinkedRoleArn serviceRole spotIamFleetRole"
    ),
    "what the provider reads back, and no program sets": (
        "fleetInstanceSets fleetState fulfilledCapacity fulfilledOnDemandCapacity instanceIds "
        "platform"
    ),
    "values whose change deploys a service anew": "triggers",
    "billed by use: surplus processor credits, and data that a disk loads from its snapshot": (
        "creditSpecification cpuCredits volumeInitializationRate"
    ),
}
"""Inputs that no code reads, by why a maximum cost holds without them."""


def unread() -> Iterator[str]:
    package = Path("gpuinfra")
    texts = [text for pattern in CODE for path in package.glob(pattern) for text in read_by(path)]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    for token, inputs, _ in sdk_inputs.types_of("aws"):
        if token in MACHINES:
            yield from {name for each in inputs if (name := camel(each)) not in words}


def read_by(path: Path) -> Iterator[str]:
    """A table, or the texts in a module but for its docstrings: only they can name an input."""
    whole = path.read_text("utf-8")
    if path.suffix != ".py":
        yield whole
        return
    for node in ast.walk(ast.parse(whole)):
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.Constant) and not isinstance(node, ast.Expr):
                yield str(each.value)


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def test_an_input_that_no_code_reads_says_why_it_costs_nothing() -> None:
    assert sorted(set(unread())) == sorted(" ".join(HARMLESS.values()).split())
