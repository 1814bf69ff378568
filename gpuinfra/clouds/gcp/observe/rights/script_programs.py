"""The needs of a start-up script's programs: a service account, and roles on the project."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_settings import scripts_of
from gpuinfra.clouds.gcp.observe.rights.permissions import grants, spelled_out
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, text
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.records import record

_SERVICES_WITHOUT_BUCKETS: Final = frozenset(
    {"artifactregistry", "cloudtrace", "compute", "logging", "monitoring", "secretmanager"}
    | {"storage"}
)
"""Services whose predefined roles allow nothing of the other ones here:
https://docs.cloud.google.com/iam/docs/roles-permissions"""

_KEYS: Final = re.compile(r"GOOGLE_APPLICATION_CREDENTIALS|application_default_credentials")
"""How a program is told of another identity than the machine's:
https://docs.cloud.google.com/docs/authentication/application-default-credentials"""


@record(kw_only=False)
class KnownProgram:
    """A program, the word by which a script names it, and the permissions that it needs.

    Each has the narrowest role that holds it; `together` says that a lone machine has no use for
    the program.
    """

    name: str
    word: str
    roles: Mapping[str, str]
    together: bool = False


_PROGRAMS: Final = (
    KnownProgram(
        "the Ops Agent",
        "google-cloud-ops-agent",
        {
            "logging.logEntries.create": "roles/logging.logWriter",
            "monitoring.timeSeries.create": "roles/monitoring.metricWriter",
        },
    ),
    KnownProgram(
        "a list of its group's machines",
        "/listManagedInstances",
        {
            "compute.instanceGroupManagers.get": (
                "a custom role with compute.instanceGroupManagers.get"
            )
        },
        together=True,
    ),
)
"""https://docs.cloud.google.com/monitoring/agent/ops-agent/authorization#authorize_service_account,
https://docs.cloud.google.com/compute/docs/reference/rest/v1/instanceGroupManagers/listManagedInstances"""


def started_programs(launch: LaunchSources, *, together: bool) -> Iterator[KnownProgram]:
    """Yield the programs that a machine surely starts as its own service account."""
    known_scripts = [script for script in scripts_of(launch) if isinstance(script, str)]
    if any(_KEYS.search(script) for script in known_scripts):
        return
    for program in _PROGRAMS:
        if (together or not program.together) and any(
            program.word in script for script in known_scripts
        ):
            yield program


def missing_roles(
    programs: list[KnownProgram], account: Resource, index: Index
) -> Iterator[Remark]:
    """Yield the roles that an account of this stack surely lacks.

    A role that is given in another way, or that may allow more than its service, may do.
    """
    project_roles = _project_roles(account, index)
    if project_roles is None or project_roles.services - _SERVICES_WITHOUT_BUCKETS:
        return
    for program in programs:
        for permission, role in program.roles.items():
            service = permission.partition(".")[0]
            if (
                service not in project_roles.services
                and permission not in project_roles.permissions
            ):
                program_text = (
                    f"its script starts {program.name}, and {account.name} has no role for it"
                )
                yield False, f"{program_text}: grant it {role}"


@record
class _AccountPermissions:
    """The services of an account's predefined roles, and its custom permissions."""

    services: frozenset[str]
    permissions: frozenset[str]


def _project_roles(account: Resource, index: Index) -> _AccountPermissions | None:
    """Return an account's roles on projects; None where it may have more that are not visible."""
    if any(index.of_kind(kind) for kind in resource_types.POLICIES):
        return None
    grants_by_account = index.memo("granted on projects", lambda: _grants_by_account(index))
    account_keys = (account.urn, text(account.inputs.get("accountId")))
    role_grants = {
        resource.urn: resource
        for name in account_keys
        for resource in grants_by_account.by_account.get(name, ())
    }
    if not grants_by_account.hidden <= role_grants.keys():
        return None
    custom = {
        urn: index.targets(grant, "role", resource_types.CUSTOM_ROLE)
        for urn, grant in role_grants.items()
    }
    roles = [
        text(grant.inputs.get("role"))
        for urn, grant in role_grants.items()
        if not custom[urn].certain
    ]
    permissions = [
        permission
        for targets in custom.values()
        for role in targets.certain
        for permission in as_list(role.inputs.get("permissions"))
    ]
    if not all(isinstance(part, str) for part in (*roles, *permissions)):
        return None
    services = (str(role).removeprefix("roles/").partition(".")[0] for role in roles)
    return _AccountPermissions(services=frozenset(services), permissions=frozenset(permissions))


@record(kw_only=False)
class _ProjectGrants:
    """The grants on projects, by the account's URN or name, and those of hidden members.

    A hidden member may be any account; `hidden` are the URNs of its grants.
    """

    by_account: Mapping[Any, Sequence[Resource]]
    hidden: frozenset[str]


def _grants_by_account(index: Index) -> _ProjectGrants:
    by_account: dict[Any, list[Resource]] = {}
    unknown_urns: set[str] = set()
    for kind, prop in grants():
        for grant in index.of_kind(kind):
            targets = index.targets(grant, prop, resource_types.ACCOUNT)
            names = {resource.urn for resource in (*targets.certain, *targets.possible)}
            names |= {_name_in(member) for member in spelled_out(grant, prop)}
            for name in names:
                by_account.setdefault(name, []).append(grant)
            if not targets.exact and UNKNOWN in as_list(grant.inputs.get(prop)):
                unknown_urns.add(grant.urn)
    return _ProjectGrants(by_account, frozenset(unknown_urns))


def _name_in(member: str) -> str:
    """Return the account's id in a written member, as in serviceAccount:id@project."""
    return member.partition(":")[2].partition("@")[0]
