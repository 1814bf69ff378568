"""The powers of permissions: one list, for predefined and custom roles."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import UNKNOWN, Known

PermissionTest = Callable[[Sequence[Any]], Known]
"""Of the permissions of a role."""

_SETS_POLICIES: Final = ".setIamPolicy"
"""The table of roles has `*.setIamPolicy` for a role that sets policies of some type."""

EDITS_ROLES: Final = "iam.roles.update"
"""Adds permissions to a role that its holder has:
https://docs.cloud.google.com/iam/docs/roles-permissions/iam (2026-11-26, not re-read:
unverified)"""

ACTING: Final = "iam.serviceAccounts.actAs"


@cache
def permission_set(name: str) -> frozenset[str]:
    """Return a set of permissions of the table of powers."""
    return frozenset(TABLES.table("powers")["sets"][name])


@cache
def powers() -> Mapping[str, frozenset[str]]:
    """Return the powers over all resources of a kind, each with the permissions that give it."""
    sets = TABLES.table("powers")["sets"]
    return {
        row["words"]: frozenset(
            permission
            for permission_set in row["permissions"]
            for permission in sets.get(permission_set, (permission_set,))
        )
        for row in TABLES.rows("powers")
    }


def gives_roles(permissions: Sequence[Any]) -> Known:
    """Return whether a role lets its holder gain permissions that it does not state."""
    return any_of(
        (
            _has(
                permissions,
                *permission_set("giving"),
                *permission_set("minting"),
                EDITS_ROLES,
                *permission_set("becoming"),
            ),
            all_of((allows_attaching(permissions), starts(permissions))),
        )
    )


def allows_impersonation(permissions: Sequence[Any]) -> Known:
    """Return whether a role on a service account gives its holder the account's permissions."""
    return _has(permissions, *permission_set("minting"))


def allows_attaching(permissions: Sequence[Any]) -> Known:
    """Return whether a role lets its holder attach a service account to what he starts."""
    return _has(permissions, ACTING)


def starts(permissions: Sequence[Any]) -> Known:
    """Return whether a role starts resources that have a service account."""
    return _has(permissions, *permission_set("starting"))


def sets_policies(permissions: Sequence[Any]) -> list[str]:
    """Return the permissions that set policies of all resources of a type, such as buckets.

    Their holder may give anyone every right on these resources, also rights that he lacks.
    Those that give far more, or nothing that a holder lacks, are other sets.
    """
    other = frozenset().union(*map(permission_set, ("giving", "minting", "becoming", "sharing")))
    return [
        permission
        for permission in permissions
        if isinstance(permission, str)
        and permission.endswith(_SETS_POLICIES)
        and permission not in other
    ]


def powers_of(permissions: Sequence[Any]) -> dict[str, list[str]]:
    """Return the powers that a role surely gives, with the permissions that give them."""
    given_powers: dict[str, list[str]] = {}
    for power, given_by in powers().items():
        giving = [permission for permission in permissions if permission in given_by]
        if giving and not any(power_text.startswith(power) for power_text in given_powers):
            given_powers[power] = giving
    return given_powers


def _has(permissions: Sequence[Any], *endings: str) -> Known:
    return any_of(
        permission.endswith(endings) if isinstance(permission, str) else UNKNOWN
        for permission in permissions
    )
