"""Inputs that AWS or its provider chooses differently where they are left out, to the user's loss.

Each row is a default as the page has it, cited from memory on 2026-11-22, and what is wanted
instead. A value of another resource, or one known only later, is as good as the wanted one.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from gpuinfra.sandbox.plugin.wire import Unknown
from tests.witnesses.aws.stack import Stack, each

ANY: Final = object()
"""Any value that somebody chose."""


class Default(NamedTuple):
    """What happens without an input.

    Attributes:
        token: the end of the resource's token.
        path: the input.
        expected: its values, or ANY.
        loss: what the default does.
        source: the page that says so.
        when: a path that has to be there for the row to count, empty for always.
    """

    token: str
    path: str
    expected: Any
    loss: str
    source: str
    when: str = ""


D: Final = "https://docs.aws.amazon.com/"
ASG: Final = f"{D}autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html"
SPECIFICATION: Final = f"{D}autoscaling/ec2/APIReference/API_LaunchTemplateSpecification.html"
NIC: Final = (
    f"{D}AWSEC2/latest/APIReference/"
    "API_LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.html"
)
SUSPENDED: Final = f"{D}autoscaling/ec2/userguide/as-suspend-resume-processes.html"
ELB: Final = f"{D}elasticloadbalancing/latest/APIReference/"
ALB: Final = f"{D}elasticloadbalancing/latest/application/application-load-balancers.html"
HEALTH: Final = f"{D}elasticloadbalancing/latest/application/target-group-health-checks.html"
BUDGET: Final = f"{D}aws-cost-management/latest/APIReference/API_budgets_CostTypes.html"
LAMBDA: Final = f"{D}lambda/latest/api/API_CreateFunction.html"
LUSTRE: Final = f"{D}fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html"
SQS: Final = f"{D}AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html"
HOOK: Final = f"{D}autoscaling/ec2/APIReference/API_PutLifecycleHook.html"
S3LOCK: Final = f"{D}AmazonS3/latest/API/API_ObjectLockConfiguration.html"
EBS: Final = f"{D}AWSEC2/latest/APIReference/API_EbsBlockDevice.html"
VERSION: Final = "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification"

DEFAULTS: Final = (
    Default(
        "Group", "healthCheckType", ("ELB",), "unhealthy targets stay", ASG, "targetGroupArns"
    ),
    Default("Group", "suspendedProcesses", ANY, "machines end to even zones out", SUSPENDED),
    Default("Group", "healthCheckType", ANY, "the template's reader can't tell", ASG),
    Default(
        "Group", "instanceRefresh", ANY, "machines keep an old template", ASG, "targetGroupArns"
    ),
    Default("Group", "instanceRefresh.preferences.minHealthyPercentage", ANY, "0 %", ASG),
    Default(
        "Group",
        "instanceRefresh.preferences.maxHealthyPercentage",
        ANY,
        "a pool's only machine ends before its new one answers",
        f"{D}autoscaling/ec2/APIReference/API_RefreshPreferences.html",
        "targetGroupArns",
    ),
    Default(
        "Group", "launchTemplate.version", ANY, "a change of it starts nothing", SPECIFICATION
    ),
    Default("Group", f"{VERSION}.version", ANY, "a change of it starts nothing", SPECIFICATION),
    Default(
        "Group",
        "mixedInstancesPolicy.launchTemplate.overrides.instanceType",
        ANY,
        "the template's own type counts twice",
        f"{D}autoscaling/ec2/APIReference/API_LaunchTemplateOverrides.html",
    ),
    Default("LaunchTemplate", "userData", ANY, "machines start and do nothing", EBS),
    Default("LaunchTemplate", "updateDefaultVersion", (True,), "people start an old one", NIC),
    Default("LaunchTemplate", "blockDeviceMappings.deviceName", ANY, "no disk is meant", EBS),
    Default(
        "LaunchTemplate",
        "blockDeviceMappings.ebs.deleteOnTermination",
        ("true",),
        "disks stay and are paid for",
        EBS,
    ),
    Default(
        "LaunchTemplate",
        "networkInterfaces.deleteOnTermination",
        ("true",),
        "interfaces stay and hold the subnet",
        NIC,
    ),
    Default(
        "LaunchTemplate",
        "networkInterfaces.interfaceType",
        ANY,
        "no fabric where efa is meant",
        NIC,
    ),
    Default("LaunchTemplate", "instanceMarketOptions.marketType", ANY, "refused", NIC),
    Default(
        "Subnet",
        "availabilityZone",
        ANY,
        "AWS chooses a zone, which may not have the machines",
        f"{D}AWSEC2/latest/APIReference/API_CreateSubnet.html",
    ),
    Default(
        "Subnet",
        "mapPublicIpOnLaunch",
        (False, None),
        "machines get public addresses",
        f"{D}vpc/latest/userguide/subnet-public-ip.html",
    ),
    Default(
        "Vpc",
        "enableDnsHostnames",
        (True,),
        "private names of endpoints don't resolve",
        f"{D}vpc/latest/privatelink/create-interface-endpoint.html",
    ),
    Default(
        "Vpc",
        "enableDnsSupport",
        (True, None),
        "no names resolve",
        f"{D}vpc/latest/userguide/AmazonDNS-concepts.html",
    ),
    Default(
        "SecurityGroup",
        "vpcId",
        ANY,
        "it is in the default VPC",
        f"{D}AWSEC2/latest/APIReference/API_CreateSecurityGroup.html",
    ),
    Default(
        "LoadBalancer",
        "securityGroups",
        ANY,
        "it has the VPC's default group",
        f"{ELB}API_CreateLoadBalancer.html",
    ),
    Default("LoadBalancer", "dropInvalidHeaderFields", (True,), "requests are smuggled in", ALB),
    Default("LoadBalancer", "idleTimeout", range(120, 4001), "answers over 60 s become 504", ALB),
    Default("Listener", "port", ANY, "it is refused", f"{ELB}API_CreateListener.html"),
    Default("Listener", "sslPolicy", ANY, "TLS 1.0 is spoken", HEALTH, "certificateArn"),
    Default("TargetGroup", "healthCheck.matcher", ANY, "only 200 counts", HEALTH),
    Default("TargetGroup", "healthCheck.protocol", ANY, "HTTP, whatever is served", HEALTH),
    Default("TargetGroup", "healthCheck.interval", ANY, "30 s", HEALTH),
    Default("TargetGroup", "healthCheck.timeout", ANY, "5 s", HEALTH),
    Default("TargetGroup", "healthCheck.healthyThreshold", ANY, "5 checks to be used", HEALTH),
    Default("TargetGroup", "healthCheck.unhealthyThreshold", ANY, "2 checks to be left", HEALTH),
    Default("Budget", "costTypes.includeCredit", (False,), "credits hide what is spent", BUDGET),
    Default("Budget", "costTypes.includeRefund", (False,), "refunds hide what is spent", BUDGET),
    Default("Budget", "costTypes", ANY, "credits hide what is spent", BUDGET),
    Default("Budget", "costFilters", ANY, "the whole account counts", BUDGET),
    Default("Budget", "notifications", ANY, "nobody is told", BUDGET),
    Default(
        "Key", "enableKeyRotation", (True,), "never rotated", f"{D}kms/latest/developerguide/"
    ),
    Default("Key", "policy", ANY, "no service may use it", f"{D}kms/latest/developerguide/"),
    Default("Topic", "kmsMasterKeyId", ANY, "not encrypted", f"{D}sns/latest/dg/"),
    Default(
        "Queue",
        "messageRetentionSeconds",
        range(345_600, 1_209_601),
        "what it defaults to is not said: 4 days",
        f"{D}AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html",
    ),
    Default(
        "LogGroup",
        "retentionInDays",
        range(1, 3654),
        "kept, and paid for, for ever",
        f"{D}AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    ),
    Default("Function", "timeout", range(60, 901), "it ends after 3 seconds", LAMBDA),
    Default("Function", "memorySize", range(256, 10_241), "128 MiB", LAMBDA),
    Default("Function", "loggingConfig.logGroup", ANY, "its log is kept for ever", LAMBDA),
    Default("Function", "loggingConfig", ANY, "its log is kept for ever", LAMBDA),
    Default(
        "Permission",
        "sourceArn",
        ANY,
        "any topic of any account calls it",
        f"{D}lambda/latest/api/API_AddPermission.html",
    ),
    Default(
        "BucketServerSideEncryptionConfiguration",
        "rules.bucketKeyEnabled",
        (True,),
        "a paid call to KMS for each object",
        f"{D}AmazonS3/latest/userguide/bucket-key.html",
        "rules.applyServerSideEncryptionByDefault.kmsMasterKeyId",
    ),
    Default(
        "Bucket",
        "bucket",
        ANY,
        "its name is the provider's choice",
        "https://www.pulumi.com/registry/packages/aws/api-docs/s3/bucket/",
    ),
    Default(
        "BucketReplicationConfig",
        "rules.filter",
        ANY,
        "the first version of the rules, without delete markers",
        f"{D}AmazonS3/latest/API/API_ReplicationRule.html",
    ),
    Default("LustreFileSystem", "deploymentType", ANY, "SCRATCH_1", LUSTRE),
    Default("LustreFileSystem", "storageType", ANY, "SSD", LUSTRE),
    Default("LustreFileSystem", "fileSystemTypeVersion", ANY, "2.10, which clients left", LUSTRE),
    Default("LustreFileSystem", "dataCompressionType", ANY, "more is stored and read", LUSTRE),
    Default(
        "DataRepositoryAssociation",
        "batchImportMetaDataOnCreate",
        (True,),
        "files that are there do not show",
        f"{D}fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    ),
    Default(
        "DataRepositoryAssociation",
        "s3.autoImportPolicy",
        ANY,
        "new objects do not show",
        f"{D}fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    ),
    Default(
        "Queue", "visibilityTimeoutSeconds", ANY, "30 s: it is taken twice", SQS, "redrivePolicy"
    ),
    Default("Queue", "sqsManagedSseEnabled", (True, None), "messages lie open", SQS),
    Default("Group", "instanceRefresh.preferences", ANY, "90 % of few", ASG, "targetGroupArns"),
    Default("LifecycleHook", "heartbeatTimeout", range(120, 1801), "held for an hour", HOOK),
    Default("TargetGroup", "healthCheck", ANY, "/ over HTTP is asked", HEALTH),
    Default("TargetGroup", "healthCheck.path", ANY, "/ is asked", HEALTH),
    Default("BucketObjectLockConfiguration", "rule", ANY, "nothing is locked", S3LOCK),
    Default("BudgetAction", "actionThreshold.actionThresholdValue", (100.0,), "late", BUDGET),
    Default(
        "Function",
        "deadLetterConfig",
        ANY,
        "an event that fails is lost",
        LAMBDA,
        "environment.variables.REGIONS",
    ),
    Default(
        "LustreFileSystem",
        "automaticBackupRetentionDays",
        ANY,
        "a backup of each of 30 days is kept and paid for",
        LUSTRE,
        "skipFinalBackup",
    ),
    Default("DataRepositoryAssociation", "s3", ANY, "nothing follows the bucket", LUSTRE),
)


def complaints(stack: Stack, rows: Iterable[Default] = DEFAULTS) -> Iterator[str]:
    """Inputs that are left to a default which costs something."""
    for row in rows:
        for resource, inputs in stack.of(row.token):
            if row.when and not any(True for _ in each(inputs, row.when)):
                continue
            if not resource.type.endswith(OTHERS.get(row.token, row.token)):
                continue
            for holder in _holders(inputs, row.path):
                if not _is_wanted(holder.get(row.path.rpartition(".")[2]), row.expected):
                    yield f"{resource.key}: without {row.path}: {row.loss}"


OTHERS: Final = {"Group": "autoscaling/group:Group", "Key": "kms/key:Key"}
"""Tokens that end as others do."""


def _holders(inputs: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """The objects that may hold an input."""
    above = path.rpartition(".")[0]
    if not above:
        return [inputs]
    return [holder for holder in each(inputs, above) if isinstance(holder, dict)]


def _is_wanted(value: Any, expected: Any) -> bool:
    if isinstance(value, Unknown):
        return True
    if expected is ANY:
        return value is not None and value not in ("", [], {})
    return value in expected
