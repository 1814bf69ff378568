"""The role that a workload's machines carry: what they use, by prefix, and nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.build import policies
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import text
from gpuinfra.clouds.building.buckets import Grant
from gpuinfra.clouds.building.children import Kinds

KINDS: Final[Kinds] = {
    "role": aws.iam.Role,
    "session_manager": aws.iam.RolePolicy,
    "metrics": aws.iam.RolePolicy,
    "registry": aws.iam.RolePolicy,
    "storage": aws.iam.RolePolicy,
    "peers": aws.iam.RolePolicy,
    "agent": aws.iam.RolePolicy,
    "preflight": aws.iam.RolePolicy,
    "instance_profile": aws.iam.InstanceProfile,
}


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
    image: str | None = None,
    extra: Mapping[str, pulumi.Input[Sequence[Mapping[str, Any]]]] | None = None,
) -> Identity:
    """Make the role: login through Session Manager, the buckets it names, and what is switched on.

    Args:
        children: of the component.
        grants: parts of buckets.
        peers: to find the other machines of its group.
        metrics: to run the CloudWatch agent.
        image: the container that it pulls; one in Amazon ECR takes rights to its repository.
        extra: further rights, as statements by the child that holds them.
    """
    partition = partition_of(children.order.region)
    role = children.make(aws.iam.Role, "role", assume_role_policy=policies.ASSUME)
    documents: dict[str, pulumi.Input[str]] = {
        "session_manager": json.dumps(policies.anywhere(policies.SESSION_MANAGER))
    }
    if metrics:
        documents["metrics"] = json.dumps(policies.metrics(userdata.agent_configuration()))
    if image is not None and (found := userdata.ecr(image)) is not None:
        documents["registry"] = json.dumps(policies.pull(image, *found))
    if grants:
        places = [pulumi.Output.all(grant.bucket, grant.key) for grant in grants]
        documents["storage"] = pulumi.Output.all(*places).apply(
            lambda known: json.dumps(
                policies.storage(
                    partition,
                    zip((bucket for bucket, _ in known), grants, strict=True),
                    [key for _, key in known],
                )
            )
        )
    if peers:
        documents["peers"] = json.dumps(policies.anywhere(policies.PEERS))
    for child, statements in (extra or {}).items():
        documents[child] = pulumi.Output.from_input(statements).apply(text)
    rights = [
        children.make(aws.iam.RolePolicy, child, role=role.id, policy=document)
        for child, document in documents.items()
    ]
    profile = children.make(aws.iam.InstanceProfile, "instance_profile", role=role.name)
    return Identity(role=role, profile=profile, ready=rights)
