"""The permissions of a machine's role, as far as the stack's own policies show them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import permissions
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.name_patterns import PROBE_NAME, matches_pattern
from gpuinfra.clouds.observing.trusted_placeholders import stands_in
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, entries_of
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_ADMINISTRATORS: Final = (
    *("policy/AdministratorAccess", "policy/PowerUserAccess", "policy/IAMFullAccess"),
)
"""Everything, everything but identities, and the power to give oneself everything:
https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_job-functions.html"""
_ARN_FIELDS: Final = 6
_ANYWHERE: Final = ("arn", "aws", "iam", "", PROBE_NAME, "")
"""The fields of an ARN of an account that no pattern names."""
_RULES_CLUSTER: Final = "cluster-access-policy/AmazonEKSClusterAdminPolicy"
_MANAGED_BY_AWS: Final = ":iam::aws:policy/"
_ANY_SERVICE: Final = "*"
_BOUNDARY: Final = "permissionsBoundary"
_ROLE_PERMISSIONS: Final = {
    resource_types.ROLE_POLICY: "role",
    resource_types.ROLE_ATTACHMENT: "role",
    resource_types.POLICY_ATTACHMENT: "roles",
    resource_types.ROLE_ATTACHMENTS: "roleName",
}
"""The resource types that give a role permissions, with the property that names the role."""


def is_administrator(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether a machine's role may do everything; False for a machine without a role.

    The machines of an EKS node group have the role that the group names.
    """
    if resource.inputs.get("nodeRoleArn") is not None:
        node_roles = index.targets(resource, "nodeRoleArn", resource_types.ROLE)
        return node_roles.any_target(lambda role: role_is(role, index))
    profiles = _profiles(launch, index)
    if profiles is None:
        return False
    return profiles.any_target(lambda profile: _profile_is(profile, index))


def roles_of(launch: LaunchSources, index: Index) -> Targets | None:
    """Return the roles of a machine's instance profile; None where it names no profile."""
    profiles = _profiles(launch, index)
    if profiles is None:
        return None
    roles_by_profile = [
        index.targets(resource, "role", resource_types.ROLE) for resource in profiles.certain
    ]
    roles = {role.urn: role for targets in roles_by_profile for role in targets.certain}
    exact = profiles.exact and all(targets.exact for targets in roles_by_profile)
    return Targets(tuple(roles.values()), (), exact)


def _profiles(launch: LaunchSources, index: Index) -> Targets | None:
    _, profile = launch.stating_layer_and_value("iamInstanceProfile")
    if isinstance(profile, Mapping):
        key = "arn" if profile.get("arn") is not None else "name"
        return launch.targets(index, "iamInstanceProfile", resource_types.PROFILE, key)
    return launch.targets(index, "iamInstanceProfile", resource_types.PROFILE)


def _profile_is(profile: Resource, index: Index) -> Known:
    if stands_in(profile):
        return all_of(
            (
                index.memo("given outside", lambda: any_of(_outside_administrator_grants(index))),
                UNKNOWN,
            )
        )
    if profile.inputs.get("role") is None:
        return False
    return index.targets(profile, "role", resource_types.ROLE).any_target(
        lambda role: role_is(role, index)
    )


def _outside_administrator_grants(index: Index) -> Iterator[Known]:
    for kind, prop in _ROLE_PERMISSIONS.items():
        for resource in index.of_kind(kind):
            roles = index.targets(resource, prop, resource_types.ROLE)
            are_all_outside = roles.exact and not any(map(stands_in, roles.certain))
            if not are_all_outside and resource.inputs.get(prop) is not None:
                yield _gives_all(resource, index)


def _gives_all(resource: Resource, index: Index) -> Known:
    """Return whether an attachment to a role allows every action on everything."""
    if resource.inputs.get("policy") is not None:
        return document_is(resource.inputs["policy"])
    prop = (
        "policyArns"
        if resource_types.canonical(resource.type) == resource_types.ROLE_ATTACHMENTS
        else "policyArn"
    )
    arns = as_list(resource.inputs.get(prop))
    return any_of(_arn_is(resource, prop, arn, index) for arn in arns)


def role_is(role: Resource, index: Index) -> Known:
    """Return whether a role may do everything: its policies and its boundary both allow it."""
    return False if _has_restricting_boundary(role, index) else _holds_all(role, index)


def _has_restricting_boundary(role: Resource, index: Index) -> bool:
    """Return whether a role surely has a boundary that does not allow everything.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
    """
    arn = role.inputs.get(_BOUNDARY)
    if arn is None:
        return False
    return _arn_is(role, _BOUNDARY, arn, index) is False


