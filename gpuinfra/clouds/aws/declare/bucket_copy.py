"""Declares the copy of a bucket in a second region, and the role that replicates to it."""

from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare import bucket_policies
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.hardened_bucket import DeclaredBucket
from gpuinfra.graph import Options, format_values

PART: Final = "_replica"


def replicate(
    children: Children,
    source: DeclaredBucket,
    copy: DeclaredBucket,
    *,
    regions: tuple[str, str],
    keys: tuple[Any, Any] | None,
    is_locked: bool,
) -> None:
    """Declare the replication of everything that is written from now on, deletions included.

    Args:
        children: of the component.
        source: the bucket.
        copy: where it goes.
        regions: of both.
        keys: of both, where they are the customer's.
        is_locked: whether their versions are locked.
    """
    role = children.make(
        "aws:iam/role:Role", "replication_role", assumeRolePolicy=bucket_policies.TRUST
    )
    policy = partial(bucket_policies.replication, regions=regions, is_locked=is_locked)
    rights = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        "replication_rights",
        role=role["id"],
        policy=format_values(policy, source.bucket["arn"], copy.bucket["arn"], keys),
    )
    children.make(
        "aws:s3/bucketReplicationConfig:BucketReplicationConfig",
        "replication",
        Options(depends_on=(source.versioning.key, copy.versioning.key, rights.key)),
        bucket=source.bucket["bucket"],
        role=role["arn"],
        rules=[_rule(copy.bucket["arn"], None if keys is None else keys[1])],
    )


def _rule(target: Any, key: Any) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": "everything",
        "status": "Enabled",
        "priority": 0,
        "filter": {"prefix": ""},
        "deleteMarkerReplication": {"status": "Enabled"},
        "destination": {"bucket": target},
    }
    if key is not None:
        rule["sourceSelectionCriteria"] = {"sseKmsEncryptedObjects": {"status": "Enabled"}}
        rule["destination"]["encryptionConfiguration"] = {"replicaKmsKeyId": key}
    return rule
