"""The grants that are too wide: on a project, of all of a service, of roles, or public."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights import permissions
from gpuinfra.clouds.gcp.observe.rights.identity import (
    gives_a_service,
    gives_everything,
    is_everybody,
    lets_anyone_in,
)
from gpuinfra.clouds.gcp.observe.rights.permissions import bindings_of
from gpuinfra.clouds.gcp.observe.rights.role_powers import (
    EDITS_ROLES,
    permission_set,
    powers_of,
    sets_policies,
)
from gpuinfra.clouds.gcp.roles import permissions_of
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_SCOPE_TEXTS: Final = {
    "projects": "the whole project",
    "billing": "the whole billing account",
    "folder": "a folder of projects",
    "iap": "the whole project",
}
"""By the service of a grant's type. A grant of a tunnel (`projects/PROJECT/iap_tunnel`) is on all
machines of a project, as the same role on the project is:
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding"""
_WIDEST: Final = "the whole organization"
_ALL_OF_ONE: Final = "full access to a service"
_POLICIES: Final = "the IAM policies of all resources of a type"
_AGENTS: Final = "serviceagent"
_AGENT: Final = re.compile(r"serviceAccount:(?:service-)?\d+@[\w.-]+\.?gserviceaccount\.com")
"""Roles for accounts of Google's own services, and how those accounts are called:
https://docs.cloud.google.com/iam/docs/service-agents"""

_CREATED_ACCOUNTS: Final = (
    (
        re.compile(r"gcp:(?:projects|folder|organizations)/serviceIdentity:\w+"),
        "serviceAccount:service-0@gcp-sa.iam.gserviceaccount.com",
    ),
    (
        re.compile(r"gcp:service[aA]ccount/account:\w+"),
        "serviceAccount:own@own.iam.gserviceaccount.com",
    ),
)
"""The resources that make agents of Google and accounts of one's own, and how such are called."""

_KEEPER: Final = re.compile(r"serviceAccount:(?:service-|bq-)?\d+@[\w.-]+\.?gserviceaccount\.com")
_ACCOUNT: Final = re.compile(r"serviceAccount:[^@]+@[\w.-]+\.gserviceaccount\.com")
_MEANT_FOR: Final = {
    "roles/cloudbuild.builds.builder": re.compile(
        r"serviceAccount:\d+(?:-compute@developer|@cloudbuild)\.gserviceaccount\.com"
    ),
    "roles/cloudkms.cryptoKeyEncrypterDecrypter": _KEEPER,
    "roles/config.agent": _ACCOUNT,
    "roles/dataproc.worker": _ACCOUNT,
    "roles/firebaseapphosting.computeRunner": _ACCOUNT,
}
"""The members that Google has one give a role in a project: the accounts of builds, the agents
that encrypt what a service keeps, and the accounts that a service runs machines as.
https://docs.cloud.google.com/build/docs/cloud-build-service-account
https://docs.cloud.google.com/assured-workloads/docs/create-workload-persistent-disk
https://docs.cloud.google.com/dataproc/docs/concepts/configuring-clusters/service-accounts
https://docs.cloud.google.com/infrastructure-manager/docs/configure-service-account
https://firebase.google.com/docs/app-hosting/roles-iam (the last three not re-read: unverified)"""


def role_grant_reader(prop: str) -> Callable[[Resource, Index], Iterator[GrantFault]]:
    """Return a reader for grants of one role to the members in the input `prop`."""

    def read(resource: Resource, index: Index) -> Iterator[GrantFault]:
        everybody = lets_anyone_in(resource, prop, index)
        role = text(resource.inputs.get("role"))
        if everybody is not False:
            yield UNKNOWN if everybody is UNKNOWN else f"grants {_role_text(role)} to everyone"
        condition = resource.inputs.get("condition")
        if isinstance(role, str) and role.startswith("roles/"):
            yield from _role(role, resource, _members(resource, prop, index), condition)
        elif role is not None:
            yield from _custom(resource, index)

    return read


def _members(resource: Resource, prop: str, index: Index) -> Any:
    """Return the members of a grant, with a name for the accounts that the stack makes."""
    members = resource.inputs.get(prop)
    if UNKNOWN not in as_list(members):
        return members
    kinds = {source.type for source in index.related_resources(resource, prop)}
    created_name = next(
        (name for form, name in _CREATED_ACCOUNTS if kinds and all(map(form.fullmatch, kinds))),
        None,
    )
    return [
        created_name if created_name and isinstance(member_value, Unknown) else member_value
        for member_value in as_list(members)
    ]


def _policy_faults(resource: Resource, _: Index) -> Iterator[GrantFault]:
    """Yield the wide grants of a policy that lists the members of every role."""
    for binding in bindings_of(resource.inputs.get("policyData")):
        if isinstance(binding, Unknown):
            yield UNKNOWN
            continue
        role = text(at(binding, "role"))
        if any(is_everybody(member) is True for member in as_list(at(binding, "members"))):
            yield f"grants {_role_text(role)} to everyone"
        yield from _role(role, resource, at(binding, "members"), at(binding, "condition"))


