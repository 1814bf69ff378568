"""The role that a workload's machines carry: what they use, by prefix, and nothing else."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children, Kinds

KINDS: Final[Kinds] = {
    "role": aws.iam.Role,
    "session_manager": aws.iam.RolePolicyAttachment,
    "metrics": aws.iam.RolePolicyAttachment,
    "registry": aws.iam.RolePolicyAttachment,
    "storage": aws.iam.RolePolicy,
    "peers": aws.iam.RolePolicy,
    "instance_profile": aws.iam.InstanceProfile,
}

PARTITIONS: Final = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
"""Partitions by the start of a region's name; all others are in `aws`:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html"""

SESSION_MANAGER: Final = "AmazonSSMManagedInstanceCore"
METRICS: Final = "CloudWatchAgentServerPolicy"
REGISTRY: Final = "AmazonEC2ContainerRegistryReadOnly"

ASSUME: Final = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": "ec2.amazonaws.com"},
        }
    ],
}

PEERS: Final = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": ["ec2:DescribeInstances"], "Resource": "*"}],
}
"""How the machines of a cluster find each other; this action takes no narrower resource:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html"""

READ: Final = ("s3:GetObject",)
WRITE: Final = (*READ, "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject")
"""What mountpoint-s3 needs for objects:
https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md#iam-permissions"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Access to a part of a bucket; `bucket` is its physical name."""

    bucket: pulumi.Input[str]
    prefix: str
    writable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The role and the profile that carries it to a machine."""

    role: aws.iam.Role
    profile: aws.iam.InstanceProfile
    ready: Sequence[pulumi.Resource]


def make_identity(
    children: Children,
    grants: Sequence[Grant],
    *,
    peers: bool = False,
    metrics: bool = False,
    registry: bool = False,
) -> Identity:
    """Make the role: login through Session Manager, the buckets it names, and what is switched on.

    Args:
        children: of the component.
        grants: parts of buckets.
        peers: to find the other machines of its group.
        metrics: to run the CloudWatch agent.
        registry: to pull images from Amazon ECR.
    """
    partition = partition_of(children.order.region)
    role = children.make(aws.iam.Role, "role", assume_role_policy=json.dumps(ASSUME))
    wanted = (
        ("session_manager", SESSION_MANAGER, True),
        ("metrics", METRICS, metrics),
        ("registry", REGISTRY, registry),
    )
    rights: list[pulumi.Resource] = [
        children.make(
            aws.iam.RolePolicyAttachment,
            child,
            role=role.name,
            policy_arn=f"arn:{partition}:iam::aws:policy/{policy}",
        )
        for child, policy, switched_on in wanted
        if switched_on
    ]
    if grants:
        document = pulumi.Output.all(*(grant.bucket for grant in grants)).apply(
            lambda buckets: json.dumps(
                storage_policy(partition, zip(buckets, grants, strict=True))
            )
        )
        rights.append(children.make(aws.iam.RolePolicy, "storage", role=role.id, policy=document))
    if peers:
        rights.append(
            children.make(aws.iam.RolePolicy, "peers", role=role.id, policy=json.dumps(PEERS))
        )
    profile = children.make(aws.iam.InstanceProfile, "instance_profile", role=role.name)
    return Identity(role=role, profile=profile, ready=rights)


def storage_policy(partition: str, grants: Iterable[tuple[str, Grant]]) -> dict[str, Any]:
    """The policy for parts of buckets, each bucket by its physical name."""
    statements: list[dict[str, Any]] = []
    for bucket, grant in grants:
        arn = f"arn:{partition}:s3:::{bucket}"
        listing: dict[str, Any] = {
            "Effect": "Allow",
            "Action": ["s3:ListBucket"],
            "Resource": arn,
        }
        if grant.prefix:
            listing["Condition"] = {"StringLike": {"s3:prefix": [f"{grant.prefix}*"]}}
        objects = {
            "Effect": "Allow",
            "Action": list(WRITE if grant.writable else READ),
            "Resource": f"{arn}/{grant.prefix}*",
        }
        statements += [listing, objects]
    return {"Version": "2012-10-17", "Statement": statements}


def partition_of(region: str) -> str:
    """The partition that a region is in."""
    return next(
        (partition for start, partition in PARTITIONS.items() if region.startswith(start)), "aws"
    )
