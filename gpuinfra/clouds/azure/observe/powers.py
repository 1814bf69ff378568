"""What permissions let the holder of a role do: one list, for built-in and for custom roles."""

from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatchcase
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm, kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import permissions_of
from gpuinfra.clouds.observing.names import NONE_CALLED
from gpuinfra.clouds.observing.values import all_of, any_of, at, listed, opposite
from gpuinfra.model import UNKNOWN, Known, Resource
from gpuinfra.records import record

_CHANGES: Final = tuple(
    f"{NONE_CALLED}/{NONE_CALLED}/{act}" for act in ("write", "delete", "action")
)
"""Changes in every service. An action's `*` takes any characters:
https://learn.microsoft.com/azure/role-based-access-control/role-definitions#actions-format"""
_OF_ROLES: Final = (
    "microsoft.authorization/roleassignments/write",
    "microsoft.authorization/roledefinitions/write",
    "microsoft.authorization/roleassignmentschedulerequests/write",
    "microsoft.authorization/roleeligibilityschedulerequests/write",
    "microsoft.authorization/elevateaccess/action",
    "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials/write",
)
"""Actions that let a machine give itself any role, or sign in as any identity of its scope:
https://learn.microsoft.com/azure/role-based-access-control/permissions/identity"""
_ASSIGNS: Final = tuple(
    f"microsoft.managedidentity/userassignedidentities/{path}assign/action"
    for path in ("", f"{NONE_CALLED}/")
)
"""The action, and how built-in roles write it, with a part for the identity (same page)."""
_HOSTS: Final = (
    "microsoft.compute/virtualmachines/write",
    "microsoft.compute/virtualmachinescalesets/write",
    "microsoft.containerinstance/containergroups/write",
    "microsoft.web/sites/write",
    "microsoft.app/containerapps/write",
    "microsoft.app/jobs/write",
    "microsoft.automation/automationaccounts/write",
    "microsoft.batch/batchaccounts/pools/write",
    "microsoft.logic/workflows/write",
    "microsoft.machinelearningservices/workspaces/computes/write",
    "microsoft.resources/deploymentscripts/write",
)
"""Actions that make what runs as an identity, where the caller may assign it (same page)."""
_ACTIONS: Final = ("actions", "notActions")
_OF_DATA: Final = ("dataActions", "notDataActions")
GRANTING_KEYS: Final = (
    (*_ACTIONS, (*_CHANGES, *_OF_ROLES)),
    (*_OF_DATA, _CHANGES),
)
"""The keys that give, those that take back, and the actions of which a narrow role has none."""
STARTING: Final = (
    "microsoft.compute/virtualmachines/write",
    "microsoft.compute/virtualmachinescalesets/write",
    "microsoft.compute/virtualmachinescalesets/virtualmachines/write",
    "microsoft.containerservice/managedclusters/write",
    "microsoft.containerservice/managedclusters/agentpools/write",
    "microsoft.machinelearningservices/workspaces/computes/write",
    "microsoft.batch/batchaccounts/pools/write",
    "microsoft.resources/deployments/write",
)
"""Actions that make machines or let them grow, a template of anything among them; stopped ones
count as running in the stack that has them, so to start them is none:
https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations"""


@record
class Power:
    """What a role lets its holder use or read that others may, in all of its scope.

    Attributes:
        role: what a role of the stack with it is called.
        keys: of the permissions that give it, and that take it back.
        actions: any of which gives it.
        words: what it is, of a role on a whole subscription.
        mostly_narrow: whether a scope that is not known yet is taken for a single resource's.
    """

    role: str
    keys: tuple[str, str]
    actions: tuple[str, ...]
    words: str
    mostly_narrow: bool = False

    def is_in(self, permissions: Any) -> Known:
        """Say whether permissions give it."""
        return _any_gives(permissions, self.keys, self.actions)


