"""Resources that are of no use alone: nothing is declared that nothing uses."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.graph import Ref, Resource, expressions
from tests.witnesses.aws.stack import Stack, each, listed, statements

USED: Final = {
    "iam/role:Role": frozenset({"RolePolicy", "RolePolicyAttachment"}),
    "iam/policy:Policy": frozenset[str](),
    "sns/topic:Topic": frozenset({"TopicPolicy"}),
    "ec2/securityGroup:SecurityGroup": frozenset(
        {"SecurityGroupIngressRule", "SecurityGroupEgressRule"}
    ),
    "lb/targetGroup:TargetGroup": frozenset(
        {"Listener", "MetricAlarm", "RolePolicy", "Policy", "Dashboard", "LaunchTemplate"}
    ),
    "cloudwatch/logGroup:LogGroup": frozenset({"RolePolicy"}),
    "iam/instanceProfile:InstanceProfile": frozenset[str](),
}
"""Types, and what refers to them without making use of them."""


def complaints(stack: Stack) -> Iterator[str]:
    """What nothing uses, and what lacks its other half."""
    used = _users(stack)
    for resource in stack.resources.values():
        token = resource.type.removeprefix("aws:")
        if token in USED and not used.get(resource.key, set()) - USED[token]:
            yield f"{resource.key}: nothing uses it"
    yield from _topics(stack)
    yield from _buckets(stack)
    yield from _pairs(stack)
    yield from _queues(stack, used)
    yield from _scaled_queues(stack)
    yield from _replicas(stack)
    yield from _file_systems(stack)


def _users(stack: Stack) -> dict[str, set[str]]:
    """The ends of the tokens of what refers to each resource."""
    users: dict[str, set[str]] = {}
    for resource in stack.graph.resources.values():
        for ref in expressions(resource.inputs):
            if isinstance(ref, Ref):
                users.setdefault(ref.key, set()).add(resource.type.rpartition(":")[2])
    return users


def _refers(resource: Resource, key: str) -> bool:
    return any(isinstance(ref, Ref) and ref.key == key for ref in expressions(resource.inputs))


def _topics(stack: Stack) -> Iterator[str]:
    """A topic is heard by somebody; one that lets budgets publish is named by a budget."""
    for topic, _ in stack.of("Topic"):
        heard = [
            resource
            for resource, _ in stack.of("TopicSubscription")
            if _refers(resource, topic.key)
        ]
        policies = [
            resource for resource, _ in stack.of("TopicPolicy") if _refers(resource, topic.key)
        ]
        if not heard:
            yield f"{topic.key}: nobody hears what it is told"
        if not policies:
            yield f"{topic.key}: it has no policy that lets services publish"
        text = " ".join(str(stack.inputs(policy).get("policy")) for policy in policies)
        budgets = [resource for resource, _ in stack.of("Budget") if _refers(resource, topic.key)]
        if "budgets.amazonaws.com" in text and any(stack.of("Budget")) and not budgets:
            yield f"{topic.key}: no budget tells it anything"


def _queues(stack: Stack, used: Mapping[str, set[str]]) -> Iterator[str]:
    """A queue of people's requests has a policy; one of a function's failures is Lambda's."""
    for queue, _ in stack.of("Queue"):
        if not used.get(queue.key, set()) & {"QueuePolicy", "Function"}:
            yield f"{queue.key}: it has no policy, and takes requests without TLS"


def _buckets(stack: Stack) -> Iterator[str]:
    for bucket, inputs in stack.of("Bucket"):
        settings = {
            resource.type.rpartition(":")[2]: stack.inputs(resource)
            for resource in stack.resources.values()
            if stack.named(stack.inputs(resource).get("bucket")) is bucket
        }
        if inputs.get("objectLockEnabled") and "BucketObjectLockConfiguration" not in settings:
            yield f"{bucket.key}: object lock is on and locks nothing"
        yield from (f"{bucket.key}: {words}" for words in _kept(settings))
        yield from _encrypted(stack, bucket, settings)
        for policy, own in stack.of("BucketPolicy"):
            if stack.named(own.get("bucket")) is bucket and _logged(own):
                logs = [
                    resource
                    for resource, inputs in stack.of("BucketLogging")
                    if _to(stack, inputs, bucket)
                ]
                if not logs:
                    yield f"{policy.key}: no bucket logs here"
                if not inputs.get("forceDestroy"):
                    yield f"{bucket.key}: logs arrive until it is deleted, and it must be empty"


