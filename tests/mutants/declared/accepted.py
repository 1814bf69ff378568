"""Mutants that need no judge: what is said for people only, or does the same either way."""

from fnmatch import fnmatchcase
from typing import Final

from tests.mutants.declared.changes import Mutant

_TUNING: Final = "how long, how often or how much: each value near it works, and is a choice"
_PEOPLE: Final = "told to people only"
_PROVIDER: Final = "without it the provider's own region holds, which is the stack's"
_LABELS: Final = "labels of what costs nothing itself; owner-label judges machines and data"
_DEFAULT: Final = "dropped, the cloud's default is the same"

Row = tuple[str, str, str, str]
"""Type, field and kind of mutation as patterns, and the reason."""

SHARED: Final[tuple[Row, ...]] = (
    ("*", "tags*", "*", _LABELS),
    ("*", "*.tags*", "*", _LABELS),
    ("*", "labels*", "*", _LABELS),
    ("*", "*.labels*", "*", _LABELS),
    ("*", "description", "*", _PEOPLE),
    ("*", "*.description", "*", _PEOPLE),
    ("*", "displayName", "*", _PEOPLE),
)
"""Rows of every cloud."""

_HOOK: Final = "aws:autoscaling/lifecycleHook:LifecycleHook"
_GROUP: Final = "aws:autoscaling/group:Group"
_POLICY: Final = "aws:autoscaling/policy:Policy"
_ALARM: Final = "aws:cloudwatch/metricAlarm:MetricAlarm"
_FUNCTION: Final = "aws:lambda/function:Function"
_LAUNCH: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_TARGETS: Final = "aws:lb/targetGroup:TargetGroup"
_LIFECYCLE: Final = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
_QUEUE: Final = "aws:sqs/queue:Queue"
_TRACKING: Final = "targetTrackingConfiguration"
_LONGER: Final = "dropped, a key waits 30 days in place of 7 before it is deleted, at no cost"

