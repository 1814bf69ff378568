"""What roles grant too widely: a project, all of a service, granting roles, public access."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import permissions
from gpuinfra.clouds.gcp.observe.identity import (
    gives_a_service,
    gives_everything,
    is_everybody,
    lets_everybody_in,
)
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.permissions import bindings_of
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import at, listed, text
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_WHERE: Final = {"projects": "the whole project", "folder": "a folder of projects"}
_WIDEST: Final = "the whole organization"
_ALL_OF_ONE: Final = "full access to a service"
_ACTING: Final = "the use of every service account"
_LOGIN: Final = "a login to every machine"
_DECRYPTION: Final = "decryption with every key"
_POWERS: Final = {
    "roles/iam.serviceAccountUser": _ACTING,
    "roles/iam.serviceAccountTokenCreator": _ACTING,
    "roles/compute.osLogin": _LOGIN,
    "roles/compute.osAdminLogin": f"{_LOGIN} as an administrator",
    "roles/iap.tunnelResourceAccessor": "a tunnel to every machine",
    "roles/secretmanager.secretAccessor": "every secret",
    "roles/cloudkms.cryptoKeyDecrypter": _DECRYPTION,
    "roles/cloudkms.cryptoKeyEncrypterDecrypter": _DECRYPTION,
}
"""Roles that on a project use or read what others may, and what each lets do, as of 2026-11-26:
https://docs.cloud.google.com/iam/docs/service-account-permissions
https://docs.cloud.google.com/compute/docs/oslogin/set-up-oslogin
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding
https://docs.cloud.google.com/secret-manager/docs/access-control
https://docs.cloud.google.com/kms/docs/reference/permissions-and-roles"""
_GIVING: Final = frozenset(
    f"resourcemanager.{level}.setIamPolicy" for level in ("projects", "folders", "organizations")
)
"""https://docs.cloud.google.com/iam/docs/roles-permissions/resourcemanager"""

_TAKING: Final = permissions.MINTING | {permissions.ACTING}


def _of_role(prop: str) -> Callable[[Resource, Index], Iterator[GrantFault]]:
    """Return what reads a grant of one role, to those whom the input `prop` names."""

    def read(resource: Resource, index: Index) -> Iterator[GrantFault]:
        everybody = lets_everybody_in(resource, prop, index)
        role = text(resource.inputs.get("role"))
        if everybody is not False:
            yield UNKNOWN if everybody is UNKNOWN else f"grants {_named(role)} to everyone"
        condition = resource.inputs.get("condition")
        if isinstance(role, str) and role.startswith("roles/"):
            yield from _role(role, resource.type, condition)
        elif role is not None:
            yield from _custom(resource, index)

    return read


def _of_policy(resource: Resource, _: Index) -> Iterator[GrantFault]:
    """What a policy gives that says at once who holds every role."""
    for binding in bindings_of(resource.inputs.get("policyData")):
        if isinstance(binding, Unknown):
            yield UNKNOWN
            continue
        role = text(at(binding, "role"))
        if any(is_everybody(member) is True for member in listed(at(binding, "members"))):
            yield f"grants {_named(role)} to everyone"
        yield from _role(role, resource.type, at(binding, "condition"))


def _of_account(prop: str) -> Callable[[Resource, Index], Iterator[GrantFault]]:
    """Return what reads a grant on one service account, which has its bounds but for whom."""

    def read(resource: Resource, index: Index) -> Iterator[GrantFault]:
        everybody = lets_everybody_in(resource, prop, index)
        role = text(resource.inputs.get("role"))
        if everybody is not False:
            yield UNKNOWN if everybody is UNKNOWN else _to_all(role)

    return read


def _of_account_policy(resource: Resource, _: Index) -> Iterator[GrantFault]:
    for binding in bindings_of(resource.inputs.get("policyData")):
        if isinstance(binding, Unknown):
            yield UNKNOWN
        elif any(is_everybody(member) is True for member in listed(at(binding, "members"))):
            yield _to_all(text(at(binding, "role")))


def _to_all(role: str | Unknown | None) -> str:
    return f"grants {_named(role)} on a service account to everyone"


def _of_custom_role(resource: Resource, _: Index) -> Iterator[GrantFault]:
    """Yield the permissions that let a member with the role gain any other permission."""
    for permission in listed(resource.inputs.get("permissions")):
        if isinstance(permission, Unknown):
            yield UNKNOWN
        elif permission in _GIVING:
            yield f"allows {permission}"


def _role(role: str | Unknown | None, token: str, condition: Any) -> Iterator[GrantFault]:
    """What a role gives too widely; a condition may narrow all of a service to a part of it.

    https://docs.cloud.google.com/iam/docs/conditions-overview
    """
    where = _where(token)
    if isinstance(role, Unknown):
        yield UNKNOWN
    elif role is not None and gives_everything(role):
        yield f"grants {role} on {where}"
    elif role is not None and (role in _POWERS or gives_a_service(role)):
        power = _POWERS.get(role, _ALL_OF_ONE)
        if isinstance(condition, Unknown):
            yield UNKNOWN
        elif not condition or _is_always(condition):
            yield f"grants {role}, {power}, on {where}"


def _custom(grant: Resource, index: Index) -> Iterator[GrantFault]:
    """What a custom role of this stack gives too widely; one of elsewhere isn't visible.

    That a role may set policies is told of the role itself.
    """
    roles = permissions.custom_of(grant, index)
    if isinstance(grant.inputs.get("role"), Unknown) and not (roles.certain and roles.exact):
        yield UNKNOWN
    condition = grant.inputs.get("condition")
    if isinstance(condition, Unknown) or (condition and not _is_always(condition)):
        return
    for role in roles.certain:
        stated = [each for each in listed(role.inputs.get("permissions")) if isinstance(each, str)]
        if permissions.EDITS_ROLES in stated:
            yield f"grants {role.name}, which may change any role, on {_where(grant.type)}"
        if taking := [each for each in stated if each in _TAKING]:
            use = f"the use of every service account ({', '.join(taking)})"
            yield f"grants {role.name}, {use}, on {_where(grant.type)}"


def _where(token: str) -> str:
    return _WHERE.get(token.partition(":")[2].partition("/")[0], _WIDEST)


def _is_always(condition: Any) -> bool:
    """Whether a condition is one that every request meets."""
    expression = text(at(condition, "expression"))
    return isinstance(expression, str) and expression.strip().lower() == "true"


def _named(role: str | Unknown | None) -> str:
    return role if isinstance(role, str) else "a role"


def _observed(read: Callable[[Resource, Index], Iterator[GrantFault]]) -> Callable[..., Rows]:
    def rows(resource: Resource, index: Index, _: Usage) -> Rows:
        return granted("gcp", resource, read(resource, index))

    return rows


member: Final = _observed(_of_role("member"))
binding: Final = _observed(_of_role("members"))
policy: Final = _observed(_of_policy)
account_member: Final = _observed(_of_account("member"))
account_binding: Final = _observed(_of_account("members"))
account_policy: Final = _observed(_of_account_policy)
custom_role: Final = _observed(_of_custom_role)
