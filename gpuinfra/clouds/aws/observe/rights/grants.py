"""The grants of policies and roles: all actions, all of a service, or trust in everyone."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import access_lists, held_rights, wide_rights
from gpuinfra.clouds.aws.observe.rights.conditions import excludes_any
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_ARN: Final = "arn:"
_VAULT_MAKES_USERS: Final = "iam_user"
_EVERYONE: Final = "*"
_CALLER_LIMITS: Final = ("sourceArn", "sourceAccount", "principalOrgId")
"""The inputs that restrict the callers of a function:
https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html"""
_SHOWS: Final = "cloudfront.amazonaws.com"
"""A service that publishes what it reads, for distributions of any account:
https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-s3.html"""


_ReadFaults = Callable[[Resource], Iterator[GrantFault]]


_ReadHeldRights = Callable[[Resource, Index], Iterator[str]]


def _make_observer(
    *read: _ReadFaults,
    rights: _ReadFaults | None = None,
    other_rights: _ReadHeldRights = held_rights.outside_identity_rights,
) -> Callable[..., Rows]:
    """Return an observer for a type whose grants are read by these functions.

    Args:
        read: what finds whom it lets in.
        rights: what finds the rights that it gives an identity, which a boundary may take away.
        other_rights: what finds the rights that it gives with other policies.
    """

    def rows(resource: Resource, index: Index, _: Usage) -> Rows:
        role_faults = (
            (*rights(resource), *other_rights(resource, index)) if rights is not None else ()
        )
        if role_faults and _is_taken_away(resource, index):
            role_faults = ()
        return grant_rows(
            "aws", resource, (*(fault for each in read for fault in each(resource)), *role_faults)
        )

    return rows


def _is_taken_away(resource: Resource, index: Index) -> bool:
    from gpuinfra.clouds.aws.observe.rights import boundaries  # noqa: PLC0415  (few give too much)

    return boundaries.take_all_from(resource, index)


def _keeps_out(condition: Any) -> bool:
    """Return whether a condition excludes callers from other accounts; False without one."""
    if not condition:
        return False
    from gpuinfra.clouds.aws.observe.rights import public_statements  # noqa: PLC0415  (few have a condition)

    return public_statements.keeps_out(condition)


def _trust(document: Any) -> Iterator[GrantFault]:
    """Yield the public grants of a resource's own policy: those without a narrowing condition."""
    for statement in statements_of(document):
        if isinstance(statement, Unknown):
            yield UNKNOWN
        elif at(statement, "Effect") == "Allow":
            yield from _public_statement_faults(statement)
            yield from _cloudfront_grants(statement)
            yield from _federated_trust_faults(statement)


def _federated_trust_faults(statement: Any) -> Iterator[GrantFault]:
    if at(statement, "Principal", "Federated") is None:
        return
    from gpuinfra.clouds.aws.observe.rights import role_trust  # noqa: PLC0415  (few roles have an issuer)

    yield from role_trust.shared_issuer_faults(statement)


def _cloudfront_grants(statement: Any) -> Iterator[GrantFault]:
    """Yield the actions that a policy allows CloudFront for anyone's distribution."""
    services = as_list(at(statement, "Principal", "Service"))
    if _SHOWS in services and not _keeps_out(at(statement, "Condition")):
        actions = ", ".join(str(action) for action in as_list(at(statement, "Action"))[:3])
        yield (
            f"allows {_SHOWS} {actions} for the distributions of every account "
            "(add a condition on aws:SourceArn)"
        )


def _public_statement_faults(statement: Any) -> Iterator[GrantFault]:
    principal = at(statement, "Principal")
    kinds = principal.values() if isinstance(principal, Mapping) else ()
    principals = [principal, *(name for names in kinds for name in as_list(names))]
    actions = ", ".join(str(action) for action in as_list(at(statement, "Action"))[:3])
    has_exclusions = at(statement, "NotPrincipal") is not None
    if (has_exclusions or _EVERYONE in principals) and _keeps_out(at(statement, "Condition")):
        return
    if has_exclusions:
        yield f"allows everyone except the named principals to do {actions or 'anything'}"
    elif _EVERYONE in principals:
        yield f"lets everyone do {actions}"
    elif UNKNOWN in principals and not excludes_any(at(statement, "Condition")):
        # A principal that is not known yet is rarely `*`: any condition is taken to limit it.
        yield UNKNOWN


