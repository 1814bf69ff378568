"""What the permissions of custom roles let their holder become."""

import re
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import all_of, any_of, listed
from gpuinfra.model import UNKNOWN, Known, Resource

SETS_POLICIES: Final = "setIamPolicy"
MINTING: Final = frozenset(
    {
        *("iam.serviceAccounts.getAccessToken", "iam.serviceAccounts.implicitDelegation"),
        *("iam.serviceAccounts.signBlob", "iam.serviceAccounts.signJwt"),
        *("iam.serviceAccountKeys.create", "iam.serviceAccounts.setIamPolicy"),
    }
)
"""Permissions whose holder takes the rights of a service account at once:
https://docs.cloud.google.com/iam/docs/service-account-permissions (2026-11-26, not re-read:
unverified)"""

EDITS_ROLES: Final = "iam.roles.update"
"""Adds permissions to a role that its holder has:
https://docs.cloud.google.com/iam/docs/roles-permissions/iam (2026-11-26, not re-read:
unverified)"""

ACTING: Final = "iam.serviceAccounts.actAs"
STARTING: Final = frozenset(
    {
        *("compute.instances.create", "compute.instances.setServiceAccount"),
        *("cloudfunctions.functions.create", "cloudfunctions.functions.update"),
        *("run.services.create", "run.services.update", "run.jobs.create", "run.jobs.update"),
        *("cloudbuild.builds.create", "dataproc.clusters.create", "dataflow.jobs.create"),
        *("aiplatform.customJobs.create", "notebooks.instances.create", "batch.jobs.create"),
        *("composer.environments.create", "workflows.workflows.create"),
        *("cloudscheduler.jobs.create", "deploymentmanager.deployments.create"),
    }
)
"""Permissions that run something as a service account that their holder may act as:
https://docs.cloud.google.com/iam/docs/attach-service-accounts (2026-11-26, not re-read:
unverified)"""

_ROLE: Final = re.compile(
    r"(?P<level>projects|organizations)/(?P<owner>[^/]+)/roles/(?P<id>[^/]+)"
)
_OWNERS: Final = {"projects": "project", "organizations": "orgId"}


def custom_of(grant: Resource, index: Index) -> Targets:
    """Return the custom roles that a grant names, also by an id that is still to be made."""
    targets = index.targets(grant, "role", kinds.CUSTOM_ROLE)
    written = grant.inputs.get("role")
    named = _ROLE.fullmatch(written) if isinstance(written, str) else None
    if targets.certain or targets.possible or named is None:
        return targets
    ours = [
        role
        for role in index.of(kinds.CUSTOM_ROLE)
        if role.inputs.get("roleId") == named["id"]
        and role.inputs.get(_OWNERS[named["level"]]) == named["owner"]
    ]
    return Targets(tuple(ours)) if ours else targets


def gives_roles(role: Resource) -> Known:
    """Whether a custom role lets its holder have rights that it does not state."""
    return any_of(
        (
            _has(role, SETS_POLICIES, *MINTING, EDITS_ROLES),
            all_of((_has(role, ACTING), _has(role, *STARTING))),
        )
    )


def mints(role: Resource) -> Known:
    """Whether a custom role on a service account gives its holder what that account may do."""
    return _has(role, *MINTING)


def acts(role: Resource) -> Known:
    """Whether a custom role attaches a service account to what its holder starts."""
    return _has(role, ACTING)


def starts(role: Resource) -> Known:
    """Whether a custom role starts what a service account is attached to."""
    return _has(role, *STARTING)


def _has(role: Resource, *endings: str) -> Known:
    return any_of(
        permission.endswith(endings) if isinstance(permission, str) else UNKNOWN
        for permission in listed(role.inputs.get("permissions"))
    )
