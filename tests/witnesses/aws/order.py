"""What has to stand before AWS takes another resource, though nothing of it is referred to."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from gpuinfra.graph import Ref, Resource, expressions
from tests.witnesses.aws.stack import Stack


class After(NamedTuple):
    """A type that is made after another one which is about the same resource.

    Attributes:
        later: the end of its token.
        earlier: the end of the other's token.
        shared: the end of the token of what both refer to.
        source: the page that says so.
    """

    later: str
    earlier: str
    shared: str
    source: str


S3: Final = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/"
IAM: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html"
AFTER: Final = (
    After("BucketReplicationConfig", "BucketVersioning", "Bucket", f"{S3}replication.html"),
    After("BucketObjectLockConfiguration", "BucketVersioning", "Bucket", f"{S3}object-lock.html"),
    After("BucketLifecycleConfiguration", "BucketVersioning", "Bucket", f"{S3}Versioning.html"),
    After("BucketPolicy", "BucketPublicAccessBlock", "Bucket", f"{S3}bucket-policies.html"),
    After("BucketLogging", "BucketPolicy", "Bucket", f"{S3}enable-server-access-logging.html"),
    After("Function", "RolePolicy", "Role", IAM),
    After("Schedule", "RolePolicy", "Role", IAM),
    After("FlowLog", "RolePolicy", "Role", IAM),
    After("BucketReplicationConfig", "RolePolicy", "Role", IAM),
    After("BudgetAction", "RolePolicy", "Role", IAM),
    After(
        "Budget",
        "TopicPolicy",
        "Topic",
        "https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    ),
    After(
        "TopicSubscription",
        "Permission",
        "Topic",
        "https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html",
    ),
    After(
        "LustreFileSystem",
        "SecurityGroupIngressRule",
        "SecurityGroup",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    ),
    After(
        "LustreFileSystem",
        "SecurityGroupEgressRule",
        "SecurityGroup",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    ),
)
"""Pairs that the cloud refuses, or leaves without effect, in the other order."""

BUCKETS: Final = {
    "BucketLogging": ("targetBucket",),
    "BucketReplicationConfig": ("bucket", "rules"),
}
"""Where a setting names the buckets whose policies and versions count, if not as its bucket."""

MAILED: Final = frozenset({"email"})


def complaints(stack: Stack) -> Iterator[str]:
    """Resources that are made before what they need."""
    for later, earlier, shared, _ in AFTER:
        for resource, inputs in stack.of(later):
            if inputs.get("protocol") in MAILED:
                continue
            about = _about(resource, shared, stack)
            for other, _ in stack.of(earlier):
                same = about & _about(other, shared, stack)
                if same and other.key not in stack.before(resource):
                    yield f"{resource.key}: made before {other.key}, which is about {min(same)}"
    yield from _filtered(stack)
    yield from _ending(stack)


def _about(resource: Resource, shared: str, stack: Stack) -> frozenset[Any]:
    """The resources of a type that one refers to; of buckets the one whose setting it is."""
    of_bucket = BUCKETS.get(resource.type.rpartition(":")[2], ("bucket",))
    buckets = [resource.inputs.get(key) for key in of_bucket]
    named = buckets if shared == "Bucket" else resource.inputs
    return frozenset(
        expression.key
        for expression in expressions(named)
        if isinstance(expression, Ref)
        and stack.graph.resources[expression.key].type.endswith(f":{shared}")
    )


def _filtered(stack: Stack) -> Iterator[str]:
    """Machines mount a file system while they start: its firewall is open before they do."""
    rules = [
        resource
        for token in ("SecurityGroupIngressRule", "SecurityGroupEgressRule")
        for resource, _ in stack.of(token)
        if resource.child.startswith("shared_")
    ]
    for group, _ in stack.of("Group"):
        for rule in rules:
            if rule.parent == group.parent and rule.key not in stack.before(group):
                yield f"{group.key}: made before {rule.key}, through which it mounts"


def _ending(stack: Stack) -> Iterator[str]:
    """An address is paid from its start: it waits for the end of machines that have one.

    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-eips.html
    """
    ends = {
        (resource.parent, key)
        for resource in stack.resources.values()
        for key in resource.options.depends_on
        if key.endswith("_end")
    }
    for address, _ in stack.of("Eip"):
        for parent, end in ends:
            if address.parent == parent and end not in stack.before(address):
                yield f"{address.key}: it is paid before {end} stands"
