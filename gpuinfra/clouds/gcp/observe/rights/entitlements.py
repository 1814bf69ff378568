"""Roles that users may take for a limited time through Privileged Access Manager."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.observe.index import Index, last_part
from gpuinfra.clouds.gcp.observe.rights.grants import role_grant_reader
from gpuinfra.clouds.observing.grants import GrantFault, make_observer
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource

_LEVELS: Final = {
    "Project": "gcp:projects/iAMBinding:IAMBinding",
    "Folder": "gcp:folder/iAMBinding:IAMBinding",
    "Organization": "gcp:organizations/iAMBinding:IAMBinding",
}
"""The grant that an entitlement makes, by the end of the type of what it is on:
https://docs.cloud.google.com/iam/docs/pam-create-entitlements"""


def _entitlement_faults(resource: Resource, index: Index) -> Iterator[GrantFault]:
    """Yield the faults of an entitlement's roles, judged as grants, if no approval is required."""
    inputs = resource.inputs
    access = at(inputs.get("privilegedAccess"), "gcpIamAccess")
    approval = inputs.get("approvalWorkflow")
    bindings = at(access, "roleBindings")
    if UNKNOWN in (access, approval, bindings):
        yield UNKNOWN
    elif not at(approval, "manualApprovals", "steps"):
        for binding in as_list(bindings):
            yield from _read(_as_grant(resource, access, binding), index)


def _as_grant(resource: Resource, access: Any, binding: Any) -> Resource:
    kind = at(access, "resourceType")
    users = as_list(resource.inputs.get("eligibleUsers"))
    condition = at(binding, "conditionExpression")
    return replace(
        resource,
        type=_LEVELS.get(last_part(kind) if isinstance(kind, str) else "", resource.type),
        inputs={
            "role": at(binding, "role"),
            "members": [
                principal for user in users for principal in as_list(at(user, "principals"))
            ],
            "condition": {"expression": condition} if condition else None,
        },
        relations={
            "role": resource.relations.get("privilegedAccess", ()),
            "members": resource.relations.get("eligibleUsers", ()),
        },
    )


_read: Final = role_grant_reader("members")

entitlement: Final = make_observer("gcp", _entitlement_faults)
