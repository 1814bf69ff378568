"""The permissions of a machine's service account, and the members that grants name."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, home_of, normalize_reference
from gpuinfra.clouds.gcp.observe.resource_types import canonical
from gpuinfra.clouds.gcp.observe.rights import permissions
from gpuinfra.clouds.gcp.observe.rights.permissions import (
    MEMBER,
    bindings_of,
    grants,
    is_address,
    is_named,
    spelled_out,
)
from gpuinfra.clouds.gcp.observe.rights.role_powers import gives_roles
from gpuinfra.clouds.gcp.roles import permissions_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_POWERFUL: Final = frozenset({"roles/owner", "roles/editor", "roles/admin", "roles/writer"})
"""Basic roles: https://docs.cloud.google.com/iam/docs/roles-overview"""

ANYONE: Final = frozenset({"allUsers", "allAuthenticatedUsers"})
_EVERYBODY: Final = ANYONE | {"principalSet://goog/public:all"}
"""https://docs.cloud.google.com/iam/docs/principal-identifiers"""
PUBLIC_ACLS: Final = ("publicRead", "publicReadWrite", "authenticatedRead")
"""The predefined lists of access that let everyone in."""
_ADMIN: Final = ".admin"
"""How the predefined roles end that may do everything in a service (compute.admin):
https://docs.cloud.google.com/iam/docs/roles-permissions/compute"""

_ACCOUNT_GRANT_TYPES: Final = (
    resource_types.ACCOUNT_MEMBER,
    resource_types.ACCOUNT_BINDING,
    resource_types.ACCOUNT_POLICY,
)
_SCOPE: Final = "https://www.googleapis.com/auth/"
_WIDE_SCOPES: Final = frozenset(
    {"cloud-platform", "compute", "compute-rw", "iam", "cloudplatformprojects"}
)
"""The scope that leaves all to the roles, and those by which a machine starts another with it,
mints a token with it or gives itself a role; other ones let no role do everything:
https://docs.cloud.google.com/compute/docs/access/service-accounts#accesscopesiam
https://developers.google.com/identity/protocols/oauth2/scopes (2026-11-26, not re-read:
unverified)"""


def is_administrator(launch: LaunchSources, index: Index) -> Known:
    """Return whether a machine may do everything; False without a service account.

    A project's default account is its editor unless that role has been revoked.
    """
    account = launch.get("serviceAccount")
    if account is None:
        return False
    if isinstance(account, Unknown):
        return UNKNOWN
    return all_of((_has_wide_scope(at(account, "scopes")), _account_is(launch, index)))


def _has_wide_scope(scopes: Any) -> Known:
    if isinstance(scopes, Unknown) or not as_list(scopes):
        return UNKNOWN
    return any_of(
        scope.removeprefix(_SCOPE) in _WIDE_SCOPES if isinstance(scope, str) else UNKNOWN
        for scope in as_list(scopes)
    )


def _account_is(launch: LaunchSources, index: Index) -> Known:
    email = at(launch.get("serviceAccount"), "email")
    if email is None:
        return UNKNOWN
    accounts = launch.targets(index, "serviceAccount", resource_types.ACCOUNT, "email")
    if accounts is None or not (accounts.certain or accounts.possible):
        is_granted_by_name = any_of(
            _role_is(grant, index) for grant in _named_grants(email, index)
        )
        facts = [_is_powerful(account, index) for account in _accounts_called(email, index)]
        return True if is_granted_by_name is True else any_of(facts) if facts else UNKNOWN
    return accounts.any_target(lambda account: _is_powerful(account, index))


def _accounts_called(email: Any, index: Index) -> list[Resource]:
    """Return the stack's accounts that will surely have an address."""
    accounts = index.of_kind(resource_types.ACCOUNT) if isinstance(email, str) else ()
    return [
        account
        for account in accounts
        if home_of(account) is not None and is_address(email, account)
    ]


def _is_powerful(account: Resource, index: Index) -> Known:
    """Return whether an account may do everything, itself or through another account's token."""
    if not any(index.of_kind(kind) for kind in _ACCOUNT_GRANT_TYPES):
        return _has_power(account, index)
    settled: dict[str, Known] = index.memo("powers of accounts", dict)
    if account.urn not in settled:
        settled.update(_powers_from(account, index))
    return settled[account.urn]


def _powers_from(account: Resource, index: Index) -> dict[str, Known]:
    """Return the power of an account, and of all that it may act as, by URN.

    Accounts may act as each other. Each starts with what it may do by itself, and those that may
    act as it are looked at again until nothing changes.
    """
    from gpuinfra.clouds.gcp.observe.rights import impersonation  # noqa: PLC0415  (few stacks need it)

    powers_by_urn = {account.urn: _has_power(account, index)}
    accounts = [account]

    def powerful(other: Resource) -> Known:
        if other.urn not in powers_by_urn:
            powers_by_urn[other.urn] = _has_power(other, index)
            accounts.append(other)
        return powers_by_urn[other.urn]

    def changes(reached_account: Resource) -> bool:
        power_before = powers_by_urn[reached_account.urn]
        if power_before is not True:
            through = impersonation.through_others(reached_account, index, powerful)
            powers_by_urn[reached_account.urn] = any_of((power_before, through))
        return powers_by_urn[reached_account.urn] is not power_before

    for reached_account in accounts:  # it grows
        changes(reached_account)
    while any(changes(reached_account) for reached_account in accounts[::-1]):
        pass
    return powers_by_urn