def _account_grant_reader(prop: str) -> Callable[[Resource, Index], Iterator[GrantFault]]:
    """Return the reader of a grant on one service account, which is wide only if public."""

    def read(resource: Resource, index: Index) -> Iterator[GrantFault]:
        everybody = lets_anyone_in(resource, prop, index)
        role = text(resource.inputs.get("role"))
        if everybody is not False:
            yield UNKNOWN if everybody is UNKNOWN else _public_role_text(role)

    return read


def _account_policy_faults(resource: Resource, _: Index) -> Iterator[GrantFault]:
    for binding in bindings_of(resource.inputs.get("policyData")):
        if isinstance(binding, Unknown):
            yield UNKNOWN
        elif any(is_everybody(member) is True for member in as_list(at(binding, "members"))):
            yield _public_role_text(text(at(binding, "role")))


def _public_role_text(role: str | Unknown | None) -> str:
    return f"grants {_role_text(role)} on a service account to everyone"


def _custom_role_faults(resource: Resource, _: Index) -> Iterator[GrantFault]:
    """Yield the permissions that let a member with the role gain any other permission."""
    for permission in as_list(resource.inputs.get("permissions")):
        if isinstance(permission, Unknown):
            yield UNKNOWN
        elif permission in permission_set("giving"):
            yield f"allows {permission}"


def _role(
    role: str | Unknown | None, grant: Resource, members: Any, condition: Any
) -> Iterator[GrantFault]:
    """Yield the wide grants of a role; a condition may limit a service role to a part.

    https://docs.cloud.google.com/iam/docs/conditions-overview
    """
    scope_text = _scope_text(grant.type)
    if isinstance(role, Unknown):
        yield UNKNOWN
    elif role is None or _is_for_agents(role, members, grant.inputs.get("project")):
        return
    elif gives_everything(role):
        yield f"grants {role} on {scope_text}"
    elif power := _power(role):
        narrowed = _excludes_resources(condition)
        if narrowed is not True:
            yield UNKNOWN if narrowed is UNKNOWN else f"grants {role}, {power}, on {scope_text}"


def _power(role: str) -> str | None:
    """Return a description of what a predefined role may use or read in a whole project."""
    permissions = permissions_of(role)
    if power_text := next(iter(powers_of(permissions)), None):
        return power_text
    if gives_a_service(role):
        return _ALL_OF_ONE
    return _POLICIES if sets_policies(permissions) else None


def _is_for_agents(role: str, members: Any, project: Any) -> bool:
    """Return whether a role is given only to accounts that Google has one give it.

    Accounts of one's own project may be called as Google's are, which are in Google's projects.
    """
    if agent_role := _MEANT_FOR.get(role):
        are_agent_members = all(agent_role.fullmatch(str(member)) for member in as_list(members))
    else:
        are_agent_members = role.lower().endswith(_AGENTS) and all(
            isinstance(member, Unknown) or _AGENT.fullmatch(str(member))
            for member in as_list(members)
        )
    project_domain = f"@{project}.iam.gserviceaccount.com"
    by_name = _MEANT_FOR.get(role) is not _ACCOUNT
    return are_agent_members and not (
        by_name and any(str(member).endswith(project_domain) for member in as_list(members))
    )


def _custom(grant: Resource, index: Index) -> Iterator[GrantFault]:
    """Yield the wide grants of a custom role of this stack; others aren't visible.

    That a role may set policies is told of the role itself.
    """
    roles = permissions.custom_of(grant, index)
    if isinstance(grant.inputs.get("role"), Unknown) and not (roles.certain and roles.exact):
        yield UNKNOWN
    if _excludes_resources(grant.inputs.get("condition")) is not False:
        return
    for role in roles.certain:
        stated = [
            permission
            for permission in as_list(role.inputs.get("permissions"))
            if isinstance(permission, str)
        ]
        if EDITS_ROLES in stated:
            yield f"grants {role.name}, which may change any role, on {_scope_text(grant.type)}"
        if becoming := [
            permission for permission in stated if permission in permission_set("becoming")
        ]:
            rights = f"the rights of others ({', '.join(becoming)})"
            yield f"grants {role.name}, {rights}, on {_scope_text(grant.type)}"
        powers = powers_of(stated)
        if sharing := sets_policies(stated):
            powers[_POLICIES] = sharing
        for power_text, giving in powers.items():
            use = f"{power_text} ({', '.join(giving)})"
            yield f"grants {role.name}, {use}, on {_scope_text(grant.type)}"


def _excludes_resources(condition: Any) -> Known:
    """Return whether a condition excludes some of the grant's resources."""
    if not condition:
        return False
    from gpuinfra.clouds.gcp.observe.rights import conditions  # noqa: PLC0415  (few have any)

    return conditions.excludes_resources(condition)


def _scope_text(token: str) -> str:
    return _SCOPE_TEXTS.get(token.partition(":")[2].partition("/")[0], _WIDEST)


def _role_text(role: str | Unknown | None) -> str:
    return role if isinstance(role, str) else "a role"


member: Final = make_observer("gcp", role_grant_reader("member"))
binding: Final = make_observer("gcp", role_grant_reader("members"))
policy: Final = make_observer("gcp", _policy_faults)
account_member: Final = make_observer("gcp", _account_grant_reader("member"))
account_binding: Final = make_observer("gcp", _account_grant_reader("members"))
account_policy: Final = make_observer("gcp", _account_policy_faults)
custom_role: Final = make_observer("gcp", _custom_role_faults)
