"""Accounts that another may act as by a grant on them: its keys, its tokens, its use."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights import permissions
from gpuinfra.clouds.gcp.observe.rights.role_powers import (
    allows_attaching,
    allows_impersonation,
    starts,
)
from gpuinfra.clouds.gcp.roles import permissions_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_GRANTS: Final = (
    (resource_types.ACCOUNT_MEMBER, "member"),
    (resource_types.ACCOUNT_BINDING, "members"),
)
_ACCOUNT_INPUT: Final = "serviceAccountId"

AccountTest = Callable[[Resource], Known]


def through_others(account: Resource, index: Index, powerful: AccountTest) -> Known:
    """Return whether an account may act as one of this stack that passes the test.

    One of elsewhere may have any rights; an account's right to its own tokens adds none.
    """
    return any_of(_verdicts(account, index, powerful))


def _verdicts(account: Resource, index: Index, powerful: AccountTest) -> Iterator[Known]:
    for kind, prop in _GRANTS:
        for grant in index.of_kind(kind):
            if (is_granted := permissions.is_granted_to(account, grant, prop, index)) is not False:
                may_become = _lets_become(account, grant, index)
                is_powerful = may_become is not False and _granted_accounts(
                    grant, index
                ).any_target(powerful)
                yield all_of((is_granted, may_become, is_powerful))
    for policy in index.of_kind(resource_types.ACCOUNT_POLICY):
        if (may_become := _policy_lets_act_as(account, policy)) is not False:
            yield all_of((may_become, _granted_accounts(policy, index).any_target(powerful)))


def _granted_accounts(grant: Resource, index: Index) -> Targets:
    """Return the accounts that a grant is on, also by an address that doesn't exist yet."""
    accounts = index.targets(grant, _ACCOUNT_INPUT, resource_types.ACCOUNT)
    account_id = grant.inputs.get(_ACCOUNT_INPUT)
    if accounts.certain or accounts.possible or not isinstance(account_id, str):
        return accounts
    own_accounts = [
        account
        for account in index.of_kind(resource_types.ACCOUNT)
        if permissions.is_address(account_id, account)
    ]
    return Targets(tuple(own_accounts)) if own_accounts else accounts


def _lets_become(account: Resource, grant: Resource, index: Index) -> Known:
    becomes = permissions.role_passes(grant, index, allows_impersonation)
    attaches = permissions.role_passes(grant, index, allows_attaching)
    if becomes is True or attaches is False:
        return becomes
    return any_of((becomes, all_of((attaches, _may_start(account, index)))))


def _may_start(account: Resource, index: Index) -> Known:
    """Return whether an account may start resources that it could attach another account to."""
    return any_of(
        all_of(
            (
                permissions.is_granted_to(account, grant, prop, index),
                permissions.role_passes(grant, index, starts),
            )
        )
        for kind, prop in permissions.grants()
        for grant in index.of_kind(kind)
    )


def _policy_lets_act_as(account: Resource, policy: Resource) -> Known:
    """Return whether an account's policy of all roles lets another account act as it."""
    return any_of(
        UNKNOWN
        if isinstance(binding, Unknown)
        else all_of((_may_be(account, at(binding, "members")), _is_own(at(binding, "role"))))
        for binding in permissions.bindings_of(policy.inputs.get("policyData"))
    )


def _is_own(role: Any) -> Known:
    if not isinstance(role, str):
        return UNKNOWN
    if not role.startswith("roles/"):
        return UNKNOWN
    role_permissions = permissions_of(role)
    return any_of((allows_impersonation(role_permissions), allows_attaching(role_permissions)))


def _may_be(account: Resource, members: Any) -> Known:
    return any_of(
        permissions.is_address(member, account) if isinstance(member, str) else UNKNOWN
        for member in as_list(members)
    )
