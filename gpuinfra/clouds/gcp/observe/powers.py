"""What permissions let the holder of a role do: one list, for predefined and custom roles."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import UNKNOWN, Known
from gpuinfra.records import record

Test = Callable[[Sequence[Any]], Known]
"""Of the permissions of a role."""

SETS_POLICIES: Final = "setIamPolicy"
GIVING: Final = frozenset(
    f"resourcemanager.{level}.{SETS_POLICIES}"
    for level in ("projects", "folders", "organizations")
)
"""https://docs.cloud.google.com/iam/docs/roles-permissions/resourcemanager"""

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

BECOMING: Final = frozenset(
    {
        *("iam.workloadIdentityPoolProviders.create", "iam.workloadIdentityPoolProviders.update"),
        *(
            f"iam.googleapis.com/{pool}PoolProviders.{act}"
            for pool in ("workloadIdentity", "workforce")
            for act in ("create", "update")
        ),
        *("deploymentmanager.deployments.create", "deploymentmanager.deployments.update"),
    }
)
"""Permissions that let one in as anyone of a pool, and that act as the project's own account of
Google, by default an editor of it, without a right to act as it:
https://docs.cloud.google.com/iam/docs/workload-identity-federation
https://docs.cloud.google.com/deployment-manager/docs/access-control (2026-11-26, not re-read:
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


@record
class Power:
    """What a role lets its holder use or read that others may, in all of a project.

    Attributes:
        words: what it is.
        permissions: any of which gives it.
    """

    words: str
    permissions: frozenset[str]


_PODS: Final = (
    *("pods", "deployments", "replicaSets", "statefulSets", "daemonSets"),
    *("replicationControllers", "jobs", "cronJobs"),
)
"""What runs containers in a cluster, as any account of Kubernetes in their namespace."""

_LOGIN: Final = "a login to every machine"
POWERS: Final = (
    Power(words="the use of every service account", permissions=MINTING | {ACTING}),
    Power(
        words=f"{_LOGIN} as an administrator",
        permissions=frozenset({"compute.instances.osAdminLogin"}),
    ),
    Power(words=_LOGIN, permissions=frozenset({"compute.instances.osLogin"})),
    Power(
        words="a tunnel to every machine",
        permissions=frozenset({"iap.tunnelInstances.accessViaIAP"}),
    ),
    Power(words="every secret", permissions=frozenset({"secretmanager.versions.access"})),
    Power(
        words="keys to Cloud Storage of every service account",
        permissions=frozenset({"storage.hmacKeys.create"}),
    ),
    Power(
        words="the secrets of every cluster, and pods in it",
        permissions=frozenset(
            {
                *(f"container.{kind}.create" for kind in _PODS),
                *("container.pods.exec", "container.secrets.get", "container.secrets.list"),
            }
        ),
    ),
    Power(
        words="decryption with every key",
        permissions=frozenset(
            {
                "cloudkms.cryptoKeyVersions.useToDecrypt",
                "cloudkms.cryptoKeyVersions.useToDecryptViaDelegation",
            }
        ),
    ),
)
"""https://docs.cloud.google.com/iam/docs/service-account-permissions
https://docs.cloud.google.com/compute/docs/oslogin/set-up-oslogin
https://docs.cloud.google.com/iap/docs/using-tcp-forwarding
https://docs.cloud.google.com/secret-manager/docs/access-control
https://docs.cloud.google.com/kms/docs/reference/permissions-and-roles
https://github.com/RhinoSecurityLabs/GCP-IAM-Privilege-Escalation (storage.hmacKeys.create)
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/access-control (2026-11-26,
not re-read: unverified)"""

ASKED: Final = frozenset(
    {
        *(*GIVING, *MINTING, EDITS_ROLES, *BECOMING, ACTING, *STARTING),
        *(each for power in POWERS for each in power.permissions),
    }
)
"""Every permission that the table of predefined roles has to know."""


def gives_roles(permissions: Sequence[Any]) -> Known:
    """Whether a role lets its holder have rights that it does not state."""
    return any_of(
        (
            _has(permissions, SETS_POLICIES, *MINTING, EDITS_ROLES, *BECOMING),
            all_of((acts(permissions), starts(permissions))),
        )
    )


def mints(permissions: Sequence[Any]) -> Known:
    """Whether a role on a service account gives its holder what that account may do."""
    return _has(permissions, *MINTING)


def acts(permissions: Sequence[Any]) -> Known:
    """Whether a role attaches a service account to what its holder starts."""
    return _has(permissions, ACTING)


def starts(permissions: Sequence[Any]) -> Known:
    """Whether a role starts what a service account is attached to."""
    return _has(permissions, *STARTING)


def powers_of(permissions: Sequence[Any]) -> dict[str, list[str]]:
    """Return what a role surely lets its holder do, with the permissions that let him."""
    powers: dict[str, list[str]] = {}
    for power in POWERS:
        giving = [each for each in permissions if each in power.permissions]
        if giving and not any(words.startswith(power.words) for words in powers):
            powers[power.words] = giving
    return powers


def _has(permissions: Sequence[Any], *endings: str) -> Known:
    return any_of(
        permission.endswith(endings) if isinstance(permission, str) else UNKNOWN
        for permission in permissions
    )
