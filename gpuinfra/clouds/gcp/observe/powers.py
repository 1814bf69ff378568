"""What permissions let the holder of a role do: one list, for predefined and custom roles."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import UNKNOWN, Known

Test = Callable[[Sequence[Any]], Known]
"""Of the permissions of a role."""

SETS_POLICIES: Final = "setIamPolicy"
EDITS_ROLES: Final = "iam.roles.update"
"""Adds permissions to a role that its holder has:
https://docs.cloud.google.com/iam/docs/roles-permissions/iam (2026-11-26, not re-read:
unverified)"""

ACTING: Final = "iam.serviceAccounts.actAs"


@cache
def those(name: str) -> frozenset[str]:
    """A set of permissions of the table of powers."""
    return frozenset(TABLES.table("powers")["sets"][name])


@cache
def powers() -> Mapping[str, frozenset[str]]:
    """What a role lets its holder use or read that others may, with what gives it."""
    sets = TABLES.table("powers")["sets"]
    return {
        row["words"]: frozenset(
            permission for each in row["permissions"] for permission in sets.get(each, (each,))
        )
        for row in TABLES.rows("powers")
    }


def gives_roles(permissions: Sequence[Any]) -> Known:
    """Whether a role lets its holder have rights that it does not state."""
    return any_of(
        (
            _has(permissions, SETS_POLICIES, *those("minting"), EDITS_ROLES, *those("becoming")),
            all_of((acts(permissions), starts(permissions))),
        )
    )


def mints(permissions: Sequence[Any]) -> Known:
    """Whether a role on a service account gives its holder what that account may do."""
    return _has(permissions, *those("minting"))


def acts(permissions: Sequence[Any]) -> Known:
    """Whether a role attaches a service account to what its holder starts."""
    return _has(permissions, ACTING)


def starts(permissions: Sequence[Any]) -> Known:
    """Whether a role starts what a service account is attached to."""
    return _has(permissions, *those("starting"))


def powers_of(permissions: Sequence[Any]) -> dict[str, list[str]]:
    """Return what a role surely lets its holder do, with the permissions that let him."""
    held: dict[str, list[str]] = {}
    for power, given_by in powers().items():
        giving = [each for each in permissions if each in given_by]
        if giving and not any(words.startswith(power) for words in held):
            held[power] = giving
    return held


def _has(permissions: Sequence[Any], *endings: str) -> Known:
    return any_of(
        permission.endswith(endings) if isinstance(permission, str) else UNKNOWN
        for permission in permissions
    )
