"""The role of a workload's machines: the bucket prefixes and services that they use, no more."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.declare import policies
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import text
from gpuinfra.clouds.declaring.buckets import BucketGrant
from gpuinfra.graph import Expression, Resource, compute, format_values
from gpuinfra.records import record

POLICY: Final = "aws:iam/rolePolicy:RolePolicy"


@record
class DeclaredIdentity:
    """The role and its instance profile; `start_after` are the keys of its policies."""

    role: Resource
    profile: Resource
    start_after: Sequence[str]


def make_identity(
    children: Children,
    grants: Sequence[BucketGrant],
    *,
    peers: bool = False,
    metrics: bool = False,
    image: Any = None,
    extra: Mapping[str, Any] | None = None,
) -> DeclaredIdentity:
    """Declare the role: Session Manager login, its buckets, and the features switched on.

    Args:
        children: of the component.
        grants: parts of buckets.
        peers: to find the other machines of its group.
        metrics: to run the CloudWatch agent.
        image: the container that it pulls; one in Amazon ECR takes rights to its repository, and
            one that is known only later a policy that says them then.
        extra: further rights, as statements by the child that holds them.
    """
    role = children.make("aws:iam/role:Role", "role", assumeRolePolicy=policies.ASSUME)
    documents = {
        "session_manager": json.dumps(policies.policy_for_all_resources(policies.SESSION_MANAGER))
    }
    if metrics:
        documents["metrics"] = json.dumps(policies.metrics(userdata.agent_configuration()))
    if isinstance(image, Expression):
        documents["registry"] = compute(_pull, image)
    elif image is not None and userdata.ecr(image) is not None:
        documents["registry"] = _pull(image)
    if grants:
        documents["storage"] = format_values(
            partial(_storage, partition_of(children.spec.region), grants),
            [grant.bucket for grant in grants],
            [grant.key for grant in grants],
        )
    if peers:
        documents["peers"] = json.dumps(
            policies.policy_for_all_resources(policies.PEER_PERMISSIONS)
        )
    for child, statements in (extra or {}).items():
        documents[child] = format_values(text, statements)
    rights = [
        children.make(POLICY, child, role=role["id"], policy=document)
        for child, document in documents.items()
    ]
    profile = children.make(
        "aws:iam/instanceProfile:InstanceProfile", "instance_profile", role=role["name"]
    )
    return DeclaredIdentity(
        role=role, profile=profile, start_after=[right.key for right in rights]
    )


def _pull(image: str) -> str:
    """Return the policy to pull an image: from its ECR repository, or from no repository.

    A policy has to have a statement, and the token alone opens no repository.
    """
    registry = userdata.ecr(image)
    return json.dumps(policies.token() if registry is None else policies.pull(image, *registry))


def _storage(
    partition: str,
    grants: Sequence[BucketGrant],
    buckets: Sequence[str],
    keys: Sequence[str | None],
) -> str:
    return json.dumps(policies.storage(partition, zip(buckets, grants, strict=True), keys))