def _holds_all(role: Resource, index: Index) -> Known:
    """Return whether a role has a policy that allows every action on everything."""
    own_policies = index.referrers(role, resource_types.ROLE_POLICY, "role")
    attached = index.referrers(role, resource_types.ROLE_ATTACHMENT, "role")
    shared = index.referrers(role, resource_types.POLICY_ATTACHMENT, "roles")
    sets = index.referrers(role, resource_types.ROLE_ATTACHMENTS, "roleName")
    policies = index.referrers(role, resource_types.ROLE_POLICIES, "roleName")
    verdicts: list[Known] = [
        *(_arn_is(role, "managedPolicyArns", arn, index) for arn in _arns(role)),
        *(
            document_is(at(policy, "policy"))
            for policy in as_list(role.inputs.get("inlinePolicies"))
        ),
        *(document_is(policy.inputs.get("policy")) for policy in own_policies.certain),
        *(
            _arn_is(resource, "policyArn", resource.inputs.get("policyArn"), index)
            for resource in (*attached.certain, *shared.certain)
        ),
        *(
            _arn_is(resource, "policyArns", arn, index)
            for resource in sets.certain
            for arn in as_list(resource.inputs.get("policyArns"))
        ),
        *(_keeps_hidden(resource, index) for resource in policies.certain),
        *map(
            _rules_cluster,
            index.referrers(role, resource_types.CLUSTER_ACCESS, "principalArn").certain,
        ),
    ]
    verdict = any_of(verdicts)
    is_complete = all(
        targets.complete for targets in (own_policies, attached, shared, sets, policies)
    )
    return verdict if verdict is True or is_complete else UNKNOWN


def _rules_cluster(access: Resource) -> Known:
    """Return whether an access entry's policy makes an administrator of a whole cluster.

    https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html
    """
    arn = access.inputs.get("policyArn")
    if isinstance(arn, Unknown):
        return UNKNOWN
    return isinstance(arn, str) and arn.endswith(_RULES_CLUSTER)


def _keeps_hidden(policies: Resource, index: Index) -> Known:
    """Return UNKNOWN where a role may keep a policy from outside this stack, else False."""
    named_policies = index.targets(policies, "policyNames", resource_types.ROLE_POLICY)
    return False if named_policies.exact else UNKNOWN


def _arns(role: Resource) -> tuple[Any, ...]:
    return as_list(role.inputs.get("managedPolicyArns"))


def _arn_is(holder: Resource, prop: str, arn: Any, index: Index) -> Known:
    if isinstance(arn, str) and _MANAGED_BY_AWS in arn:
        return arn.endswith(_ADMINISTRATORS)
    targets = index.targets(holder, prop, resource_types.POLICY, arn)
    return targets.any_target(lambda policy: document_is(policy.inputs.get("policy")))


def document_is(document: Any) -> Known:
    """Return whether a document allows every action on everything, or a way to get there."""
    statements = permissions.without_denied(tuple(statements_of(document)))
    return any_of(_statement_is(statement) for statement in statements)


def _statement_is(statement: Any) -> Known:
    if isinstance(statement, Unknown):
        return UNKNOWN
    if any(permissions.self_granted(statement)):
        return True
    return all_of(
        (
            _is(at(statement, "Effect"), frozenset({"Allow"})),
            any_of((_is_all(at(statement, "Action")), _covers_all_except(statement))),
            permissions.is_everywhere(statement, _ANY_SERVICE),
        )
    )


def _is_all(actions: Any) -> Known:
    return any_of(
        UNKNOWN if isinstance(action, Unknown) else permissions.covers_everything(action)
        for action in as_list(actions)
    )


def matches_identity(pattern: str, identity: Resource, kind: str = "role") -> bool:
    """Return whether a pattern matches an ARN, which ends in the kind, the path and the name.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    """
    arn = identity.outputs.get("arn")
    if isinstance(arn, str):
        return matches_pattern(pattern, arn)
    name = identity.inputs.get("name") or f"{identity.inputs.get('namePrefix') or ''}{PROBE_NAME}"
    path = identity.inputs.get("path") or "/"
    if not isinstance(name, str) or not isinstance(path, str):
        name, path = PROBE_NAME, "/"
    return matches_name(pattern, f"{kind}{path}{name}", identity.account)


def matches_name(pattern: str, name: str, account: str | None = None) -> bool:
    """Return whether a pattern matches an ARN of IAM; an unknown account may be the pattern's."""
    parts = pattern.split(":", _ARN_FIELDS - 1)
    _, partition, _, _, arn_account, _ = parts if len(parts) == _ARN_FIELDS else _ANYWHERE
    return matches_pattern(pattern, f"arn:{partition}:iam::{account or arn_account}:{name}")


def statements_of(document: Any) -> Iterator[Any]:
    """Yield a policy document's statements; UNKNOWN where it can't be read yet."""
    return entries_of(document, "Statement")


def _covers_all_except(statement: Any) -> Known:
    """Return whether a statement covers all actions except some."""
    excluded = at(statement, "NotAction")
    return UNKNOWN if isinstance(excluded, Unknown) else excluded is not None


def _is(value: Any, accepted: frozenset[str]) -> Known:
    return any_of(
        UNKNOWN if isinstance(item, Unknown) else item in accepted for item in as_list(value)
    )
