"""The permissions of a machine's role, as policy documents restricted to its needs."""

from collections.abc import Iterable, Mapping
from itertools import chain, repeat
from typing import Any, Final

from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import allow, document, trust
from gpuinfra.clouds.declaring.buckets import BucketGrant

ASSUME: Final = trust("ec2")

SESSION_MANAGER: Final = (
    "ssm:UpdateInstanceInformation",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
)
"""Login and no more: neither Run Command nor the account's parameters, as the managed policy has.
https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html"""

PEER_PERMISSIONS: Final = ("ec2:DescribeInstances",)
"""How the machines of a cluster find each other; this action takes no narrower resource:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html"""

LEAVE: Final = ("elasticloadbalancing:DeregisterTargets",)
"""How a machine leaves its load balancer:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html"""

TAGS: Final = ("ec2:DescribeTags",)
DIMENSIONS_FROM_TAGS: Final = frozenset({"AutoScalingGroupName"})
"""Dimensions that the CloudWatch agent reads from the machine's tags; it takes the others from
the metadata service: github.com/aws/amazon-cloudwatch-agent, plugins/processors/ec2tagger.
DescribeTags takes no narrower resource."""

TOKEN: Final = ("ecr:GetAuthorizationToken",)
IMAGE_PULL_ACTIONS: Final = (
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:GetDownloadUrlForLayer",
)
"""The actions that a pull requires; the token action is not limited to a repository:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerregistry.html"""

READ_ACTIONS: Final = ("s3:GetObject",)
DECRYPT: Final = ("kms:Decrypt",)
ENCRYPT: Final = (*DECRYPT, "kms:GenerateDataKey")
"""The actions that objects under a customer-managed key require; the parts of an upload are read
back too: https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html"""

WRITE: Final = (*READ_ACTIONS, "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject")
"""The object actions that mountpoint-s3 requires:
https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md#iam-permissions"""


def policy_for_all_resources(actions: Iterable[str]) -> dict[str, Any]:
    """Return the policy for actions that take no narrower resource."""
    return document([allow(actions, "*")])


def metrics(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policy for a CloudWatch agent's metrics in its namespace, from its configuration.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/iam-cw-condition-keys-namespace.html
    """
    sent = agent["metrics"]
    statements = [
        {
            **allow(["cloudwatch:PutMetricData"], "*"),
            "Condition": {"StringEquals": {"cloudwatch:namespace": sent["namespace"]}},
        }
    ]
    if not DIMENSIONS_FROM_TAGS.isdisjoint(sent.get("append_dimensions", {})):
        statements.append(allow(TAGS, "*"))
    return document(statements)


def token() -> dict[str, Any]:
    """Return the policy to log in to Amazon ECR, without permission to pull."""
    return document([allow(TOKEN, "*")])


def pull(image: str, registry: str, region: str) -> dict[str, Any]:
    """Return the policy to pull an image from its repository in Amazon ECR.

    Args:
        image: as it is pulled, with its tag or digest.
        registry: its host, which starts with the account.
        region: the registry's, which may be another one than the machines'.
    """
    account = registry.partition(".")[0]
    repository = image.removeprefix(f"{registry}/").partition("@")[0].partition(":")[0]
    arn = f"arn:{partition_of(region)}:ecr:{region}:{account}:repository/{repository}"
    return document([allow(TOKEN, "*"), allow(IMAGE_PULL_ACTIONS, arn)])


def storage(
    partition: str, grants: Iterable[tuple[str, BucketGrant]], keys: Iterable[str | None] = ()
) -> dict[str, Any]:
    """Return the policy for parts of buckets, each bucket by its physical name.

    Args:
        partition: of the region.
        grants: each with its bucket's name.
        keys: of the customer's, for each grant in turn; None for S3's own.
    """
    statements: list[dict[str, Any]] = []
    for (bucket, grant), key in zip(grants, chain(keys, repeat(None)), strict=False):
        arn = f"arn:{partition}:s3:::{bucket}"
        listing = allow(["s3:ListBucket"], arn)
        if grant.prefix:
            listing["Condition"] = {"StringLike": {"s3:prefix": [f"{grant.prefix}*"]}}
        objects = allow(WRITE if grant.writable else READ_ACTIONS, f"{arn}/{grant.prefix}*")
        statements += [listing, objects]
        if key is not None:
            statements.append(allow(ENCRYPT if grant.writable else DECRYPT, key))
    return document(statements)