def _role_faults(role: Resource) -> Iterator[GrantFault]:
    for policy in as_list(role.inputs.get("inlinePolicies")):
        yield from wide_rights.document_faults(at(policy, "policy"))
    for arn in as_list(role.inputs.get("managedPolicyArns")):
        yield from wide_rights.managed_policy_faults(arn)


def _attachment_faults(attachments: Resource) -> Iterator[GrantFault]:
    for arn in as_list(attachments.inputs.get("policyArns")):
        yield from wide_rights.managed_policy_faults(arn)


def _permission_faults(permission: Resource) -> Iterator[GrantFault]:
    """Yield the public access that a function's permission grants; none if it has a condition."""
    inputs = permission.inputs
    principal = inputs.get("principal")
    narrowed = [inputs.get(key) for key in _CALLER_LIMITS]
    if any(value is not None and _names_account(value) for value in narrowed):
        return
    if isinstance(principal, Unknown):
        yield UNKNOWN
    elif (caller := _callers().get(str(principal))) is not None:
        yield f"lets {principal} call it for {caller} in any account: set source_account"
    elif principal == _EVERYONE:
        yield f"lets everyone do {inputs.get('action') or 'anything'}"


@cache
def _callers() -> Mapping[str, str]:
    """Return the services that call functions for any account, with the name of their calls."""
    return {row["service"]: row["what"] for row in TABLES.rows("callers")}


def _names_account(source: Any) -> bool:
    from gpuinfra.clouds.aws.observe.rights import public_statements  # noqa: PLC0415  (few have a source)

    return public_statements.is_of_account(str(source))


def _policy(
    read: Callable[[Any], Iterator[GrantFault]], key: str = "policy"
) -> Callable[..., Any]:
    return lambda resource: read(resource.inputs.get(key))


policy: Final = _make_observer(rights=_policy(wide_rights.document_faults))
trust: Final = _make_observer(_policy(_trust))
attachment: Final = _make_observer(rights=_policy(wide_rights.managed_policy_faults, "policyArn"))
role: Final = _make_observer(
    _policy(_trust, "assumeRolePolicy"),
    rights=_role_faults,
    other_rights=held_rights.combined_rights,
)
permission: Final = _make_observer(_permission_faults)
bucket_acl: Final = _make_observer(access_lists.faults)
attachment_of_people: Final = _make_observer(
    rights=_policy(partial(wide_rights.managed_policy_faults, people=True), "policyArn")
)
attachments: Final = _make_observer(rights=_attachment_faults)


def own_rights(resource: Resource, index: Index, key: str) -> Rows:
    """Return the wide permissions that a resource without an observer gives people, if any."""
    faults: list[GrantFault] = []
    for policy in as_list(resource.inputs.get(key)):
        is_arn = isinstance(policy, str) and policy.startswith(_ARN)
        faults += (
            wide_rights.managed_policy_faults(policy, people=True)
            if is_arn
            else wide_rights.document_faults(policy)
        )
    if not faults or _is_taken_away(resource, index):
        return Rows()
    return grant_rows("aws", resource, faults)


def users_of_vault(role: Resource) -> Rows:
    """Return the wide permissions of the users that Vault makes by a role, if any.

    Policies of other kinds of credentials only limit what a role or a user of AWS has:
    https://www.pulumi.com/registry/packages/vault/api-docs/aws/secretbackendrole/
    """
    inputs = role.inputs
    kind = inputs.get("credentialType")
    if kind != _VAULT_MAKES_USERS and not isinstance(kind, Unknown):
        return Rows()
    faults: list[GrantFault] = list(wide_rights.document_faults(inputs.get("policyDocument")))
    faults += _attachment_faults(role)
    is_limited = inputs.get("permissionsBoundaryArn") is not None
    if faults and (is_limited or isinstance(kind, Unknown)):
        faults = [UNKNOWN]
    return grant_rows("aws", role, faults) if faults else Rows()


def holder_rows(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the wide permissions of a user's or a group's policies together, if any."""
    combined_faults = tuple(held_rights.combined_rights(resource, index))
    if not combined_faults or _is_taken_away(resource, index):
        return Rows()
    return grant_rows("aws", resource, combined_faults)


def own_policy(resource: Resource, key: str = "policy") -> Rows:
    """Return the wide grants of the policy in a resource's own input, if any."""
    faults = tuple(_trust(at(resource.inputs, *key.split("."))))
    return grant_rows("aws", resource, faults) if faults else Rows()
