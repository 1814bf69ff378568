"""The powers of permissions: one list, for built-in and custom roles."""

from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm_ids, resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import permissions_of
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import PROBE_NAME
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, opposite
from gpuinfra.model import UNKNOWN, Known, Resource
from gpuinfra.records import record

_CHANGES: Final = tuple(
    f"{PROBE_NAME}/{PROBE_NAME}/{act}" for act in ("write", "delete", "action")
)
"""Changes in every service. An action's `*` takes any characters:
https://learn.microsoft.com/azure/role-based-access-control/role-definitions#actions-format"""
_ACTIONS: Final = ("actions", "notActions")
_DATA_ACTION_KEYS: Final = ("dataActions", "notDataActions")
GRANTING_KEYS: Final = (_ACTIONS, _DATA_ACTION_KEYS)
"""The keys that give, and those that take back."""


@record
class RolePower:
    """The power over all resources of a kind that a role gives its holder in its scope.

    Attributes:
        role: the label of a custom role with this power.
        keys: of the permissions that give it, and that take it back.
        actions: any of which gives it.
        words: a description of the power, on a whole subscription.
        mostly_narrow: whether a scope that is not known yet is taken for a single resource's.
    """

    role: str
    keys: tuple[str, str]
    actions: tuple[str, ...]
    words: str
    mostly_narrow: bool = False

    def is_in(self, permissions: Any) -> Known:
        """Return whether permissions give the power."""
        return _any_gives(permissions, self.keys, self.actions)


@cache
def powers() -> tuple[RolePower, ...]:
    """Return the powers that are too wide for a role on a whole subscription."""
    return tuple(
        RolePower(
            role=row["role"],
            keys=_ACTIONS if row["of"] == "actions" else _DATA_ACTION_KEYS,
            actions=_action_set(row["actions"])
            if isinstance(row["actions"], str)
            else tuple(row["actions"]),
            words=row["words"],
            mostly_narrow=row["mostly_narrow"],
        )
        for row in TABLES.rows("powers")
    )


@cache
def _action_set(name: str) -> tuple[str, ...]:
    """Return a set of actions of the table, with `*` replaced by a placeholder name."""
    actions = TABLES.table("powers")["sets"][name]
    return tuple(action.replace("*", PROBE_NAME) for action in actions)


def gives_everything(permissions: Any) -> Known:
    """Return whether permissions change everything, all data, or identities and roles."""
    return any_of(
        (
            _any_gives(permissions, _ACTIONS, (*_CHANGES, *_action_set("giving roles"))),
            _any_gives(permissions, _DATA_ACTION_KEYS, _CHANGES),
            all_of((allows_assigning(permissions), allows_hosting(permissions))),
        )
    )


def allows_assigning(permissions: Any) -> Known:
    """Return whether permissions allow assigning any identity of the scope."""
    return _any_gives(permissions, _ACTIONS, _action_set("assigning"))


def allows_hosting(permissions: Any) -> Known:
    """Return whether permissions allow creating resources that run as an identity."""
    return _any_gives(permissions, _ACTIONS, _action_set("hosting"))


def starts_machines(permissions: Any) -> Known:
    """Return whether permissions allow creating, starting or enlarging hosts of machines."""
    return _any_gives(permissions, _ACTIONS, _action_set("starting"))


def role_is(grant: Resource, index: Index, test: Callable[[Any], Known]) -> Known:
    """Return whether the role of an assignment passes a test: built-in, or the stack's."""
    role = grant.inputs.get("roleDefinitionId")
    built_in = permissions_of(arm_ids.last_part(role)) if isinstance(role, str) else None
    if built_in is not None:
        return test(built_in)
    roles = index.targets(grant, "roleDefinitionId", resource_types.ROLE)
    return roles.any_target(lambda definition: test(definition.inputs.get("permissions")))


def is_visible(grant: Resource, index: Index) -> bool:
    """Return whether the role of an assignment is built-in, or may be one of this stack."""
    role = grant.inputs.get("roleDefinitionId")
    if isinstance(role, str) and permissions_of(arm_ids.last_part(role)) is not None:
        return True
    roles = index.targets(grant, "roleDefinitionId", resource_types.ROLE)
    return bool(roles.certain or roles.possible)


def _any_gives(permissions: Any, keys: Iterable[str], actions: Collection[str]) -> Known:
    """Return whether one of the permissions gives, by these keys, one of the actions."""
    allowed, excluded = keys
    return any_of(
        all_of(
            (
                _matches_action(permission, allowed, action),
                opposite(_matches_action(permission, excluded, action)),
            )
        )
        for permission in as_list(permissions)
        for action in actions
    )


def _matches_action(permission: Any, key: str, action: str) -> Known:
    """Return whether one of a permission's patterns matches an action."""
    return any_of(
        _matches_pattern(action, pattern) if isinstance(pattern, str) else UNKNOWN
        for pattern in as_list(at(permission, key))
    )


@lru_cache(maxsize=8192)
def _matches_pattern(action: str, pattern: str) -> bool:
    """Return whether a pattern matches an action; only `*` is a wildcard, as on Azure."""
    return fnmatchcase(action, pattern.lower().replace("[", "[[]").replace("?", "[?]"))
