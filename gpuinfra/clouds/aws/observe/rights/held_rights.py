"""The permissions of an identity from all its policies together, which none gives alone.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import permissions, wide_rights
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource
from gpuinfra.records import record


@record(kw_only=False)
class _Holding:
    """The inputs that name the holder of a policy and the policy: its text or its ARN."""

    holder: str
    policy: str
    is_text: bool = False


_HOLDINGS: Final[Mapping[str, Mapping[str, _Holding]]] = {
    resource_types.ROLE: {
        resource_types.ROLE_POLICY: _Holding("role", "policy", is_text=True),
        resource_types.ROLE_ATTACHMENT: _Holding("role", "policyArn"),
        resource_types.ROLE_ATTACHMENTS: _Holding("roleName", "policyArns"),
        resource_types.POLICY_ATTACHMENT: _Holding("roles", "policyArn"),
    },
    resource_types.USER: {
        resource_types.USER_POLICY: _Holding("user", "policy", is_text=True),
        resource_types.USER_ATTACHMENT: _Holding("user", "policyArn"),
        resource_types.USER_ATTACHMENTS: _Holding("userName", "policyArns"),
        resource_types.POLICY_ATTACHMENT: _Holding("users", "policyArn"),
    },
    resource_types.IAM_GROUP: {
        resource_types.IAM_GROUP_POLICY: _Holding("group", "policy", is_text=True),
        resource_types.IAM_GROUP_ATTACHMENT: _Holding("group", "policyArn"),
        resource_types.IAM_GROUP_ATTACHMENTS: _Holding("groupName", "policyArns"),
        resource_types.POLICY_ATTACHMENT: _Holding("groups", "policyArn"),
    },
}
"""The resource types that give each kind of identity its policies, by pulumi-aws 7.51.1."""
_MANAGED_POLICIES_INPUT: Final = "managedPolicyArns"
_MEMBERS: Final = (("aws:iam/groupMembership:GroupMembership", "users", "group"),)
_MEMBER_OF: Final = (("aws:iam/userGroupMembership:UserGroupMembership", "user", "groups"),)
"""What makes users members of groups: who names the user, and who the groups."""


def combined_rights(identity: Resource, index: Index) -> Iterator[str]:
    """Yield the permissions of an identity in the stack that no policy of it shows by itself."""
    documents = tuple(_documents(identity, index))
    yield from _combined_permissions(documents)
    if _change_own(documents):
        from gpuinfra.clouds.aws.observe.rights.self_grants import self_grants  # noqa: PLC0415  (few have any)

        yield from self_grants(identity, documents, _own_policies(identity, index))


def outside_identity_rights(resource: Resource, index: Index) -> Iterator[str]:
    """Yield what an outside identity's policies give together, at the last that is attached."""
    kind = resource_types.canonical(resource.type)
    for identity, holdings in _HOLDINGS.items():
        holding = holdings.get(kind)
        names = as_list(resource.inputs.get(holding.holder)) if holding is not None else ()
        for name in names:
            giving = (
                _external_policy_holders(index).get((identity, name), ())
                if isinstance(name, str)
                else ()
            )
            if giving and giving[-1].urn == resource.urn:
                documents = tuple(
                    text
                    for rights in giving
                    for text in _granted_policies(rights, identity, index)
                )
                yield from _combined_permissions(documents)
                if _change_own(documents):
                    from gpuinfra.clouds.aws.observe.rights.self_grants import outside_self_grants  # noqa: PLC0415  (few have any)

                    yield from outside_self_grants(identity, name, documents)


def _change_own(documents: Sequence[Any]) -> bool:
    """Return whether policies allow changes of permissions."""
    statements = (statement for document in documents for statement in statements_of(document))
    return any(permissions.wide_actions(statement, "own") for statement in statements)


