"""Things of AWS's other services that an input can refer to."""

from gpuinfra.sandbox.plugin.aws.kinds import OF_EC2, Kind

_ROLE_MISSING = "The role with name {value} cannot be found."
_NO_BUCKET = "The specified bucket '{value}' does not exist"


def _role(code: str, message: str) -> Kind:
    return Kind(
        made_by="aws:iam/role:Role",
        key="name",
        service="iam",
        operation="get_role",
        parameter="RoleName",
        many=False,
        code=code,
        message=message,
    )


def _bucket(code: str, message: str = _NO_BUCKET) -> Kind:
    return Kind(
        made_by="aws:s3/bucket:Bucket",
        service="s3",
        operation="head_bucket",
        parameter="Bucket",
        many=False,
        code=code,
        message=message,
    )


OF_SERVICES: dict[str, Kind] = {
    "role": _role("NoSuchEntity", _ROLE_MISSING),
    # docs.aws.amazon.com/lambda/latest/dg/troubleshooting-deployment.html
    "function-role": _role(
        "InvalidParameterValueException",
        "The role defined for the function cannot be assumed by Lambda.: {value}",
    ),
    # docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html
    "schedule-role": _role(
        "ValidationException",
        "The execution role you provide must allow AWS EventBridge Scheduler to assume the role: "
        "{value}",
    ),
    "instance-profile": Kind(
        made_by="aws:iam/instanceProfile:InstanceProfile",
        key="name",
        service="iam",
        operation="get_instance_profile",
        parameter="InstanceProfileName",
        many=False,
        code="InvalidParameterValue",
        message="Value ({value}) for parameter iamInstanceProfile.name is invalid. "
        "Invalid IAM Instance Profile name",
    ),
    "policy": Kind(
        made_by="aws:iam/policy:Policy",
        key="arn",
        service="iam",
        operation="get_policy",
        parameter="PolicyArn",
        many=False,
        code="NoSuchEntity",
        message="Policy {value} does not exist or is not attachable.",
    ),
    "bucket": _bucket("NoSuchBucket"),
    # docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    "log-bucket": _bucket(
        "InvalidTargetBucketForLogging", "The target bucket '{value}' for logging does not exist"
    ),
    "replica-bucket": _bucket("InvalidRequest", "Destination bucket '{value}' must exist."),
    "load-balancer": Kind(
        made_by="aws:lb/loadBalancer:LoadBalancer",
        service="elbv2",
        operation="describe_load_balancers",
        parameter="LoadBalancerArns",
        code="LoadBalancerNotFound",
        message="Load balancer '{value}' not found",
    ),
    "target-group": Kind(
        made_by="aws:lb/targetGroup:TargetGroup",
        service="elbv2",
        operation="describe_target_groups",
        parameter="TargetGroupArns",
        code="TargetGroupNotFound",
        message="Target group '{value}' not found",
    ),
    "auto-scaling-group": Kind(
        made_by="aws:autoscaling/group:Group",
        key="name",
        service="autoscaling",
        operation="describe_auto_scaling_groups",
        parameter="AutoScalingGroupNames",
        code="ValidationError",
        message="AutoScalingGroup name not found - {value}",
    ),
    "topic": Kind(
        made_by="aws:sns/topic:Topic",
        service="sns",
        operation="get_topic_attributes",
        parameter="TopicArn",
        many=False,
        code="NotFound",
        message="Topic does not exist: {value}",
    ),
    "key": Kind(
        made_by="aws:kms/key:Key",
        key="keyId",
        service="kms",
        operation="describe_key",
        parameter="KeyId",
        many=False,
        code="NotFoundException",
        message="Key '{value}' does not exist",
    ),
    "cluster": Kind(
        made_by="aws:eks/cluster:Cluster",
        key="name",
        service="eks",
        operation="describe_cluster",
        parameter="name",
        many=False,
        code="ResourceNotFoundException",
        message="No cluster found for name: {value}.",
    ),
    "file-system": Kind(
        made_by="aws:fsx/lustreFileSystem:LustreFileSystem",
        service="fsx",
        operation="describe_file_systems",
        parameter="FileSystemIds",
        code="FileSystemNotFound",
        message="File system '{value}' does not exist.",
    ),
    "budget": Kind(
        made_by="aws:budgets/budget:Budget",
        key="name",
        code="NotFoundException",
        message="Unable to get budget: {value} - the budget doesn't exist.",
    ),
    "event-rule": Kind(
        made_by="aws:cloudwatch/eventRule:EventRule",
        key="name",
        service="events",
        operation="describe_rule",
        parameter="Name",
        many=False,
        code="ResourceNotFoundException",
        message="Rule {value} does not exist on EventBus default.",
    ),
    "function": Kind(
        made_by="aws:lambda/function:Function",
        key="name",
        service="lambda",
        operation="get_function",
        parameter="FunctionName",
        many=False,
        code="ResourceNotFoundException",
        message="Function not found: {value}",
    ),
    "log-group": Kind(
        made_by="aws:cloudwatch/logGroup:LogGroup",
        key="name",
        service="logs",
        operation="describe_log_streams",
        parameter="logGroupName",
        many=False,
        code="ResourceNotFoundException",
        message="The specified log group does not exist: {value}",
    ),
    "queue": Kind(
        made_by="aws:sqs/queue:Queue",
        service="sqs",
        operation="get_queue_attributes",
        parameter="QueueUrl",
        many=False,
        code="AWS.SimpleQueueService.NonExistentQueue",
        message="The specified queue does not exist: {value}",
    ),
    "repository": Kind(
        made_by="aws:ecr/repository:Repository",
        key="name",
        service="ecr",
        operation="describe_repositories",
        parameter="repositoryNames",
        code="RepositoryNotFoundException",
        message="The repository with name '{value}' does not exist in the registry",
    ),
    "schedule-group": Kind(
        made_by="aws:scheduler/scheduleGroup:ScheduleGroup",
        key="name",
        service="scheduler",
        operation="get_schedule_group",
        parameter="Name",
        many=False,
        code="ResourceNotFoundException",
        message="Schedule group {value} does not exist.",
    ),
}

KINDS: dict[str, Kind] = OF_EC2 | OF_SERVICES