POWERS: Final = (
    Power(
        role="a role that runs commands on machines",
        keys=_ACTIONS,
        actions=(
            "microsoft.compute/virtualmachines/runcommand/action",
            "microsoft.compute/virtualmachines/runcommands/write",
            "microsoft.compute/virtualmachines/extensions/write",
            "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommand/action",
            "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommands/write",
            "microsoft.compute/virtualmachinescalesets/extensions/write",
        ),
        words="it can run commands on every machine, with the machine's identity",
    ),
    Power(
        role="a role that assigns identities",
        keys=_ACTIONS,
        actions=_ASSIGNS,
        words="it can have what it makes run as any managed identity",
    ),
    Power(
        role="a role that administers clusters",
        keys=_ACTIONS,
        actions=(
            "microsoft.containerservice/managedclusters/runcommand/action",
            "microsoft.containerservice/managedclusters/listclusteradmincredential/action",
            "microsoft.containerservice/managedclusters/accessprofiles/listcredential/action",
        ),
        words="it can act as the administrator of every cluster",
    ),
    Power(
        role="a role that uses clusters",
        keys=_OF_DATA,
        actions=tuple(
            f"microsoft.containerservice/{clusters}/{act}"
            for clusters in ("managedclusters", "fleets", "fleets/members")
            for act in ("secrets/read", "pods/write", "apps/deployments/write", "batch/jobs/write")
        ),
        words="it can run pods in every cluster, and read its secrets",
    ),
    Power(
        role="a role that reads the keys of storage accounts",
        keys=_ACTIONS,
        actions=(
            "microsoft.storage/storageaccounts/listkeys/action",
            "microsoft.storage/storageaccounts/regeneratekey/action",
            "microsoft.storage/storageaccounts/listaccountsas/action",
        ),
        words="it can read the keys of every storage account",
    ),
    Power(
        role="a role that copies disks",
        keys=_ACTIONS,
        actions=(
            "microsoft.compute/disks/begingetaccess/action",
            "microsoft.compute/snapshots/begingetaccess/action",
        ),
        words="it can copy every disk",
    ),
    Power(
        role="a role that logs in to machines",
        keys=_OF_DATA,
        actions=("microsoft.compute/virtualmachines/loginasadmin/action",),
        words="it can log in to every machine as an administrator",
    ),
    Power(
        role="a role that logs in to machines",
        keys=_OF_DATA,
        actions=("microsoft.compute/virtualmachines/login/action",),
        words="it can log in to every machine",
    ),
    Power(
        role="a role that reads secrets",
        keys=_OF_DATA,
        actions=("microsoft.keyvault/vaults/secrets/getsecret/action",),
        words="it can read every secret in key vaults",
    ),
    Power(
        role="a role that changes who may use key vaults",
        keys=_ACTIONS,
        actions=(
            "microsoft.keyvault/vaults/write",
            "microsoft.keyvault/vaults/accesspolicies/write",
        ),
        words="it can give itself every secret in key vaults",
    ),
    Power(
        role="a role that decrypts",
        keys=_OF_DATA,
        actions=(
            "microsoft.keyvault/vaults/keys/decrypt/action",
            "microsoft.keyvault/vaults/keys/unwrap/action",
        ),
        words="it can decrypt with every key in key vaults",
    ),
    Power(
        role="a role that changes the data of storage accounts",
        keys=_OF_DATA,
        actions=(
            "microsoft.storage/storageaccounts/blobservices/containers/blobs/delete",
            "microsoft.storage/storageaccounts/blobservices/containers/blobs/write",
            "microsoft.storage/storageaccounts/fileservices/takeownership/action",
            "microsoft.storage/storageaccounts/fileservices/writefilebackupsemantics/action",
        ),
        words="it can change and delete the data of every storage account",
        mostly_narrow=True,
    ),
    Power(
        role="a role that runs what has identities",
        keys=_ACTIONS,
        actions=(
            "microsoft.automation/automationaccounts/runbooks/draft/write",
            "microsoft.automation/automationaccounts/webhooks/write",
            "microsoft.web/sites/config/list/action",
            "microsoft.web/sites/publish/action",
            "microsoft.datafactory/factories/pipelines/write",
            "microsoft.logic/workflows/write",
        ),
        words="it can run code with the identity of every automation account, app, factory or "
        "workflow that it may change",
    ),
)
"""What one holder of a role may do in all of its scope, also with what others own:
https://learn.microsoft.com/azure/virtual-machines/run-command-overview
https://learn.microsoft.com/azure/virtual-machines/extensions/overview
https://learn.microsoft.com/azure/role-based-access-control/permissions/compute
https://learn.microsoft.com/azure/role-based-access-control/permissions/containers
https://learn.microsoft.com/azure/role-based-access-control/permissions/identity
https://learn.microsoft.com/azure/role-based-access-control/permissions/security
https://learn.microsoft.com/azure/role-based-access-control/permissions/storage
https://learn.microsoft.com/azure/role-based-access-control/permissions/web-and-mobile
https://learn.microsoft.com/azure/automation/automation-role-based-access-control
(the last two 2026-11-26, not re-read: unverified)
Who may write a key vault may give himself access to what is in it:
https://learn.microsoft.com/azure/key-vault/general/rbac-guide"""


