"""Permissions boundaries, which grant nothing and restrict the permissions of others.

https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
"""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import start_boundaries, wide_rights
from gpuinfra.clouds.observing.trusted_placeholders import stands_in
from gpuinfra.model import Resource

_BOUNDARY: Final = "permissionsBoundary"
_TYPES_WITH_BOUNDARY: Final = (resource_types.ROLE, resource_types.USER)
_POLICY_HOLDERS: Final = {
    resource_types.ROLE_POLICY: {"role": resource_types.ROLE},
    resource_types.ROLE_ATTACHMENT: {"role": resource_types.ROLE},
    resource_types.ROLE_ATTACHMENTS: {"roleName": resource_types.ROLE},
    resource_types.USER_POLICY: {"user": resource_types.USER},
    resource_types.USER_ATTACHMENT: {"user": resource_types.USER},
    resource_types.USER_ATTACHMENTS: {"userName": resource_types.USER},
    resource_types.POLICY_ATTACHMENT: {"roles": resource_types.ROLE, "users": resource_types.USER},
}
"""The resource types that give permissions to roles and users, with the inputs that name them."""

_GROUP_POLICIES: Final = {resource_types.POLICY_ATTACHMENT: ("groups",)}
"""The resource types that also give permissions to groups, which have no boundary."""

_ATTACHING: Final = {
    resource_types.ROLE_ATTACHMENT: "policyArn",
    resource_types.USER_ATTACHMENT: "policyArn",
    resource_types.IAM_GROUP_ATTACHMENT: "policyArn",
    resource_types.POLICY_ATTACHMENT: "policyArn",
    resource_types.ROLE_ATTACHMENTS: "policyArns",
    resource_types.USER_ATTACHMENTS: "policyArns",
    resource_types.IAM_GROUP_ATTACHMENTS: "policyArns",
    "aws:ssoadmin/customerManagedPolicyAttachment:CustomerManagedPolicyAttachment": (
        "customerManagedPolicyReference"
    ),
    resource_types.ROLE: "managedPolicyArns",
}
"""The resource types that attach a policy to a role, user or group, with the input that names
policies."""


def take_all_from(resource: Resource, index: Index) -> bool:
    """Return whether boundaries surely remove all wide permissions that a resource gives.

    They do where all whom it gives them have one that allows nothing widely, and a policy gives
    nothing that is a boundary and no more.
    """
    kind = resource_types.canonical(resource.type)
    if kind in _TYPES_WITH_BOUNDARY:
        return _is_narrow(resource, index)
    if kind == resource_types.POLICY:
        return _is_kept_small(resource, index)
    if any(resource.inputs.get(prop) for prop in _GROUP_POLICIES.get(kind, ())):
        return False
    kinds = _POLICY_HOLDERS.get(kind, {})
    referenced = {
        prop: target_kind for prop, target_kind in kinds.items() if resource.inputs.get(prop)
    }
    targets = [
        index.targets(resource, prop, target_kind) for prop, target_kind in referenced.items()
    ]
    return bool(targets) and all(
        target.exact
        and target.certain
        and all(_is_narrow(holder, index) for holder in target.certain)
        for target in targets
    )


def _is_kept_small(policy: Resource, index: Index) -> bool:
    """Return whether a policy is only a boundary, or attached only where boundaries limit it."""
    attached = list(_attachments(policy, index))
    if None in attached:
        return False
    is_boundary = any(
        index.referrers(policy, kind, _BOUNDARY).certain for kind in _TYPES_WITH_BOUNDARY
    )
    return (is_boundary or bool(attached)) and all(
        take_all_from(boundary, index) for boundary in attached if boundary is not None
    )


def _attachments(policy: Resource, index: Index) -> Iterator[Resource | None]:
    """Yield the resources that attach a policy; None where an unknown one may."""
    for kind, prop in _ATTACHING.items():
        referrers = index.referrers(policy, kind, prop)
        yield from referrers.certain
        if not referrers.complete:
            yield None


def _is_narrow(holder: Resource, index: Index) -> bool:
    """Return whether the boundary of a role or a user surely allows nothing widely."""
    arn = holder.inputs.get(_BOUNDARY)
    if arn is None or stands_in(holder):
        return False
    if isinstance(arn, str) and wide_rights.is_managed_by_aws(arn):
        return start_boundaries.only_reads(arn) or not tuple(
            wide_rights.managed_policy_faults(arn)
        )
    policies = index.targets(holder, _BOUNDARY, resource_types.POLICY)
    return (
        policies.exact
        and bool(policies.certain)
        and not any(
            tuple(wide_rights.document_faults(policy.inputs.get("policy")))
            for policy in policies.certain
        )
    )
