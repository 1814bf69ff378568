"""The roles that grants give, and their members."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, home_of, last_part
from gpuinfra.clouds.gcp.observe.rights.role_powers import PermissionTest
from gpuinfra.clouds.gcp.roles import permissions_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import any_of, as_list, entries_of, text
from gpuinfra.model import UNKNOWN, Known, Resource

_ROLE: Final = re.compile(
    r"(?P<level>projects|organizations)/(?P<owner>[^/]+)/roles/(?P<id>[^/]+)"
)
_OWNERS: Final = {"projects": "project", "organizations": "orgId"}


def custom_of(grant: Resource, index: Index) -> Targets:
    """Return the custom roles that a grant names, also by an id that doesn't exist yet."""
    targets = index.targets(grant, "role", resource_types.CUSTOM_ROLE)
    role_id = grant.inputs.get("role")
    match = _ROLE.fullmatch(role_id) if isinstance(role_id, str) else None
    if targets.certain or targets.possible or match is None:
        return targets
    own_roles = [
        role
        for role in index.of_kind(resource_types.CUSTOM_ROLE)
        if role.inputs.get("roleId") == match["id"]
        and _owner_of(role, match["level"], grant) == match["owner"]
    ]
    return Targets(tuple(own_roles)) if own_roles else targets


def _owner_of(role: Resource, level: str, grant: Resource) -> Any:
    """Return the project or organization of a custom role.

    Where a role's project is not stated, the project of the grant is taken for it.
    """
    if level == "organizations" or role.type != resource_types.CUSTOM_ROLE:
        return role.inputs.get(_OWNERS[level])
    return role.inputs.get("project") or role.account or home_of(grant)


def role_passes(grant: Resource, index: Index, test: PermissionTest) -> Known:
    """Return whether the role that a grant gives passes a test, predefined or custom."""
    role = text(grant.inputs.get("role"))
    if isinstance(role, str) and role.startswith("roles/"):
        return test(permissions_of(role))
    return custom_of(grant, index).any_target(
        lambda custom_role: test(as_list(custom_role.inputs.get("permissions")))
    )


MEMBER: Final = re.compile(
    r"(?:serviceAccount:)?(?P<name>[^@]+)@(?P<project>.+)\.iam\.gserviceaccount\.com"
)
"""How a grant names an account before it is there: https://docs.cloud.google.com/iam/docs/service-account-overview"""


def is_granted_to(account: Resource, grant: Resource, prop: str, index: Index) -> Known:
    """Return whether a grant is given to an account."""
    targets = index.targets(grant, prop, resource_types.ACCOUNT)
    if any(target.urn == account.urn for target in targets.certain):
        return True
    has_unknowns = UNKNOWN in as_list(grant.inputs.get(prop))
    otherwise_granted: Known = UNKNOWN if has_unknowns and not targets.exact else False
    return any_of((is_named(account, grant, prop), otherwise_granted))


def is_address(member: str, account: Resource) -> bool:
    """Return whether a member, or a link to an account, has the account's future address."""
    email = MEMBER.fullmatch(last_part(member))
    project = account.inputs.get("project") or account.account
    return (
        email is not None
        and email["name"] == account.inputs.get("accountId")
        and (not isinstance(project, str) or email["project"] == _project_email_form(project))
    )


def spelled_out(grant: Resource, prop: str) -> Iterator[str]:
    """Return the members of a grant that are written out."""
    return (member for member in as_list(grant.inputs.get(prop)) if isinstance(member, str))


def is_named(account: Resource, grant: Resource, prop: str) -> Known:
    """Return whether a grant writes out the address that an account will have.

    Where the account's project is not stated, the project of the grant is taken for it.
    """
    account_project = text(account.inputs.get("project"))
    project = grant.inputs.get("project") if account_project is None else account_project
    emails = (MEMBER.fullmatch(member) for member in spelled_out(grant, prop))
    own_emails = [
        email for email in emails if email and email["name"] == account.inputs.get("accountId")
    ]
    if any(
        isinstance(project, str) and own_email["project"] == _project_email_form(project)
        for own_email in own_emails
    ):
        return True
    return UNKNOWN if own_emails and not isinstance(account_project, str) else False


def _project_email_form(project: str) -> str:
    """Return a project's form in account addresses: `example.com:p` is `p.example.com`."""
    domain, _, name = project.rpartition(":")
    return f"{name}.{domain}" if domain else name


def grants() -> Iterator[tuple[str, str]]:
    """Yield the kinds of grants on projects, each with the input that names its members."""
    for kind in resource_types.MEMBERS:
        yield kind, "member"
    for kind in resource_types.BINDINGS:
        yield kind, "members"


def bindings_of(document: Any) -> Iterator[Any]:
    """Return the bindings of an IAM policy document; UNKNOWN where it can't be read yet."""
    return entries_of(document, "bindings")
