"""What the programs of a start-up script need: a service account, and roles on the project."""

import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import scripts_of
from gpuinfra.clouds.observing.faults import Said
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import listed, text
from gpuinfra.model import Resource, Unknown
from gpuinfra.records import record

_ALONE: Final = frozenset(
    {"artifactregistry", "cloudtrace", "compute", "logging", "monitoring", "secretmanager"}
    | {"storage"}
)
"""Services whose predefined roles allow nothing of the other ones here:
https://docs.cloud.google.com/iam/docs/roles-permissions"""

_KEYS: Final = re.compile(r"GOOGLE_APPLICATION_CREDENTIALS|application_default_credentials")
"""How a program is told of another identity than the machine's:
https://docs.cloud.google.com/docs/authentication/application-default-credentials"""


@record(kw_only=False)
class Program:
    """A program, the word of a script that tells it, and the services that it calls.

    `role` is one that allows it, for each service; `together` says that a lone machine has no use
    for it.
    """

    name: str
    word: str
    roles: dict[str, str]
    together: bool = False


_PROGRAMS: Final = (
    Program(
        "the Ops Agent",
        "google-cloud-ops-agent",
        {"logging": "roles/logging.logWriter", "monitoring": "roles/monitoring.metricWriter"},
    ),
    Program(
        "a list of its group's machines",
        "/listManagedInstances",
        {"compute": "roles/compute.viewer"},
        together=True,
    ),
)
"""https://docs.cloud.google.com/monitoring/agent/ops-agent/authorization#authorize_service_account,
https://docs.cloud.google.com/compute/docs/reference/rest/v1/instanceGroupManagers/listManagedInstances"""


def of_launch(launch: Layers, *, together: bool) -> Iterator[Program]:
    """Yield the programs that a machine surely starts as its own service account."""
    shown = [one for one in scripts_of(launch) if isinstance(one, str)]
    if any(_KEYS.search(one) for one in shown):
        return
    for program in _PROGRAMS:
        if (together or not program.together) and any(program.word in one for one in shown):
            yield program


def lacking(programs: list[Program], account: Resource, index: Index) -> Iterator[Said]:
    """Yield the roles that an account of this stack surely lacks.

    A role that is given in another way, or that may allow more than its service, may do.
    """
    roles = _roles(account, index)
    if roles is None:
        return
    services = {one.removeprefix("roles/").partition(".")[0] for one in roles}
    if services - _ALONE:
        return
    for program in programs:
        for service, role in program.roles.items():
            if service not in services:
                words = f"its script starts {program.name}, and {account.name} has no role for it"
                yield False, f"{words}: give it {role}"


def _roles(account: Resource, index: Index) -> set[str] | None:
    """The roles that an account has on projects; None where others may hold that are not seen."""
    found: set[str] = set()
    if any(index.of(kind) for kind in kinds.POLICIES):
        return None
    grants = ((kind, "member") for kind in kinds.MEMBERS)
    for kind, prop in (*grants, *((kind, "members") for kind in kinds.BINDINGS)):
        for grant in index.of(kind):
            named = _is_named(grant, prop, account, index)
            role: Any = text(grant.inputs.get("role"))
            if named is None or (named and not isinstance(role, str)):
                return None
            found |= {role} if named else set()
    return found


def _name_in(member: str) -> str:
    """The account's id in a member that is written out, as serviceAccount:id@project."""
    return member.partition(":")[2].partition("@")[0]


def _is_named(grant: Resource, prop: str, account: Resource, index: Index) -> bool | None:
    """Whether a grant names an account of this stack; None where that is not known."""
    found = index.targets(grant, prop, kinds.ACCOUNT)
    written = (one for one in listed(grant.inputs.get(prop)) if isinstance(one, str))
    if any(_name_in(one) == account.inputs.get("accountId") for one in written):
        return True
    if account.urn in {one.urn for one in (*found.certain, *found.possible)}:
        return True
    hidden = any(isinstance(one, Unknown) for one in listed(grant.inputs.get(prop)))
    return None if hidden and not found.exact else False
