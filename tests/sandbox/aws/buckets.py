"""The lives of buckets: each with the settings that are types of their own."""

from tests.sandbox.aws.cases import ALLOW, ALLOW_MORE, NEW_TAGS, TAGS, Case, Inputs


def setting(name: str, inputs: Inputs, drift: str, arguments: Inputs, seen: str, update: Inputs):
    return Case(
        f"aws:s3/{name[0].lower()}{name[1:]}:{name}",
        "stage-bucket",
        lambda stage: {"bucket": stage.bucket, **inputs},
        lambda client, it, outputs: getattr(client("s3"), drift)(Bucket=it, **arguments),
        seen,
        lambda stage: update,
        remains=name == "BucketVersioning",
    )


BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")

STORAGE = [
    Case(
        "aws:s3/bucket:Bucket",
        "data-bucket",
        lambda stage: {"bucket": "data-bucket", "forceDestroy": True, "tags": TAGS},
        lambda client, it, outputs: client("s3").delete_bucket_tagging(Bucket=it),
        "tags",
        lambda stage: {"tags": NEW_TAGS},
        frozenset({"forceDestroy"}),
    ),
    setting(
        "BucketVersioning",
        {"versioningConfiguration": {"status": "Enabled"}},
        "put_bucket_versioning",
        {"VersioningConfiguration": {"Status": "Suspended"}},
        "versioningConfiguration",
        {},
    ),
    setting(
        "BucketPublicAccessBlock",
        dict.fromkeys(BLOCKS, True),
        "delete_public_access_block",
        {},
        "",
        {"blockPublicAcls": False},
    ),
    setting(
        "BucketOwnershipControls",
        {"rule": {"objectOwnership": "BucketOwnerEnforced"}},
        "put_bucket_ownership_controls",
        {"OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}},
        "rule",
        {"rule": {"objectOwnership": "BucketOwnerPreferred"}},
    ),
    setting(
        "BucketServerSideEncryptionConfiguration",
        {
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {
                        "sseAlgorithm": "aws:kms",
                        "kmsMasterKeyId": "alias/aws/s3",
                    },
                    "bucketKeyEnabled": True,
                }
            ]
        },
        "delete_bucket_encryption",
        {},
        "",
        {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
    ),
    setting(
        "BucketLifecycleConfiguration",
        {
            "rules": [
                {
                    "id": "old-versions",
                    "status": "Enabled",
                    "noncurrentVersionExpiration": {"noncurrentDays": 30},
                    "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
                },
                {
                    "id": "checkpoints",
                    "status": "Enabled",
                    "filter": {"prefix": "checkpoints/"},
                    "expiration": {"days": 90},
                    "transitions": [{"days": 30, "storageClass": "GLACIER"}],
                },
                {
                    "id": "both",
                    "status": "Disabled",
                    "filter": {"and": {"prefix": "x/", "tags": {"a": "b"}}},
                    "expiration": {"days": 9},
                },
            ]
        },
        "put_bucket_lifecycle_configuration",
        {
            "LifecycleConfiguration": {
                "Rules": [
                    {
                        "ID": "old-versions",
                        "Status": "Disabled",
                        "Filter": {},
                        "Expiration": {"Days": 1},
                    }
                ]
            }
        },
        "rules",
        {"rules": [{"id": "one", "status": "Enabled", "filter": {}, "expiration": {"days": 1}}]},
    ),
    setting(
        "BucketPolicy",
        {"policy": ALLOW},
        "delete_bucket_policy",
        {},
        "",
        {"policy": ALLOW_MORE},
    ),
]
