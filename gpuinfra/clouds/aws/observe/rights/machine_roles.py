"""The permissions of the machines' roles: trust, actions, and Session Manager."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.observing.fault_texts import Remark, blocked
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, opposite, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_MACHINES: Final = "ec2.amazonaws.com"
_CHANNEL: Final = frozenset({"ssmmessages:opencontrolchannel", "ssmmessages:*", "ssm*", "*"})
_SHARED_ATTACHMENTS: Final = {
    resource_types.POLICY_ATTACHMENT: "roles",
    resource_types.ROLE_ATTACHMENTS: "roleName",
}
"""The resource types that attach policies to several roles, or several to one, with the property
that names roles."""

_ATTACHING: Final = {
    resource_types.ROLE_ATTACHMENT: ("role", "policyArn"),
    resource_types.POLICY_ATTACHMENT: ("roles", "policyArn"),
    resource_types.ROLE_ATTACHMENTS: ("roleName", "policyArns"),
}
"""The resource types that attach policies to roles, with the properties that name both."""

_CORE: Final = ("policy/AmazonSSMManagedInstanceCore", "policy/AmazonEC2RoleforSSM")
"""The action and the policies with which a machine answers Session Manager:
https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html"""


def role_rights(roles: Sequence[Resource], index: Index) -> Iterator[Remark]:
    """Yield what roles allow, by service, and whether machines may assume them."""
    for role in roles:
        trust = list(statements_of(role.inputs.get("assumeRolePolicy")))
        if any_of(map(_is_for_machines, trust)) is False:
            yield blocked(
                f"the role {role.name} is not for machines: {_MACHINES} may not assume it",
                f"let {_MACHINES} assume the role {role.name}, in its assumeRolePolicy",
            )
    counts: Counter[str] = Counter()
    for role in roles:
        for document in documents(role, index):
            for statement in statements_of(document):
                if at(statement, "Effect") == "Allow" and at(statement, "Resource"):
                    counts.update(_services(statement))
    if counts:
        by_service = (f"{count} of {service}" for service, count in sorted(counts.items()))
        yield True, f"actions allowed: {', '.join(by_service)}"


def opens_channel(role: Resource, index: Index) -> Known:
    """Return whether a role lets Session Manager into its machine."""
    attached = index.referrers(role, resource_types.ROLE_ATTACHMENT, "role")
    facts: list[Known] = [_names_channel(document) for document in documents(role, index)]
    arns = [resource.inputs.get("policyArn") for resource in attached.certain]
    arns += as_list(role.inputs.get("managedPolicyArns"))
    facts += [True if isinstance(arn, str) and arn.endswith(_CORE) else UNKNOWN for arn in arns]
    complete = attached.complete and _shows_all(role, index)
    return any_of((*facts, *(() if complete else (UNKNOWN,))))


def role_lets(
    role: Resource,
    allows: Callable[[Any], Known],
    index: Index,
    denies: Callable[[Any], Known] | None = None,
) -> Known:
    """Return whether a statement of a role passes a test; UNKNOWN where some are hidden.

    A statement that `denies` outweighs all that allow. What is hidden is taken to deny nothing,
    but for a permissions boundary, which may leave out anything, and does what none of it allows.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
    """
    attached, complete = _attached_policies(role, index)
    policies = [*documents(role, index), *attached]
    statements = [statement for policy in policies for statement in statements_of(policy)]
    allowed = any_of((*map(allows, statements), *(() if complete else (UNKNOWN,))))
    denied = any_of(map(denies, statements)) if denies is not None else False
    return all_of((allowed, opposite(denied), _passes_boundary(role, allows, index)))


def _passes_boundary(role: Resource, allows: Callable[[Any], Known], index: Index) -> Known:
    """Return whether a boundary keeps permissions that pass a test; UNKNOWN where it may."""
    if not _is_bounded(role):
        return True
    from gpuinfra.clouds.aws.observe.rights import start_boundaries  # noqa: PLC0415  (few roles have one)

    boundaries = start_boundaries.boundaries_of(role, index)
    answers = [any_of(map(allows, document)) for document in boundaries.documents]
    return False if boundaries.nothing or False in answers else UNKNOWN


def _attached_policies(role: Resource, index: Index) -> tuple[list[Any], bool]:
    """Return a role's attached policies, UNKNOWN for outside ones, and whether they are all.

    They are not while another's role is not known, written into it or attached.
    """
    references = [(role, "managedPolicyArns")]
    complete = index.referrers(role, resource_types.ROLE_POLICY, "role").complete
    for kind, (prop, policies) in _ATTACHING.items():
        targets = index.referrers(role, kind, prop)
        complete = complete and targets.complete
        references += [(resource, policies) for resource in targets.certain]
    documents: list[Any] = []
    for holder, prop in references:
        for arn in as_list(holder.inputs.get(prop)):
            attached = index.targets(holder, prop, resource_types.POLICY, arn)
            documents += [policy.inputs.get("policy") for policy in attached.certain]
            documents += [] if attached.exact else [UNKNOWN]
    return documents, complete


def shows_later(role: Resource, index: Index) -> bool:
    """Return whether a role's own policy is not known yet, and no boundary may restrict it."""
    has_unknown_document = UNKNOWN in documents(role, index)
    return has_unknown_document and not _is_bounded(role)


def _is_bounded(role: Resource) -> bool:
    """Return whether a role has a permissions boundary.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
    """
    return text(role.inputs.get("permissionsBoundary")) is not None


def _shows_all(role: Resource, index: Index) -> bool:
    """Return whether all policies of a role are visible, with none attached by others."""
    attachments = [index.referrers(role, kind, prop) for kind, prop in _SHARED_ATTACHMENTS.items()]
    shows_own_policies = index.referrers(role, resource_types.ROLE_POLICY, "role").complete
    return shows_own_policies and all(
        targets.complete and not targets.certain for targets in attachments
    )


def documents(role: Resource, index: Index) -> Iterator[Any]:
    """Yield the policies that are written into a role."""
    for resource in index.referrers(role, resource_types.ROLE_POLICY, "role").certain:
        yield resource.inputs.get("policy")
    for resource in as_list(role.inputs.get("inlinePolicies")):
        yield at(resource, "policy")


def _is_for_machines(statement: Any) -> Known:
    if isinstance(statement, Unknown):
        return UNKNOWN
    services = as_list(at(statement, "Principal", "Service"))
    if UNKNOWN in services:
        return UNKNOWN
    is_for_machines = any(
        isinstance(principal, str) and principal.startswith("ec2.amazonaws.com")
        for principal in services
    )
    allows_assume_role = "sts:AssumeRole" in as_list(at(statement, "Action"))
    return is_for_machines and allows_assume_role and at(statement, "Effect") == "Allow"


def _services(statement: Any) -> Iterator[str]:
    for action in as_list(at(statement, "Action")):
        if isinstance(action, str):
            yield action.partition(":")[0]


def _names_channel(document: Any) -> Known:
    return any_of(_allows_channel(statement) for statement in statements_of(document))


def _allows_channel(statement: Any) -> Known:
    if isinstance(statement, Unknown):
        return UNKNOWN
    actions = as_list(at(statement, "Action"))
    if UNKNOWN in actions or at(statement, "NotAction") is not None:
        return UNKNOWN
    names_channel = any(
        isinstance(action, str) and action.lower() in _CHANNEL for action in actions
    )
    covers_all_resources = "*" in as_list(at(statement, "Resource"))
    return names_channel and covers_all_resources and at(statement, "Effect") == "Allow"
