"""The service account that a workload's machines act as: what they use, by prefix, and no more."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building.buckets import Grant, Use
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.declaring.names import digest
from gpuinfra.clouds.gcp.build.children import Children

KINDS: Final[Kinds] = {
    "account": gcp.serviceaccount.Account,
    "logs": gcp.projects.IAMMember,
    "metrics": gcp.projects.IAMMember,
    "peers": gcp.projects.IAMMember,
    "registry": gcp.projects.IAMMember,
}

AGENT: Final = {
    "logs": "roles/logging.logWriter",
    "metrics": "roles/monitoring.metricWriter",
}
"""What the Ops Agent needs:
https://docs.cloud.google.com/monitoring/agent/ops-agent/authorization#authorize_service_account"""

PEERS: Final = "roles/compute.viewer"
"""How the machines of a cluster find each other: the narrowest predefined role that lists them.
https://docs.cloud.google.com/compute/docs/access/iam#compute.viewer"""

PULL: Final = "roles/artifactregistry.reader"
READ: Final = "roles/storage.objectViewer"
WRITE: Final = "roles/storage.objectUser"
"""Objects only: neither changes who has access.
https://docs.cloud.google.com/storage/docs/access-control/iam-roles"""

TITLE: Final = 100
"""Characters of a condition's title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The service account, and its rights, which have to be there before a machine starts."""

    account: gcp.serviceaccount.Account
    ready: Sequence[pulumi.Resource]


def kinds(wanted: Sequence[Use]) -> Kinds:
    """Every child that the identity of a workload with these mounts may have."""
    return {**KINDS, **{access(use): gcp.storage.BucketIAMMember for use in wanted}}


def access(use: Use) -> str:
    """The child that lets the machines into a part of a bucket, the same wherever it stands."""
    word = "write" if use.writable else "read"
    part = f"_{digest([use.prefix])[:6]}" if use.prefix else ""
    return f"{word}_{use.bucket}{part}"


def make_identity(
    children: Children,
    wanted: Sequence[Use],
    granted: Sequence[Grant],
    *,
    peers: bool = False,
    agent: bool = False,
    registry: bool = False,
) -> Identity:
    """Make the account, the buckets it reaches, and the rights of what is switched on.

    Args:
        children: of the component.
        wanted: parts of buckets, by name.
        granted: the same parts, by the buckets' physical names.
        peers: to find the other machines of its group.
        agent: to run the Ops Agent.
        registry: the container comes from an Artifact Registry, which the account may read in
            its own project; another project's is its owner's to open, or public.
    """
    account = children.make(
        gcp.serviceaccount.Account,
        "account",
        display_name=f"Machines of {children.order.name}",
    )
    roles = {**(AGENT if agent else {}), **({"peers": PEERS} if peers else {})}
    rights: list[pulumi.Resource] = [
        children.make(
            gcp.projects.IAMMember,
            child,
            project=children.project,
            role=role,
            member=account.member,
        )
        for child, role in roles.items()
    ]
    if registry:
        rights.append(
            children.make(
                gcp.projects.IAMMember,
                "registry",
                project=children.project,
                role=PULL,
                member=account.member,
            )
        )
    parts = {access(use): grant for use, grant in zip(wanted, granted, strict=True)}
    rights += [_reach(children, child, grant, account) for child, grant in parts.items()]
    return Identity(account=account, ready=rights)


def condition(bucket: str, prefix: str) -> dict[str, str]:
    """The condition of a role on a bucket: objects of a prefix, and lists that name it.

    https://docs.cloud.google.com/iam/docs/conditions-attribute-reference#api-attributes
    """
    objects = f'resource.name.startsWith("projects/_/buckets/{bucket}/objects/{prefix}")'
    lists = 'api.getAttribute("storage.googleapis.com/objectListPrefix", "")'
    return {
        "title": f"only {prefix}"[:TITLE],
        "expression": f'{objects} || {lists}.startsWith("{prefix}")',
    }


def _reach(
    children: Children, child: str, grant: Grant, account: gcp.serviceaccount.Account
) -> gcp.storage.BucketIAMMember:
    """The right to a part of a bucket; all of it takes no condition."""
    prefix = grant.prefix
    narrowed: dict[str, Any] = {}
    if prefix:
        narrowed["condition"] = pulumi.Output.from_input(grant.bucket).apply(
            lambda bucket: condition(bucket, prefix)
        )
    return children.make(
        gcp.storage.BucketIAMMember,
        child,
        bucket=grant.bucket,
        role=WRITE if grant.writable else READ,
        member=account.member,
        **narrowed,
    )
