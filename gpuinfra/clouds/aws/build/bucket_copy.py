"""Builds the copy of a bucket in a second region, and the role that keeps it."""

from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import bucket_policies
from gpuinfra.clouds.aws.build.bucket_parts import Made
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.building.children import Kinds

PART: Final = "_replica"

KINDS: Final[Kinds] = {
    "replication": aws.s3.BucketReplicationConfig,
    "replication_role": aws.iam.Role,
    "replication_rights": aws.iam.RolePolicy,
}


def replicate(
    children: Children,
    source: Made,
    copy: Made,
    *,
    regions: tuple[str, str],
    keys: tuple[pulumi.Input[str], pulumi.Input[str]] | None,
    locked: bool,
) -> None:
    """Copy everything that comes from now on, deletions too.

    Args:
        children: of the component.
        source: the bucket.
        copy: where it goes.
        regions: of both.
        keys: of both, where they are the customer's.
        locked: whether their versions are locked.
    """
    role = children.make(
        aws.iam.Role, "replication_role", assume_role_policy=bucket_policies.TRUST
    )
    known = pulumi.Output.all(source.bucket.arn, copy.bucket.arn, list(keys) if keys else None)
    rights = children.make(
        aws.iam.RolePolicy,
        "replication_rights",
        role=role.id,
        policy=known.apply(
            lambda one: bucket_policies.replication(
                one[0], one[1], regions, tuple(one[2]) if one[2] else None, locked=locked
            )
        ),
    )
    children.make(
        aws.s3.BucketReplicationConfig,
        "replication",
        opts=children.options(depends_on=[source.versioning, copy.versioning, rights]),
        bucket=source.bucket.bucket,
        role=role.arn,
        rules=[_rule(copy.bucket.arn, None if keys is None else keys[1])],
    )


def _rule(target: pulumi.Input[str], key: pulumi.Input[str] | None) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": "everything",
        "status": "Enabled",
        "priority": 0,
        "filter": {"prefix": ""},
        "delete_marker_replication": {"status": "Enabled"},
        "destination": {"bucket": target},
    }
    if key is not None:
        rule["source_selection_criteria"] = {"sse_kms_encrypted_objects": {"status": "Enabled"}}
        rule["destination"]["encryption_configuration"] = {"replica_kms_key_id": key}
    return rule