def _has_power(account: Resource, index: Index) -> Known:
    verdicts: list[Known] = []
    complete = True
    for kind, prop in grants():
        targets = index.referrers(account, kind, prop)
        verdicts += [_role_is(resource, index) for resource in targets.certain]
        verdicts += [
            all_of((is_named(account, grant, prop), _role_is(grant, index)))
            for grant in _spelling_out(account, kind, prop, index)
        ]
        complete = complete and (targets.complete or not _powerful_of(kind, index))
    # A policy resource says at once who holds every role; it is not read apart.
    complete = complete and not any(index.of_kind(kind) for kind in resource_types.POLICIES)
    found_one = any_of(verdicts)
    return found_one if found_one is True or complete else UNKNOWN


def _spelling_out(account: Resource, kind: str, prop: str, index: Index) -> Sequence[Resource]:
    """Return the grants that write out an address with the account's name, in any project."""

    def accounts_by_name() -> dict[str, list[Resource]]:
        grants_by_email: dict[str, list[Resource]] = {}
        for grant in index.of_kind(kind):
            emails = map(MEMBER.fullmatch, spelled_out(grant, prop))
            for name in {email["name"] for email in emails if email}:
                grants_by_email.setdefault(name, []).append(grant)
        return grants_by_email

    name = text(account.inputs.get("accountId"))
    return index.memo(("spelled out", kind), accounts_by_name).get(str(name), ())


def _powerful_of(kind: str, index: Index) -> bool:
    """Return whether a role of this kind may be a powerful one, for any member."""
    return index.memo(
        ("powerful", kind),
        lambda: any(_role_is(grant, index) is not False for grant in index.of_kind(kind)),
    )


def _named_grants(email: Any, index: Index) -> Sequence[Resource]:
    """Return the grants that write out an address."""
    if not isinstance(email, str):
        return ()
    by_member = index.memo("grants by member", lambda: _grants_by_member(index))
    return by_member.get(normalize_reference(email), ())


def _grants_by_member(index: Index) -> dict[str, list[Resource]]:
    by_member: dict[str, list[Resource]] = {}
    for kind, prop in grants():
        for grant in index.of_kind(kind):
            members = (
                value for value in as_list(grant.inputs.get(prop)) if isinstance(value, str)
            )
            for member in set(map(normalize_reference, members)):
                by_member.setdefault(member, []).append(grant)
    return by_member


def _role_is(grant: Resource, index: Index) -> Known:
    role = text(grant.inputs.get("role"))
    if isinstance(role, str) and role.startswith("roles/"):
        return gives_everything(role) or gives_a_service(role)
    return permissions.role_passes(grant, index, gives_roles)


def gives_everything(role: str) -> bool:
    """Return whether a role is a project's owner or editor, or may grant itself any other."""
    return role in _POWERFUL or gives_roles(permissions_of(role)) is True


def gives_a_service(role: str) -> bool:
    """Return whether a predefined role may do everything in a service."""
    return role.startswith("roles/") and role.endswith(_ADMIN)


def lets_anyone_in(grant: Resource, prop: str, index: Index) -> Known:
    """Return whether a grant names everybody, which accounts and pools to be created are not."""
    members = as_list(grant.inputs.get(prop))
    member_checks = [is_everybody(member) for member in members if not isinstance(member, Unknown)]
    if len(member_checks) == len(members) or _is_of_identities(grant, prop, index):
        return any_of(member_checks)
    return any_of((*member_checks, UNKNOWN))


def _is_of_identities(grant: Resource, prop: str, index: Index) -> bool:
    """Return whether unknown members come only from accounts, pools or projects."""
    sources = index.related_resources(grant, prop)
    related_urns = set(grant.relations.get(prop, ()))
    return len(sources) == len(related_urns) > 0 and all(
        canonical(source.type) in resource_types.IDENTITIES for source in sources
    )


def is_everybody(member: Any) -> Known:
    """Return whether a member is everybody, or everybody with a Google account."""
    return member in _EVERYBODY if isinstance(member, str) else UNKNOWN


def members_of(document: Any) -> Iterator[Any]:
    """Yield the members that an IAM policy document names; UNKNOWN where it can't be read yet."""
    for binding in bindings_of(document):
        if isinstance(binding, Unknown):
            yield UNKNOWN
        else:
            yield from as_list(at(binding, "members"))
