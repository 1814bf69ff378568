"""AWS names per resource type; each rule's source is `name_source` in data/aws.json."""

from gpuinfra.sandbox.plugin.naming import Naming

_IAM = r"[\w+=,.@-]+"
_IAM_SAYS = "letters, digits and +=,.@-_"
_BALANCER = r"(?!-)(?!internal-)[0-9A-Za-z-]+(?<!-)"
_BALANCER_SAYS = (
    "letters, digits and hyphens, no hyphen at either end, not starting with internal-"
)
_EVENTS = r"[.\-_A-Za-z0-9]+"
_EVENTS_SAYS = "letters, digits and .-_"

# Duplicate codes and words: the services' own API references.
NAMING: dict[str, Naming] = {
    "aws:autoscaling/group:Group": Naming(
        minimum=0, duplicate="AlreadyExists", taken="A group already exists with the name {name}"
    ),
    "aws:autoscaling/lifecycleHook:LifecycleHook": Naming(pattern=r"[A-Za-z0-9\-_/]+"),
    "aws:autoscaling/policy:Policy": Naming(),
    "aws:autoscaling/schedule:Schedule": Naming(key="scheduledActionName"),
    "aws:budgets/budget:Budget": Naming(
        maximum=100,
        pattern=r"[^:\\]+",
        says="no colon and no backslash",
        duplicate="DuplicateRecordException",
        taken="Error creating budget: {name} - the budget already exists.",
        worldwide=True,
    ),
    "aws:cloudwatch/eventRule:EventRule": Naming(maximum=64, pattern=_EVENTS, says=_EVENTS_SAYS),
    "aws:cloudwatch/logGroup:LogGroup": Naming(
        maximum=512,
        pattern=r"[.\-_/#A-Za-z0-9]+",
        says="letters, digits and .-_/#",
        duplicate="ResourceAlreadyExistsException",
        taken="The specified log group already exists",
    ),
    "aws:cloudwatch/logMetricFilter:LogMetricFilter": Naming(
        maximum=512, pattern=r"[^:*]+", says="no colon and no asterisk"
    ),
    "aws:cloudwatch/metricAlarm:MetricAlarm": Naming(),
    "aws:ec2/launchTemplate:LaunchTemplate": Naming(
        minimum=3,
        maximum=125,
        pattern=r"[0-9A-Za-z()./_\-]+",
        says="letters, digits and ()./_-",
        duplicate="InvalidLaunchTemplateName.AlreadyExistsException",
        taken="Launch template name already in use.",
    ),
    "aws:ec2/placementGroup:PlacementGroup": Naming(
        duplicate="InvalidPlacementGroup.Duplicate",
        taken="The Placement Group '{name}' already exists.",
    ),
    "aws:ec2/securityGroup:SecurityGroup": Naming(
        minimum=0,
        pattern=r"(?!sg-).*",
        says="not starting with sg-",
        duplicate="InvalidGroup.Duplicate",
        taken="The security group '{name}' already exists",
        scope=("vpcId",),
    ),
    "aws:ecr/repository:Repository": Naming(
        minimum=2,
        maximum=256,
        pattern=r"(?:[a-z0-9]+(?:[._-][a-z0-9]+)*/)*[a-z0-9]+(?:[._-][a-z0-9]+)*",
        says="lower-case letters, digits and single ._-/ between them",
        lower=True,
        duplicate="RepositoryAlreadyExistsException",
        taken="The repository with name '{name}' already exists in the registry",
    ),
    "aws:eks/cluster:Cluster": Naming(
        maximum=100,
        pattern=r"[0-9A-Za-z][0-9A-Za-z_-]*",
        says="letters, digits, - and _",
        duplicate="ResourceInUseException",
        taken="Cluster already exists with name: {name}",
    ),
    "aws:eks/nodeGroup:NodeGroup": Naming(
        key="nodeGroupName",
        minimum=0,
        maximum=63,
        duplicate="ResourceInUseException",
        taken="NodeGroup already exists with name {name}",
        scope=("clusterName",),
    ),
    "aws:iam/instanceProfile:InstanceProfile": Naming(
        maximum=128,
        pattern=_IAM,
        says=_IAM_SAYS,
        duplicate="EntityAlreadyExists",
        taken="Instance Profile {name} already exists.",
        worldwide=True,
    ),
    "aws:iam/policy:Policy": Naming(
        maximum=128,
        pattern=_IAM,
        says=_IAM_SAYS,
        duplicate="EntityAlreadyExists",
        taken="A policy called {name} already exists. Duplicate names are not allowed.",
        worldwide=True,
    ),
    "aws:iam/role:Role": Naming(
        maximum=64,
        pattern=_IAM,
        says=_IAM_SAYS,
        duplicate="EntityAlreadyExists",
        taken="Role with name {name} already exists.",
        worldwide=True,
    ),
    "aws:iam/rolePolicy:RolePolicy": Naming(maximum=128, pattern=_IAM, says=_IAM_SAYS),
    "aws:kms/alias:Alias": Naming(
        pattern=r"alias/[0-9A-Za-z_:/-]+",
        says="alias/ and then letters, digits and _:/-",
        prefix="alias/",
        duplicate="AlreadyExistsException",
        taken="An alias with the name {name} already exists",
    ),
    "aws:kms/grant:Grant": Naming(
        maximum=256, pattern=r"[a-zA-Z0-9:/_-]+", says="letters, digits and :/_-"
    ),
    "aws:lambda/function:Function": Naming(
        maximum=64,
        pattern=r"[a-zA-Z0-9-_]+",
        says="letters, digits, - and _",
        duplicate="ResourceConflictException",
        taken="Function already exist: {name}",
    ),
    "aws:lb/loadBalancer:LoadBalancer": Naming(
        maximum=32,
        pattern=_BALANCER,
        says=_BALANCER_SAYS,
        duplicate="DuplicateLoadBalancerName",
        taken="A load balancer with the same name '{name}' exists, but with different settings",
    ),
    "aws:lb/targetGroup:TargetGroup": Naming(
        maximum=32,
        pattern=r"(?!-)[0-9A-Za-z-]+(?<!-)",
        says="letters, digits and hyphens, no hyphen at either end",
        duplicate="DuplicateTargetGroupName",
        taken="A target group with the same name '{name}' exists, but with different settings",
    ),
    "aws:s3/bucket:Bucket": Naming(
        key="bucket",
        minimum=3,
        maximum=63,
        pattern=r"(?!\.)(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[0-9a-z.-]+(?<!\.)",
        says="lower-case letters, digits, - and single dots inside, not an IP address",
        lower=True,
        duplicate="BucketAlreadyOwnedByYou",
        taken="Your previous request to create the named bucket succeeded and you already own it.",
        worldwide=True,
    ),
    # The bridge names an object after its resource: provider/resources.go of pulumi-aws.
    "aws:s3/bucketObjectv2:BucketObjectv2": Naming(key="key", made="copy", maximum=1024),
    "aws:scheduler/schedule:Schedule": Naming(
        maximum=64,
        pattern=r"[0-9A-Za-z_.-]+",
        says=_EVENTS_SAYS,
        duplicate="ConflictException",
        taken="Schedule {name} already exists.",
        scope=("groupName",),
    ),
    "aws:scheduler/scheduleGroup:ScheduleGroup": Naming(
        maximum=64,
        pattern=r"[0-9A-Za-z_.-]+",
        says=_EVENTS_SAYS,
        duplicate="ConflictException",
        taken="Schedule group {name} already exists.",
    ),
    "aws:sns/topic:Topic": Naming(
        maximum=256,
        pattern=r"[0-9A-Za-z_-]{1,256}|[0-9A-Za-z_-]{1,251}\.fifo",
        says="letters, digits, - and _, .fifo at the end of a FIFO topic",
    ),
    "aws:sqs/queue:Queue": Naming(
        maximum=80,
        pattern=r"[0-9A-Za-z_-]{1,80}|[0-9A-Za-z_-]{1,75}\.fifo",
        says="letters, digits, - and _, .fifo at the end of a FIFO queue",
        duplicate="QueueAlreadyExists",
        taken="A queue named {name} already exists",
    ),
    "aws:ssm/document:Document": Naming(
        minimum=3,
        maximum=128,
        pattern=_EVENTS,
        says=_EVENTS_SAYS,
        duplicate="DocumentAlreadyExists",
        taken="The specified document already exists: {name}",
    ),
    "aws:ssm/parameter:Parameter": Naming(
        maximum=2048,
        duplicate="ParameterAlreadyExists",
        taken="The parameter already exists. To overwrite this value, set the overwrite option.",
    ),
}
