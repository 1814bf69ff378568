"""Rights in the clusters of a fleet that are given to everyone, or to the stack's machines.

A binding of a fleet becomes one of Kubernetes in each cluster of its scope, or in its cluster:
https://docs.cloud.google.com/kubernetes-engine/fleet-management/docs/setup-teams
(not re-read: unverified)
"""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.rights import permissions
from gpuinfra.clouds.observing import cluster_rights
from gpuinfra.clouds.observing.grants import GrantFault, with_grants
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown

_ADMIN_ROLE: Final = "ADMIN"
_CLOUDS: Final = ("", "gcp")
_RUN_AS: Final = {"serviceAccount": "email", "nodeConfig": "serviceAccount"}
"""Where machines, templates and nodes name the account that they run as."""

_MACHINES: Final = (*resource_types.MACHINES, resource_types.TEMPLATE, resource_types.CLUSTER)


def with_fleet_rights(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows of a fleet's binding with its too wide grants."""
    return with_grants("gcp", resource, rows, _faults(resource, index))


def _faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    role = text(at(resource.inputs.get("role"), "predefinedRole"))
    members = {text(resource.inputs.get(key)) for key in ("user", "group")}
    grant_text = f"grants {role if isinstance(role, str) else 'a role'} in clusters of a fleet to"
    for row in rows_of(digests.table(cluster_rights.TABLE)):
        grants_rights = not row["only"] or role == _ADMIN_ROLE
        if row["subject"] in members and row["clouds"] in _CLOUDS and grants_rights:
            yield f"{grant_text} {row['who']}"
            return
    if role != _ADMIN_ROLE and not isinstance(role, Unknown):
        return
    for account in index.of_kind(resource_types.ACCOUNT):
        if _runs_machines(account, index):
            holds_role = permissions.is_granted_to(account, resource, "user", index)
            if holds_role is True and role == _ADMIN_ROLE:
                yield f"{grant_text} {account.name}, which machines of the stack run as"
            elif holds_role is True:
                yield UNKNOWN


def _runs_machines(account: Resource, index: Index) -> bool:
    return any(
        account in index.related_resources(machine, key)
        or permissions.is_address(str(at(machine.inputs.get(key), name)), account)
        for kind in _MACHINES
        for machine in index.of_kind(kind)
        for key, name in _RUN_AS.items()
    )
