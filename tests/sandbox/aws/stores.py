"""The lives of what stores: companions of a bucket, its objects, file systems, repositories."""

import json
from typing import Any

from tests.sandbox.aws.cases import ARN, NEW_TAGS, TAGS, Case, Inputs

KEEP = json.dumps(
    {
        "rules": [
            {
                "rulePriority": 1,
                "selection": {
                    "tagStatus": "any",
                    "countType": "imageCountMoreThan",
                    "countNumber": 9,
                },
                "action": {"type": "expire"},
            }
        ]
    }
)
PULL = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": "*", "Action": "ecr:BatchGetImage", "Sid": "pull"}
        ],
    }
)
LOGS = "stage-logs"


def text(content: str, digest: str) -> Inputs:
    """A text asset as the engine sends it."""
    signature = "4dabf18193072939515e22adb298388d"
    return {signature: "c44067f5952c0a294b673a41bacd8c17", "text": content, "hash": digest}


def log_bucket(stage: Any) -> str:
    """A bucket that the logging service may write to."""

    def make() -> str:
        s3 = stage.client("s3")
        s3.create_bucket(Bucket=LOGS)
        allow = {
            "Effect": "Allow",
            "Principal": {"Service": "logging.s3.amazonaws.com"},
            "Action": "s3:PutObject",
            "Resource": f"arn:aws:s3:::{LOGS}/*",
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
        s3.put_bucket_policy(Bucket=LOGS, Policy=policy)
        return LOGS

    return str(stage.once("log bucket", make))


def versioned(stage: Any, name: str) -> str:
    """A versioned bucket of its own."""

    def make() -> str:
        s3 = stage.client("s3")
        s3.create_bucket(Bucket=name)
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return name

    return str(stage.once(name, make))


def repository(stage: Any) -> str:
    def make() -> str:
        stage.client("ecr").create_repository(repositoryName="stage/serving")
        return "stage/serving"

    return str(stage.once("repository", make))


def replication(stage: Any, **more: Any) -> Inputs:
    target = f"arn:aws:s3:::{versioned(stage, 'stage-copy')}"
    rule = {
        "id": "all",
        "status": "Enabled",
        "filter": {"prefix": "weights/"},
        "deleteMarkerReplication": {"status": "Enabled"},
        "destination": {"bucket": target, "storageClass": "STANDARD_IA"},
    }
    return {
        "bucket": versioned(stage, "stage-source"),
        "role": "arn:aws:iam::123456789012:role/stage",
        "rules": [{**rule, **more}],
    }


STORES = [
    Case(
        "aws:s3/bucketLogging:BucketLogging",
        "stage-bucket",
        lambda stage: {
            "bucket": stage.bucket,
            "targetBucket": log_bucket(stage),
            "targetPrefix": "log/",
        },
        lambda client, it, outputs: client("s3").put_bucket_logging(
            Bucket=it, BucketLoggingStatus={}
        ),
        "",
        lambda stage: {"targetPrefix": "access/"},
    ),
    Case(
        "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
        "stage-locked",
        lambda stage: {
            "bucket": versioned(stage, "stage-locked"),
            "rule": {"defaultRetention": {"mode": "GOVERNANCE", "days": 30}},
        },
        lambda client, it, outputs: client("s3").put_object_lock_configuration(
            Bucket=it,
            ObjectLockConfiguration={
                "ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}},
            },
        ),
        "rule",
        lambda stage: {"rule": {"defaultRetention": {"mode": "GOVERNANCE", "days": 7}}},
        remains=True,
    ),
    Case(
        "aws:s3/bucketReplicationConfig:BucketReplicationConfig",
        "stage-source",
        replication,
        lambda client, it, outputs: client("s3").delete_bucket_replication(Bucket=it),
        "",
        lambda stage: replication(stage, status="Disabled"),
        frozenset({"rules"}),
    ),
    Case(
        "aws:s3/bucketNotification:BucketNotification",
        "stage-bucket",
        lambda stage: {
            "bucket": stage.bucket,
            "eventbridge": True,
            "topics": [
                {
                    "topicArn": stage.topic,
                    "events": ["s3:ObjectCreated:*"],
                    "filterPrefix": "checkpoints/",
                }
            ],
        },
        lambda client, it, outputs: client("s3").put_bucket_notification_configuration(
            Bucket=it, NotificationConfiguration={}
        ),
        "topics",
        lambda stage: {"eventbridge": False},
        frozenset({"eventbridge"}),
    ),
    Case(
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "stage-bucket/run/start.sh",
        lambda stage: {
            "bucket": stage.bucket,
            "key": "run/start.sh",
            "source": text("echo 1", "11"),
            "contentType": "text/x-shellscript",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("s3").put_object(
            Bucket="stage-bucket", Key="run/start.sh", Body=b"rm"
        ),
        "etag",
        lambda stage: {"source": text("echo 2", "22"), "tags": None},
        frozenset({"source"}),
    ),
    Case(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "fs-[0-9a-f]+",
        lambda stage: {
            "subnetIds": stage.subnet,
            "securityGroupIds": [stage.group],
            "deploymentType": "PERSISTENT_2",
            "perUnitStorageThroughput": 250,
            "storageCapacity": 4800,
            "storageType": "SSD",
            "metadataConfiguration": {"mode": "AUTOMATIC"},
            "tags": TAGS,
        },
        lambda client, it, outputs: client("fsx").delete_file_system(FileSystemId=it),
        "",
        lambda stage: {"storageCapacity": 7200, "tags": NEW_TAGS},
        frozenset(
            {
                "securityGroupIds",
                "deploymentType",
                "perUnitStorageThroughput",
                "metadataConfiguration",
            }
        ),
    ),
    Case(
        "aws:ecr/repository:Repository",
        "demo/serving",
        lambda stage: {
            "name": "demo/serving",
            "imageTagMutability": "IMMUTABLE",
            "imageScanningConfiguration": {"scanOnPush": True},
            "encryptionConfigurations": [{"encryptionType": "AES256"}],
            "forceDelete": True,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ecr").put_image_tag_mutability(
            repositoryName=it, imageTagMutability="MUTABLE"
        ),
        "imageTagMutability",
        lambda stage: {"imageScanningConfiguration": {"scanOnPush": False}, "tags": NEW_TAGS},
        frozenset({"forceDelete", "encryptionConfigurations"}),
    ),
    Case(
        "aws:ecr/lifecyclePolicy:LifecyclePolicy",
        "stage/serving",
        lambda stage: {"repository": repository(stage), "policy": KEEP},
        lambda client, it, outputs: client("ecr").delete_lifecycle_policy(repositoryName=it),
    ),
    Case(
        "aws:ecr/repositoryPolicy:RepositoryPolicy",
        "stage/serving",
        lambda stage: {"repository": repository(stage), "policy": PULL},
        lambda client, it, outputs: client("ecr").delete_repository_policy(repositoryName=it),
        "",
        lambda stage: {"policy": PULL.replace("BatchGetImage", "GetDownloadUrlForLayer")},
    ),
    Case(
        "aws:acm/certificate:Certificate",
        f"{ARN}acm:us-east-1:\\d+:certificate/[0-9a-f-]+",
        lambda stage: {
            "domainName": "serving.example.com",
            "validationMethod": "DNS",
            "keyAlgorithm": "RSA_2048",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("acm").delete_certificate(CertificateArn=it),
        "",
        lambda stage: {"tags": NEW_TAGS},
    ),
]
