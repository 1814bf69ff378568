"""The identity of a workload's machines, with the permissions that they need and no more."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gpuinfra.clouds.azure.declare import rights
from gpuinfra.clouds.azure.declare.bucket_names import container_id
from gpuinfra.clouds.azure.declare.children import SUBSCRIPTION, Children
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.declaring.buckets import BucketGrant, BucketUse
from gpuinfra.graph import Resource, compute, format_values
from gpuinfra.records import record


@record
class DeclaredIdentity:
    """The identity of a workload's machines.

    `client` is what programs name it by; `start_after` are the keys of its rights: they must exist
    before the machines.
    """

    id: Any
    client: Any
    start_after: Sequence[str]


@record
class Access:
    """The parts of one container that the machines read, or also write."""

    child: str
    bucket: Any
    prefixes: tuple[str, ...]
    writable: bool
    description: str


def accesses(
    name: str, bucket_uses: Sequence[BucketUse], grants: Sequence[BucketGrant]
) -> tuple[Access, ...]:
    """Return one access for each bucket and mode: Azure takes a role once for each scope."""
    parts: dict[tuple[str, bool], tuple[Any, list[str]]] = {}
    for use, grant in zip(bucket_uses, grants, strict=True):
        parts.setdefault((use.bucket, use.writable), (grant.bucket, []))[1].append(use.prefix)
    return tuple(
        Access(
            child=_child(bucket, writable),
            bucket=physical,
            prefixes=tuple(prefixes),
            writable=writable,
            description=f"{name} {'writes' if writable else 'reads'} the bucket {bucket}",
        )
        for (bucket, writable), (physical, prefixes) in parts.items()
    )


def declare_identity(
    children: Children,
    resource_group: Resource,
    accesses: Sequence[Access],
    *,
    peers: bool = False,
    metrics: bool = False,
) -> DeclaredIdentity:
    """Declare the identity: its access to buckets, and the roles of features switched on.

    Args:
        children: of the component.
        resource_group: the workload's own, the scope of what is not about buckets.
        accesses: parts of buckets.
        peers: to find the other machines of its scale set.
        metrics: to publish its machines' figures.
    """
    identity = children.make("azure-native:managedidentity:UserAssignedIdentity", "identity")
    assign = partial(_assign, children, identity["principalId"])
    role_assignments = [
        assign(
            access.child,
            rights.BLOB_WRITER if access.writable else rights.BLOB_READER,
            compute(container_id, access.bucket, SUBSCRIPTION),
            description=access.description,
            **_limits(access),
        )
        for access in accesses
    ]
    for child, switched, which in (
        ("peers", peers, rights.READER),
        ("metrics", metrics, rights.METRICS_PUBLISHER),
    ):
        if switched:
            role_assignments.append(assign(child, which, resource_group["id"]))
    return DeclaredIdentity(
        id=identity["id"], client=identity["clientId"], start_after=role_assignments
    )


def _assign(
    children: Children, principal: Any, child: str, which: str, scope: Any, **more: str
) -> str:
    """Declare a role at a scope; return its key.

    With its type said, Azure does not look the principal up, which it may not know everywhere yet:
    https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
    """
    return children.make(
        "azure-native:authorization:RoleAssignment",
        child,
        principalId=principal,
        principalType="ServicePrincipal",
        roleDefinitionId=format_values(partial(rights.role, which), SUBSCRIPTION),
        scope=scope,
        **more,
    ).key


def _limits(access: Access) -> Mapping[str, str]:
    """Return the condition that limits an access to its parts; none for a whole container."""
    condition = rights.only_below(access.prefixes, writable=access.writable)
    if condition is None:
        return {}
    return {"condition": condition, "conditionVersion": rights.CONDITIONS}


def _child(bucket: str, writable: bool) -> str:
    """Return a child's name; the bucket's digest keeps it distinct from other workloads' names."""
    return f"{'writes' if writable else 'reads'}_{names.digest([bucket])}"
