"""What is accepted of AWS."""

from typing import Final

from tests.mutants.declared.accepted.reasons import DEFAULT, LABELS, PEOPLE, PROVIDER, TUNING, Row

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
_MARKS: Final = "marks of deleted objects cost next to nothing, and no object is kept or lost"
_RESULT: Final = "the id of an expression to which nothing refers; ids that it refers to are seen"
_WHOLE: Final = (
    "a rule without a filter, or without its prefix, is of the whole bucket, as declared"
)
_MANAGED: Final = (
    "S3 encrypts by AES256 itself (userguide/default-bucket-encryption.html); a key of one's own"
    " is seen"
)
_UNPAID: Final = "it costs nothing, and what costs and uses it waits for the schedule"
_TEN: Final = "dropped, a message is tried ten times in place of five (API_CreateQueue.html)"
_LINKED: Final = "whether a bucket is linked, and how, is the stack's word: test_shared_storage.py"
_VERSIONLESS: Final = "a bucket keeps no versions until it is told to; Suspended says the same"
_THEIRS: Final = "the name that a stack file gives to a bucket of elsewhere: any other is as good"
_LONGER: Final = "dropped, a key waits 30 days in place of 7 before it is deleted, at no cost"

AWS: Final[tuple[Row, ...]] = (
    ("aws:*", "tagSpecifications*", "*", LABELS),
    ("aws:*", "name", "*", PEOPLE),
    ("aws:*", "alarmDescription", "misspelt", PEOPLE),
    ("aws:*", "*.label", "*", PEOPLE),
    ("aws:*", "*.Sid", "*", PEOPLE),
    ("aws:*", "rules.id", "*", PEOPLE),
    ("aws:cloudwatch/dashboard:Dashboard", "dashboardName", "misspelt", PEOPLE),
    ("aws:kms/alias:Alias", "", "removed", PEOPLE),
    ("aws:*", "region", "dropped", PROVIDER),
    ("aws:*", "*.Version", "*", "policies without variables mean the same in the older language"),
    (_TARGETS, "healthCheck.interval", "number", TUNING),
    (_TARGETS, "healthCheck.timeout", "number", TUNING),
    (_TARGETS, "healthCheck.*hreshold", "number", TUNING),
    (_TARGETS, "deregistrationDelay", "*", TUNING),
    (_GROUP, "healthCheckGracePeriod", "*", TUNING),
    (_GROUP, "instanceRefresh.preferences.*", "number", TUNING),
    (_GROUP, "waitForCapacityTimeout", "*", TUNING),
    (_GROUP, "desiredCapacity", "dropped", "dropped, it is minSize: API_CreateAutoScalingGroup"),
    (_GROUP, "*.onDemandAllocationStrategy", "dropped", DEFAULT),
    (_HOOK, "heartbeatTimeout", "number", TUNING),
    (_HOOK, "defaultResult", "dropped", DEFAULT),
    (_POLICY, "estimatedInstanceWarmup", "*", TUNING),
    (_POLICY, f"{_TRACKING}.targetValue", "number", TUNING),
    (_POLICY, "stepAdjustments.scalingAdjustment", "number", TUNING),
    (_POLICY, "cooldown", "*", TUNING),
    (
        _POLICY,
        "stepAdjustments.metricIntervalLowerBound",
        "*",
        "the one step is taken from the alarm's threshold on; no bound means the same",
    ),
    (_POLICY, f"{_TRACKING}.customizedMetricSpecification.metrics.label", "*", PEOPLE),
    (_POLICY, f"{_TRACKING}.customizedMetricSpecification.metrics.id", "misspelt", _RESULT),
    (_ALARM, "metricQueries.id", "misspelt", _RESULT),
    (_ALARM, "evaluationPeriods", "number", TUNING),
    (_ALARM, "threshold", "number", TUNING),
    (_ALARM, "period", "number", TUNING),
    (_ALARM, "metricQueries.metric.period", "number", TUNING),
    (_ALARM, "datapointsToAlarm", "dropped", "dropped, it is evaluationPeriods, as declared"),
    ("aws:cloudwatch/dashboard:Dashboard", "*.period", "number", TUNING),
    ("aws:cloudwatch/dashboard:Dashboard", "*.height", "number", "how high a picture is"),
    ("aws:cloudwatch/logGroup:LogGroup", "retentionInDays", "number", TUNING),
    ("aws:budgets/budget:Budget", "notifications.threshold", "number", TUNING),
    (_FUNCTION, "timeout", "number", TUNING),
    (_FUNCTION, "memorySize", "number", TUNING),
    (_FUNCTION, "*.interval", "number", TUNING),
    (_LIFECYCLE, "*.days", "number", TUNING),
    (_LIFECYCLE, "*.noncurrentDays", "number", TUNING),
    (_LIFECYCLE, "*.daysAfterInitiation", "number", TUNING),
    (_LIFECYCLE, "rules.expiration.expiredObjectDeleteMarker", "*", _MARKS),
    (_LIFECYCLE, "rules.expiration", "dropped", _MARKS),
    (_LIFECYCLE, "rules.filter*", "dropped", _WHOLE),
    ("aws:s3/bucketServerSideEncryptionConfiguration:*", "", "removed", _MANAGED),
    *(
        (type_, "", "undepended", _UNPAID)
        for type_ in (
            "aws:ec2/vpc:Vpc",
            "aws:ec2/placementGroup:PlacementGroup",
            "aws:iam/role:Role",
        )
    ),
    ("aws:s3/bucketObjectLockConfiguration:*", "rule.defaultRetention.days", "number", TUNING),
    ("aws:s3/bucketReplicationConfig:*", "rules.priority", "number", "there is one rule"),
    ("aws:kms/key:Key", "deletionWindowInDays", "number", TUNING),
    ("aws:kms/key:Key", "deletionWindowInDays", "dropped", _LONGER),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "*.*etentionDays", "number", TUNING),
    ("aws:fsx/dataRepositoryAssociation:*", "", "removed", _LINKED),
    ("aws:fsx/dataRepositoryAssociation:*", "s3.autoExportPolicy", "dropped", _LINKED),
    ("aws:s3/bucketVersioning:*", "", "removed", _VERSIONLESS),
    ("aws:s3/bucketLogging:*", "targetBucket", "misspelt", _THEIRS),
    (_QUEUE, "messageRetentionSeconds", "number", TUNING),
    (_QUEUE, "visibilityTimeoutSeconds", "number", TUNING),
    (_QUEUE, "redrivePolicy.().maxReceiveCount", "number", TUNING),
    (_QUEUE, "redrivePolicy.().maxReceiveCount", "dropped", _TEN),
    (_QUEUE, "sqsManagedSseEnabled", "dropped", DEFAULT),
    (_LAUNCH, "networkInterfaces.networkCardIndex", "dropped", DEFAULT),
    (_LAUNCH, "networkInterfaces.deviceIndex", "dropped", DEFAULT),
    (_LAUNCH, "metadataOptions.httpEndpoint", "dropped", DEFAULT),
    (_LAUNCH, "*.spotInstanceType", "dropped", DEFAULT),
    (_LAUNCH, "*.instanceInterruptionBehavior", "dropped", DEFAULT),
    (
        _LAUNCH,
        "networkInterfaces.associatePublicIpAddress",
        "dropped",
        "dropped, the subnet's own setting holds, which is declared false",
    ),
    ("aws:ec2/eip:Eip", "domain", "dropped", DEFAULT),
    ("aws:ec2/flowLog:FlowLog", "logDestinationType", "dropped", DEFAULT),
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", "dropped", DEFAULT),
    ("aws:ec2/vpc:Vpc", "enableDnsSupport", "dropped", DEFAULT),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "vpcEndpointType", "dropped", DEFAULT),
    (_TARGETS, "targetType", "dropped", DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "loadBalancerType", "dropped", DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "idleTimeout", "number", TUNING),
    ("aws:lb/listener:Listener", "protocol", "dropped", DEFAULT),
    ("aws:s3/bucketOwnershipControls:*", "", "removed", "new buckets have no ACLs since 2023"),
    ("aws:scheduler/schedule:Schedule", "scheduleExpressionTimezone", "dropped", DEFAULT),
    ("aws:scheduler/schedule:Schedule", "actionAfterCompletion", "dropped", DEFAULT),
)
"""Rows of AWS: each names its type and field, and the value that stands there."""