AWS: Final[tuple[Row, ...]] = (
    ("aws:*", "tagSpecifications*", "*", _LABELS),
    ("aws:*", "name", "*", _PEOPLE),
    ("aws:*", "alarmDescription", "misspelt", _PEOPLE),
    ("aws:*", "*.label", "*", _PEOPLE),
    ("aws:*", "*.Sid", "*", _PEOPLE),
    ("aws:*", "rules.id", "*", _PEOPLE),
    ("aws:cloudwatch/dashboard:Dashboard", "dashboardName", "misspelt", _PEOPLE),
    ("aws:kms/alias:Alias", "", "removed", _PEOPLE),
    ("aws:*", "region", "dropped", _PROVIDER),
    ("aws:*", "*.Version", "*", "policies without variables mean the same in the older language"),
    (_TARGETS, "healthCheck.interval", "number", _TUNING),
    (_TARGETS, "healthCheck.timeout", "number", _TUNING),
    (_TARGETS, "healthCheck.*hreshold", "number", _TUNING),
    (_TARGETS, "deregistrationDelay", "*", _TUNING),
    (_GROUP, "healthCheckGracePeriod", "*", _TUNING),
    (_GROUP, "instanceRefresh.preferences.*", "number", _TUNING),
    (_GROUP, "waitForCapacityTimeout", "*", _TUNING),
    (_GROUP, "desiredCapacity", "dropped", "dropped, it is minSize: API_CreateAutoScalingGroup"),
    (_GROUP, "*.onDemandAllocationStrategy", "dropped", _DEFAULT),
    (_HOOK, "heartbeatTimeout", "number", _TUNING),
    (_HOOK, "defaultResult", "dropped", _DEFAULT),
    (_POLICY, "estimatedInstanceWarmup", "*", _TUNING),
    (_POLICY, f"{_TRACKING}.targetValue", "number", _TUNING),
    (_POLICY, "stepAdjustments.scalingAdjustment", "number", _TUNING),
    (_POLICY, "cooldown", "*", _TUNING),
    (
        _POLICY,
        "stepAdjustments.metricIntervalLowerBound",
        "*",
        "the one step is taken from the alarm's threshold on; no bound means the same",
    ),
    (_POLICY, f"{_TRACKING}.customizedMetricSpecification.metrics.label", "*", _PEOPLE),
    (_ALARM, "threshold", "number", _TUNING),
    (_ALARM, "period", "number", _TUNING),
    (_ALARM, "metricQueries.metric.period", "number", _TUNING),
    (_ALARM, "datapointsToAlarm", "dropped", "dropped, it is evaluationPeriods, as declared"),
    ("aws:cloudwatch/dashboard:Dashboard", "*.period", "number", _TUNING),
    ("aws:cloudwatch/dashboard:Dashboard", "*.height", "number", "how high a picture is"),
    ("aws:cloudwatch/logGroup:LogGroup", "retentionInDays", "number", _TUNING),
    ("aws:budgets/budget:Budget", "notifications.threshold", "number", _TUNING),
    (_FUNCTION, "timeout", "number", _TUNING),
    (_FUNCTION, "memorySize", "number", _TUNING),
    (_FUNCTION, "*.interval", "number", _TUNING),
    (_LIFECYCLE, "*.days", "number", _TUNING),
    (_LIFECYCLE, "*.noncurrentDays", "number", _TUNING),
    (_LIFECYCLE, "*.daysAfterInitiation", "number", _TUNING),
    (
        _LIFECYCLE,
        "rules.expiration.expiredObjectDeleteMarker",
        "*",
        "marks of deleted objects cost next to nothing, and no object is kept or lost",
    ),
    ("aws:s3/bucketObjectLockConfiguration:*", "rule.defaultRetention.days", "number", _TUNING),
    ("aws:s3/bucketReplicationConfig:*", "rules.priority", "number", "there is one rule"),
    ("aws:kms/key:Key", "deletionWindowInDays", "number", _TUNING),
    ("aws:kms/key:Key", "deletionWindowInDays", "dropped", _LONGER),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "*.*etentionDays", "number", _TUNING),
    (_QUEUE, "messageRetentionSeconds", "number", _TUNING),
    (_QUEUE, "visibilityTimeoutSeconds", "number", _TUNING),
    (_QUEUE, "redrivePolicy.().maxReceiveCount", "number", _TUNING),
    (_QUEUE, "sqsManagedSseEnabled", "dropped", _DEFAULT),
    (_LAUNCH, "networkInterfaces.networkCardIndex", "dropped", _DEFAULT),
    (_LAUNCH, "networkInterfaces.deviceIndex", "dropped", _DEFAULT),
    (_LAUNCH, "metadataOptions.httpEndpoint", "dropped", _DEFAULT),
    (_LAUNCH, "*.spotInstanceType", "dropped", _DEFAULT),
    (_LAUNCH, "*.instanceInterruptionBehavior", "dropped", _DEFAULT),
    (
        _LAUNCH,
        "networkInterfaces.associatePublicIpAddress",
        "dropped",
        "dropped, the subnet's own setting holds, which is declared false",
    ),
    ("aws:ec2/eip:Eip", "domain", "dropped", _DEFAULT),
    ("aws:ec2/flowLog:FlowLog", "logDestinationType", "dropped", _DEFAULT),
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", "dropped", _DEFAULT),
    ("aws:ec2/vpc:Vpc", "enableDnsSupport", "dropped", _DEFAULT),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "vpcEndpointType", "dropped", _DEFAULT),
    (_TARGETS, "targetType", "dropped", _DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "loadBalancerType", "dropped", _DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "idleTimeout", "number", _TUNING),
    ("aws:lb/listener:Listener", "protocol", "dropped", _DEFAULT),
    ("aws:s3/bucketOwnershipControls:*", "", "removed", "new buckets have no ACLs since 2023"),
    ("aws:scheduler/schedule:Schedule", "scheduleExpressionTimezone", "dropped", _DEFAULT),
    ("aws:scheduler/schedule:Schedule", "actionAfterCompletion", "dropped", _DEFAULT),
)
"""Rows of AWS: each names its type and field, and the value that stands there."""

_OTHERS: Final[tuple[Row, ...]] = tuple(
    row
    for cloud in ("gcp:*", "azure-native:*")
    for row in (
        (cloud, "*abel", "misspelt", _PEOPLE),
        (cloud, "*.id", "misspelt", _PEOPLE),
        (cloud, "*threshold", "number", _TUNING),
        (cloud, "*hreshold", "number", _TUNING),
        (cloud, "*Warmup", "*", _TUNING),
        (cloud, "*eriod*", "number", _TUNING),
        (cloud, "*imeout*", "number", _TUNING),
        (cloud, "*nterval*", "number", _TUNING),
        (cloud, "*etention*", "number", _TUNING),
        (cloud, "*ays*", "number", _TUNING),
        (cloud, "*.age", "number", _TUNING),
        (cloud, "*daysSince*", "number", _TUNING),
    )
)
"""Broad rows that still have to become rows of a type and a field, as those of AWS are."""

GOOGLE_CLOUD: Final[tuple[Row, ...]] = (("gcp:*", "region", "dropped", _PROVIDER),)
"""Rows of Google Cloud."""

AZURE: Final[tuple[Row, ...]] = ()
"""Rows of Azure."""

ACCEPTED: Final[tuple[Row, ...]] = (*SHARED, *AWS, *GOOGLE_CLOUD, *AZURE, *_OTHERS)
"""All rows."""


def reason(mutant: Mutant) -> str:
    """Why no judge has to notice a mutant; empty where one has to."""
    for type_, field, kind, why in ACCEPTED:
        named = zip((mutant.type, mutant.field, mutant.kind), (type_, field, kind), strict=True)
        if all(fnmatchcase(value, pattern) for value, pattern in named):
            return why
    return ""
