"""The service account of a workload's machines: their bucket prefixes and roles, no more."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.clouds.declaring.buckets import BucketGrant, BucketUse
from gpuinfra.clouds.declaring.names import digest
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.graph import Resource, format_values
from gpuinfra.records import record

AGENT: Final = MappingProxyType(
    {"logs": "roles/logging.logWriter", "metrics": "roles/monitoring.metricWriter"}
)
"""What the Ops Agent needs:
https://docs.cloud.google.com/monitoring/agent/ops-agent/authorization#authorize_service_account"""

PEER_PERMISSIONS: Final = ("compute.instanceGroupManagers.get",)
"""How the machines of a cluster find each other: what `listManagedInstances` takes, and no more.
The narrowest predefined role, compute.viewer, also reads the metadata of the project's machines.
https://docs.cloud.google.com/compute/docs/reference/rest/v1/instanceGroupManagers/listManagedInstances"""

PULL: Final = MappingProxyType({"registry": "roles/artifactregistry.reader"})

OBJECT_READER_ROLE: Final = "roles/storage.objectViewer"
WRITE: Final = "roles/storage.objectUser"
"""Objects only: neither changes who has access.
https://docs.cloud.google.com/storage/docs/access-control/iam-roles"""

MAX_TITLE: Final = 100
"""Characters of the title of a condition or a role."""

NO_ROLES: Final[Mapping[str, Any]] = MappingProxyType({})


@record
class DeclaredIdentity:
    """The service account, and the keys of its permissions, which machines need from the start."""

    account: Resource
    start_after: Sequence[str]


def access(use: BucketUse) -> str:
    """Return the child name of the access to a part of a bucket, the same wherever it is."""
    access_kind = "write" if use.writable else "read"
    prefix_digest = f"_{digest([use.prefix])[:6]}" if use.prefix else ""
    return f"{access_kind}_{use.bucket}{prefix_digest}"


def make_identity(
    children: Children,
    bucket_uses: Sequence[BucketUse],
    grants: Sequence[BucketGrant],
    *,
    peers: bool = False,
    agent: bool = False,
    registry: bool = False,
) -> DeclaredIdentity:
    """Declare the account, its access to buckets, and the roles of features switched on.

    Args:
        children: of the component.
        bucket_uses: parts of buckets, by name.
        grants: the same parts, by the buckets' physical names.
        peers: to find the other machines of its group.
        agent: to run the Ops Agent.
        registry: the container comes from an Artifact Registry, which the account may read in
            its own project; another project's is its owner's to open, or public.
    """
    account = children.make(
        "gcp:serviceaccount/account:Account",
        "account",
        displayName=f"Machines of {children.spec.name}",
    )
    roles = {
        **(AGENT if agent else NO_ROLES),
        **({"peers": _role_of_peers(children, account)} if peers else NO_ROLES),
        **(PULL if registry else NO_ROLES),
    }
    rights = [_role(children, child, role, account) for child, role in roles.items()]
    parts = {access(use): grant for use, grant in zip(bucket_uses, grants, strict=True)}
    rights += [_bucket_member(children, child, grant, account) for child, grant in parts.items()]
    return DeclaredIdentity(account=account, start_after=[right.key for right in rights])


def condition(bucket: str, prefix: str) -> dict[str, str]:
    """Return the condition of a role on a bucket: objects and lists of a prefix.

    https://docs.cloud.google.com/iam/docs/conditions-attribute-reference#api-attributes
    """
    objects = f'resource.name.startsWith("projects/_/buckets/{bucket}/objects/{prefix}")'
    lists = 'api.getAttribute("storage.googleapis.com/objectListPrefix", "")'
    return {
        "title": f"only {prefix}"[:MAX_TITLE],
        "expression": f'{objects} || {lists}.startsWith("{prefix}")',
    }


def _role_of_peers(children: Children, account: Resource) -> Any:
    """Return the name of the role that lists the group's machines.

    Its id is the account's, which is new with each account: a deleted role's id stays taken for
    weeks, and Pulumi's own has a hyphen, which is refused (pulumi/pulumi-gcp#3328).
    https://docs.cloud.google.com/iam/docs/creating-custom-roles#deleting-custom-role
    """
    role = children.make(
        "gcp:projects/iAMCustomRole:IAMCustomRole",
        "peers_role",
        project=children.project,
        roleId=format_values(_role_id, account["accountId"]),
        title=f"Machines of {children.spec.name}: list their group"[:MAX_TITLE],
        permissions=PEER_PERMISSIONS,
    )
    return role["name"]


def _role_id(account: str) -> str:
    return f"{account.replace('-', '_')}_peers"


def _role(children: Children, child: str, role: Any, account: Resource) -> Resource:
    return children.make(
        "gcp:projects/iAMMember:IAMMember",
        child,
        project=children.project,
        role=role,
        member=account["member"],
    )


def _bucket_member(
    children: Children, child: str, grant: BucketGrant, account: Resource
) -> Resource:
    """Declare the access to a part of a bucket; access to all of it has no condition."""
    return children.make(
        "gcp:storage/bucketIAMMember:BucketIAMMember",
        child,
        bucket=grant.bucket,
        role=WRITE if grant.writable else OBJECT_READER_ROLE,
        member=account["member"],
        condition=format_values(condition, grant.bucket, grant.prefix) if grant.prefix else None,
    )
