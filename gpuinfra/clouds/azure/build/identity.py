"""The identity that a workload's machines carry: what they use, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure.build import rights
from gpuinfra.clouds.azure.build.children import Children
from gpuinfra.clouds.azure.build.storage import container_id
from gpuinfra.clouds.building.buckets import Grant, Use
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.declaring import names

KINDS: Final[Kinds] = {
    "identity": azure.managedidentity.UserAssignedIdentity,
    "metrics": azure.authorization.RoleAssignment,
    "peers": azure.authorization.RoleAssignment,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The identity of a workload's machines. `ready` are its rights, to be there before them."""

    id: pulumi.Output[str]
    ready: Sequence[pulumi.Resource]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The parts of one container that the machines read, or also write."""

    child: str
    bucket: pulumi.Input[str]
    prefixes: tuple[str, ...]
    writable: bool
    description: str


def kinds(wanted: Sequence[Use]) -> Kinds:
    """Every child that an identity with these uses of buckets has."""
    rights_kind = azure.authorization.RoleAssignment
    return {**KINDS, **{_child(use.bucket, use.writable): rights_kind for use in wanted}}


def accesses(name: str, wanted: Sequence[Use], granted: Sequence[Grant]) -> tuple[Access, ...]:
    """One access for each bucket and way to use it: Azure takes a role once for each scope."""
    parts: dict[tuple[str, bool], tuple[pulumi.Input[str], list[str]]] = {}
    for use, grant in zip(wanted, granted, strict=True):
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


def make_identity(
    children: Children,
    resource_group: azure.resources.ResourceGroup,
    wanted: Sequence[Access],
    *,
    peers: bool = False,
    metrics: bool = False,
) -> Identity:
    """Make the identity: the buckets it names, and what is switched on.

    Args:
        children: of the component.
        resource_group: the workload's own, the scope of what is not about buckets.
        wanted: parts of buckets.
        peers: to find the other machines of its scale set.
        metrics: to publish its machines' figures.
    """
    identity = children.make(azure.managedidentity.UserAssignedIdentity, "identity")
    assign = partial(_assign, children, identity.principal_id)
    made: list[pulumi.Resource] = [
        assign(
            one.child,
            rights.BLOB_WRITER if one.writable else rights.BLOB_READER,
            pulumi.Output.all(one.bucket, children.subscription).apply(_scope),
            description=one.description,
            **_limits(one),
        )
        for one in wanted
    ]
    for child, switched, which in (
        ("peers", peers, rights.READER),
        ("metrics", metrics, rights.METRICS_PUBLISHER),
    ):
        if switched:
            made.append(assign(child, which, resource_group.id))
    return Identity(id=identity.id, ready=made)


def _assign(
    children: Children,
    principal: pulumi.Input[str],
    child: str,
    which: str,
    scope: pulumi.Output[str],
    **more: str,
) -> azure.authorization.RoleAssignment:
    """A role at a scope.

    With its type said, Azure does not look the principal up, which it may not know everywhere yet:
    https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
    """
    arguments: dict[str, Any] = {
        "principal_id": principal,
        "principal_type": "ServicePrincipal",
        "role_definition_id": children.subscription.apply(partial(rights.role, which)),
        "scope": scope,
        **more,
    }
    return children.make(azure.authorization.RoleAssignment, child, **arguments)


def _limits(access: Access) -> Mapping[str, str]:
    """The condition that keeps an access to its parts; nothing for a whole container."""
    condition = rights.only_below(access.prefixes, writable=access.writable)
    if condition is None:
        return {}
    return {"condition": condition, "condition_version": rights.CONDITIONS}


def _scope(known: list[str]) -> str:
    bucket, subscription = known
    return container_id(bucket, subscription)


def _child(bucket: str, writable: bool) -> str:
    """A child's name; the bucket's digest keeps it apart from all that other workloads name."""
    return f"{'writes' if writable else 'reads'}_{names.digest([bucket])}"
