"""The policy documents of a bucket and of its key."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.statements import allow, text, trust

LEAST_TLS: Final = "1.2"
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies-minimum-tls.html"""

LOGGING: Final = "logging.s3.amazonaws.com"
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html"""

FILES: Final = (
    "kms:Encrypt",
    "kms:Decrypt",
    "kms:ReEncrypt*",
    "kms:GenerateDataKey*",
    "kms:DescribeKey",
)
FILES_ROLE: Final = (
    "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
)
"""What a file system that shows a bucket does with its key, and as whom:
https://docs.aws.amazon.com/fsx/latest/LustreGuide/s3-server-side-encryption-support.html"""

SOURCE: Final = ("s3:GetReplicationConfiguration", "s3:ListBucket")
VERSIONS: Final = (
    "s3:GetObjectVersionForReplication",
    "s3:GetObjectVersionAcl",
    "s3:GetObjectVersionTagging",
)
LOCKS: Final = ("s3:GetObjectRetention", "s3:GetObjectLegalHold")
REPLICATION_ACTIONS: Final = ("s3:ReplicateObject", "s3:ReplicateDelete", "s3:ReplicateTags")
"""The actions that replication requires:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html"""


def private(partition: str, name: str, key: str | None = None) -> list[dict[str, Any]]:
    """Return the statements that deny requests without TLS, and uploads under another key.

    Args:
        partition: of the bucket's region.
        name: the bucket's.
        key: the one of the customer's that all objects are encrypted with; None for S3's own.
    """
    arn = f"arn:{partition}:s3:::{name}"
    deny_all = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, f"{arn}/*"],
    }
    statements: list[dict[str, Any]] = [
        {"Sid": "TlsOnly", **deny_all, "Condition": {"Bool": {"aws:SecureTransport": "false"}}},
        {
            "Sid": "TlsOfToday",
            **deny_all,
            "Condition": {"NumericLessThan": {"s3:TlsVersion": LEAST_TLS}},
        },
    ]
    if key is not None:
        required = {
            "OneKey": ("s3:x-amz-server-side-encryption-aws-kms-key-id", key),
            "OneAlgorithm": ("s3:x-amz-server-side-encryption", "aws:kms"),
        }
        # A request that says nothing is encrypted as the bucket is, so only what is said counts.
        statements += [
            {
                "Sid": sid,
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:PutObject",
                "Resource": f"{arn}/*",
                "Condition": {"Null": {field: "false"}, "StringNotEquals": {field: value}},
            }
            for sid, (field, value) in required.items()
        ]
    return statements


def logs(partition: str, target: str, source: str, account: str) -> dict[str, Any]:
    """Return the statement that lets S3 write the log of one bucket into another."""
    return {
        "Sid": "AccessLogs",
        "Effect": "Allow",
        "Principal": {"Service": LOGGING},
        "Action": "s3:PutObject",
        "Resource": f"arn:{partition}:s3:::{target}/*",
        "Condition": {
            "StringEquals": {"aws:SourceAccount": account},
            "ArnLike": {"aws:SourceArn": f"arn:{partition}:s3:::{source}"},
        },
    }


def key(partition: str, region: str, account: str) -> str:
    """Return a key's policy: the account by its own policies, and file systems through S3."""
    iam = f"arn:{partition}:iam::{account}"
    statements = [
        {
            "Sid": "Account",
            "Effect": "Allow",
            "Principal": {"AWS": f"{iam}:root"},
            "Action": "kms:*",
            "Resource": "*",
        },
        {
            "Sid": "FileSystemsThatShowTheBucket",
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": list(FILES),
            "Resource": "*",
            "Condition": {
                "StringEquals": {
                    "kms:CallerAccount": account,
                    "kms:ViaService": f"s3.{region}.amazonaws.com",
                },
                "ArnLike": {"aws:PrincipalArn": f"{iam}:{FILES_ROLE}"},
            },
        },
    ]
    return text(statements)


def replication(
    source: str,
    target: str,
    keys: Sequence[str] | None,
    *,
    regions: tuple[str, str],
    is_locked: bool,
) -> str:
    """Return the permissions of the role that replicates one bucket to another.

    Args:
        source: the bucket's ARN.
        target: its copy's.
        keys: of both, where they are the customer's.
        regions: of both.
        is_locked: whether versions are locked.
    """
    source_region, copy_region = regions
    statements = [
        allow(SOURCE, source),
        allow((*VERSIONS, *(LOCKS if is_locked else ())), f"{source}/*"),
        allow(REPLICATION_ACTIONS, f"{target}/*"),
    ]
    if keys is not None:
        for action, key_arn, region in (
            ("Decrypt", keys[0], source_region),
            ("Encrypt", keys[1], copy_region),
        ):
            through = {"StringLike": {"kms:ViaService": f"s3.{region}.amazonaws.com"}}
            statements.append({**allow((f"kms:{action}",), key_arn), "Condition": through})
    return text(statements)


TRUST: Final = trust("s3")