def gives_everything(permissions: Any) -> Known:
    """Say whether permissions change everything, all data, or who one is and the roles one has."""
    gives = (_any_gives(permissions, keys, actions) for *keys, actions in GRANTING_KEYS)
    return any_of((*gives, all_of((assigns(permissions), hosts(permissions)))))


def assigns(permissions: Any) -> Known:
    """Say whether permissions let one assign any identity of the scope."""
    return _any_gives(permissions, _ACTIONS, _ASSIGNS)


def hosts(permissions: Any) -> Known:
    """Say whether permissions let one make what runs as an identity."""
    return _any_gives(permissions, _ACTIONS, _HOSTS)


def starts_machines(permissions: Any) -> Known:
    """Say whether permissions let one make, start or enlarge what machines run in."""
    return _any_gives(permissions, _ACTIONS, STARTING)


def role_is(grant: Resource, index: Index, test: Callable[[Any], Known]) -> Known:
    """Say whether the role of an assignment passes a test: a built-in one, or the stack's."""
    role = grant.inputs.get("roleDefinitionId")
    built_in = permissions_of(arm.last_part(role)) if isinstance(role, str) else None
    if built_in is not None:
        return test(built_in)
    own = index.targets(grant, "roleDefinitionId", kinds.ROLE)
    return own.some(lambda definition: test(definition.inputs.get("permissions")))


def is_visible(grant: Resource, index: Index) -> bool:
    """Whether the role of an assignment is a built-in one, or may be one of this stack."""
    role = grant.inputs.get("roleDefinitionId")
    if isinstance(role, str) and permissions_of(arm.last_part(role)) is not None:
        return True
    own = index.targets(grant, "roleDefinitionId", kinds.ROLE)
    return bool(own.certain or own.possible)


def _any_gives(permissions: Any, keys: Iterable[str], actions: Collection[str]) -> Known:
    """Whether one of the permissions gives, by these keys, one of the actions."""
    given, spared = keys
    return any_of(
        all_of((_takes(permission, given, action), opposite(_takes(permission, spared, action))))
        for permission in listed(permissions)
        for action in actions
    )


def _takes(permission: Any, key: str, action: str) -> Known:
    """Whether one of a permission's patterns is about an action."""
    return any_of(
        fnmatchcase(action, _literal(pattern)) if isinstance(pattern, str) else UNKNOWN
        for pattern in listed(at(permission, key))
    )


def _literal(pattern: str) -> str:
    """A pattern in which only `*` stands for others, as Azure reads it."""
    return pattern.lower().replace("[", "[[]").replace("?", "[?]")