def attached_to(identity: Resource, index: Index) -> Iterator[tuple[Resource, str, Any]]:
    """Yield the policies attached to an identity by ARN, with the attaching resource and input."""
    yield from (
        (identity, _MANAGED_POLICIES_INPUT, arn)
        for arn in as_list(identity.inputs.get(_MANAGED_POLICIES_INPUT))
    )
    for kind, holding in _HOLDINGS[resource_types.canonical(identity.type)].items():
        if not holding.is_text:
            for attachment in index.referrers(identity, kind, holding.holder).certain:
                policies = as_list(attachment.inputs.get(holding.policy))
                yield from ((attachment, holding.policy, arn) for arn in policies)


def _own_policies(identity: Resource, index: Index) -> tuple[Resource, ...]:
    """Return the policies of the stack that are attached to an identity."""
    return tuple(
        policy
        for holder, prop, arn in attached_to(identity, index)
        for policy in index.targets(holder, prop, resource_types.POLICY, arn).certain
    )


def _combined_permissions(documents: Sequence[Any]) -> Iterator[str]:
    """Yield the permissions that policies give together and none of them alone."""
    documents = tuple(dict.fromkeys(text for text in documents if isinstance(text, str)))
    if len(documents) < 2:  # noqa: PLR2004  (several)
        return
    faults = [each for each in wide_rights.documents_faults(documents) if isinstance(each, str)]
    if not faults:
        return
    single_faults = {fault for text in documents for fault in wide_rights.document_faults(text)}
    yield from (
        f"{fault} (all its policies taken together)"
        for fault in faults
        if fault not in single_faults
    )


def _documents(identity: Resource, index: Index) -> Iterator[Any]:
    kind = resource_types.canonical(identity.type)
    for policy in as_list(identity.inputs.get("inlinePolicies")):
        yield at(policy, "policy")
    yield from _attached_documents(identity, _MANAGED_POLICIES_INPUT, index)
    for giving, holding in _HOLDINGS[kind].items():
        for attachment in index.referrers(identity, giving, holding.holder).certain:
            yield from _granted_policies(attachment, kind, index)
    if kind == resource_types.USER:
        for team in _teams(identity, index):
            yield from _documents(team, index)


def _granted_policies(resource: Resource, identity: str, index: Index) -> Iterator[Any]:
    """Yield the stack's policies that a resource gives to identities of a kind."""
    holding = _HOLDINGS[identity][resource_types.canonical(resource.type)]
    if holding.is_text:
        yield resource.inputs.get(holding.policy)
    else:
        yield from _attached_documents(resource, holding.policy, index)


def _attached_documents(resource: Resource, prop: str, index: Index) -> Iterator[Any]:
    for arn in as_list(resource.inputs.get(prop)):
        for policy in index.targets(resource, prop, resource_types.POLICY, arn).certain:
            yield policy.inputs.get("policy")


def _teams(user: Resource, index: Index) -> Iterator[Resource]:
    """Yield the groups of the stack that a user is in."""
    for kind, users, teams in (*_MEMBERS, *_MEMBER_OF):
        for membership in index.referrers(user, kind, users).certain:
            yield from index.targets(membership, teams, resource_types.IAM_GROUP).certain


def _external_policy_holders(index: Index) -> Mapping[tuple[str, str], Sequence[Resource]]:
    """Return the resources that give policies to named identities outside the stack, in order."""
    return index.memo("rights of others", lambda: _gather(index))


def _gather(index: Index) -> Mapping[tuple[str, str], Sequence[Resource]]:
    gathered: dict[tuple[str, str], list[Resource]] = {}
    for identity, holdings in _HOLDINGS.items():
        for kind, holding in holdings.items():
            for resource in index.of_kind(kind):
                for name in as_list(resource.inputs.get(holding.holder)):
                    targets = index.targets(resource, holding.holder, identity, name)
                    if isinstance(name, str) and not (targets.certain or targets.possible):
                        gathered.setdefault((identity, name), []).append(resource)
    return gathered