def _kept(settings: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Settings of old versions, in a bucket that keeps none.

    https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-requirements.html
    """
    if "BucketVersioning" in settings:
        return
    lifecycle = settings.get("BucketLifecycleConfiguration", {})
    if any(each(lifecycle, "rules.noncurrentVersionExpiration")):
        yield "old versions expire, and it keeps none"
    if "BucketReplicationConfig" in settings:
        yield "only versions are copied, and it keeps none"


def _encrypted(
    stack: Stack, bucket: Resource, settings: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """A key that is declared beside a bucket, in its region, encrypts its objects."""
    region = stack.inputs(bucket).get("region")
    keys = [
        key
        for key, inputs in stack.of("Key")
        if key.parent == bucket.parent and inputs.get("region") == region
    ]
    if keys and "BucketServerSideEncryptionConfiguration" not in settings:
        yield f"{bucket.key}: {keys[0].key} is declared, and objects are not encrypted by it"


def _logged(inputs: dict[str, object]) -> bool:
    return any(
        "logging.s3.amazonaws.com" in listed((statement.get("Principal") or {}).get("Service"))
        for statement in statements(inputs.get("policy"))
        if isinstance(statement.get("Principal"), dict)
    )


def _scaled_queues(stack: Stack) -> Iterator[str]:
    """A pool scales on one queue, whatever looks at it; one of elsewhere has but a name."""
    names: dict[str | None, set[Any]] = {}
    for alarm, inputs in stack.of("MetricAlarm"):
        names.setdefault(alarm.parent, set()).update(
            each(inputs, "metricQueries.metric.dimensions.QueueName")
        )
    tracked = "targetTrackingConfiguration.customizedMetricSpecification.metrics.metricStat.metric"
    for policy, inputs in stack.of("Policy"):
        names.setdefault(policy.parent, set()).update(
            dimension.get("value")
            for dimension in each(inputs, f"{tracked}.dimensions")
            if dimension.get("name") == "QueueName"
        )
    for parent, named in names.items():
        if len(named) > 1:
            yield f"{parent}: it scales on several queues"


def _replicas(stack: Stack) -> Iterator[str]:
    """A copy is locked as its original is: else it can be deleted while that one can't."""
    locked = {
        stack.key_of(inputs.get("bucket"))
        for _, inputs in stack.of("BucketObjectLockConfiguration")
    }
    for replication, inputs in stack.of("BucketReplicationConfig"):
        copies = {stack.key_of(bucket) for bucket in each(inputs, "rules.destination.bucket")}
        original = stack.key_of(inputs.get("bucket"))
        for copy in copies - {None}:
            if (copy in locked) != (original in locked):
                yield f"{replication.key}: one of {original} and {copy} is locked"


def _file_systems(stack: Stack) -> Iterator[str]:
    """EFA is on where its firewall says so; a last backup is taken where no bucket is linked.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
    """
    linked = {
        stack.key_of(inputs.get("fileSystemId"))
        for _, inputs in stack.of("DataRepositoryAssociation")
    }
    for system, inputs in stack.of("LustreFileSystem"):
        groups = {ref.key for ref in expressions(system.inputs) if isinstance(ref, Ref)}
        everything = any(
            rule.get("ipProtocol") == "-1" and stack.key_of(rule.get("securityGroupId")) in groups
            for _, rule in stack.of("SecurityGroupIngressRule")
        )
        if bool(inputs.get("efaEnabled")) != everything:
            yield f"{system.key}: EFA takes every protocol, and Lustre alone a few ports"
        keeps = str(inputs.get("deploymentType")).startswith("PERSISTENT")
        if keeps and inputs.get("skipFinalBackup") is not (system.key in linked):
            yield f"{system.key}: it is backed up at its end where no bucket is linked"


def _to(stack: Stack, inputs: dict[str, object], bucket: Resource) -> bool:
    return stack.named(inputs.get("targetBucket")) is bucket


def _pairs(stack: Stack) -> Iterator[str]:
    """A role that may complete a lifecycle action has a hook in its group."""
    for policy, inputs in stack.of("RolePolicy"):
        parts = statements(inputs.get("policy"))
        actions = {action for part in parts for action in listed(part.get("Action"))}
        if "autoscaling:CompleteLifecycleAction" not in actions:
            continue
        groups = [
            resource for resource, _ in stack.of("Group") if resource.parent == policy.parent
        ]
        hooks = [
            resource
            for resource, _ in stack.of("LifecycleHook")
            if resource.parent == policy.parent
        ]
        if groups and not hooks:
            yield f"{policy.key}: its group ends machines without waiting for them"
